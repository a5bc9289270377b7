"""Run bots behind bubblewrap: new namespaces, read-only binds, no capability, no network, no /proc.

A filter of system calls allows threads and no processes.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from arena.runner.languages.base import BOT, KIT, Build, Run, Toolchain, Tree
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox import warm_pool
from arena.runner.sandbox.base import SandboxError
from arena.runner.sandbox.build import BOUNDS, SCRATCH, WORKROOM, BuildProcess, words
from arena.runner.sandbox.bwrap_process import GATE, BwrapProcess, Handed, exit_code, first_child, kill_all
from arena.runner.sandbox.mounts import ENVIRONMENT, SYSTEM_FOLDERS, command, known
from arena.runner.sandbox.rlimits import allowed, bounds
from arena.runner.sandbox.seccomp import filter_bytes
from arena.runner.sandbox.warm_pool import Door, WarmPool, WarmProcess

SLOT = 60001
"""The user a root worker becomes before it builds a sandbox. Nothing on the machine should belong to it."""
WALLS = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "bot"),
)

SHUT = ("--chdir", BOT, "--remount-ro", "/")
"""When everything is in its place."""
compiled = cache(filter_bytes)


def filtered(purpose: str, handed: Handed) -> list[str]:
    """Return the options that install the filter for a purpose."""
    return ["--seccomp", handed.content(compiled(purpose))]


@dataclass(frozen=True, slots=True)
class BwrapSandbox:
    """A sandbox of bubblewrap, level A."""

    bwrap: str
    setpriv: str | None
    """Set for a root worker, which must not be root on the other side of the wall either."""
    prlimit: str
    library: str
    """The folder bots see as /kit."""
    languages: Mapping[str, Toolchain]
    name: str = "bwrap"
    level: str = "A"
    parks: bool = True
    """Whether sandboxes that had waited for their bots proved to be as good as others here."""
    _parked: WarmPool = field(default_factory=WarmPool, init=False, compare=False, repr=False)

    def start(self, program: Program, limits: Limits) -> BwrapProcess:
        """Start a bot, in a process of the warm pool where one fits. Raises SandboxError."""
        known(self.languages, program.language)
        return self._parked.take(program, limits, compiled("play")) or self._start(program, limits)

    def _start(self, program: Program, limits: Limits) -> BwrapProcess:
        run = self.languages[program.language].run
        try:
            with Handed() as handed:
                files = self._files(program.files, handed)
                bound = self._bound(bounds(limits, run))
                argv = [
                    *self._walls(run),
                    *files,
                    *SHUT,
                    *filtered("play", handed),
                    *bound,
                    *GATE,
                    *command(run, limits),
                ]
                process = BwrapProcess(argv, handed.fds)
            process.pass_gate()
            return process
        except OSError as error:
            raise SandboxError(f"a sandbox could not be started: {error}") from error

    def build(self, program: Program) -> tuple[Program, str]:
        """Build a program. Raises BuildError and SandboxError."""
        known(self.languages, program.language)
        build = self.languages[program.language].build
        if build is None:
            return program, ""
        try:
            with Handed() as handed:
                walls = self._walls(replace(build, environment={**SCRATCH, **build.environment}))
                files = self._files(program.files, handed)
                argv = [
                    *walls,
                    *WORKROOM,
                    *files,
                    *SHUT,
                    *filtered("build", handed),
                    *self._bound(BOUNDS),
                    *words(build),
                ]
                done = BuildProcess(argv, {}, handed.fds).work(first_child, kill_all)
        except OSError as error:
            raise SandboxError(f"a program could not be built: {error}") from error
        if not done.began:
            raise SandboxError(f"bubblewrap did not get as far as building: {done.log}")
        return done.program(program, build.artefact, 0 if done.stopped else exit_code(done.code, done.log))

    def park(self, language: str, limits: Limits, count: int) -> None:
        """Fill the warm pool."""
        if self.parks and language == warm_pool.LANGUAGE and language in self.languages:
            self._parked.fill(limits, count, lambda: self._start_parked(limits))

    def close(self) -> None:
        """End what is in the warm pool."""
        self._parked.close()

    def _start_parked(self, limits: Limits) -> WarmProcess:
        run = self.languages[warm_pool.LANGUAGE].run
        most = bounds(limits, replace(run, spare_mb=run.spare_mb + warm_pool.IMPORTS_MB)) | {"fsize": warm_pool.LARGEST}
        try:
            with Handed() as handed:
                door = Door(handed)
                words = warm_pool.waiting(command(run, limits), *door.arguments)
                argv = [*self._walls(run), *warm_pool.ROOM, *SHUT, *self._bound(most), *words]
                return WarmProcess(argv, handed, door)
        except OSError as error:
            raise SandboxError(f"a sandbox could not be parked: {error}") from error

    def _walls(self, run: Run | Build) -> list[str]:
        become = [self.setpriv, f"--reuid={SLOT}", f"--regid={SLOT}", "--clear-groups", "--"] if self.setpriv else []
        environment = {**ENVIRONMENT, **run.environment}
        return [
            *(*become, self.bwrap, *WALLS),
            *(part for key, value in environment.items() for part in ("--setenv", key, value)),
            *self._view(run.trees),
        ]

    def _view(self, trees: Sequence[Tree]) -> list[str]:
        view = ["--ro-bind", self.library, KIT]
        for folder in SYSTEM_FOLDERS:
            if os.path.islink(folder):
                view += ["--symlink", os.readlink(folder), folder]
            elif os.path.isdir(folder):
                view += ["--ro-bind", folder, folder]
        for tree in trees:
            view += ["--ro-bind", tree.host, tree.inside]
        return view

    def _files(self, files: Mapping[str, bytes], handed: Handed) -> list[str]:
        """Files by value. They lie in the root, which is made read-only when all is in place."""
        argv: list[str] = []
        for path, content in files.items():
            argv += ["--perms", "0555", "--file", handed.content(content), f"{BOT}/{path}"]
        return argv

    def _bound(self, most: Mapping[str, int]) -> list[str]:
        """Return the program that sets limits inside, where they count this sandbox's processes alone."""
        return ["--", self.prlimit, *(f"--{key}={allowed(key, value)}" for key, value in most.items()), "--"]
