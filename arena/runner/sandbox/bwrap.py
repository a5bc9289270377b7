"""Run bots in bubblewrap: new namespaces, read-only binds, no capability, no network, no /proc.

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
from arena.runner.sandbox.build import BOUNDS, BUILD_OPTIONS, SCRATCH_ENVIRONMENT, BuildProcess, words
from arena.runner.sandbox.bwrap_process import GATE, BwrapProcess, Handed, exit_code, first_child, kill_all
from arena.runner.sandbox.mounts import ENVIRONMENT, SYSTEM_FOLDERS, command, known
from arena.runner.sandbox.rlimits import allowed, bounds
from arena.runner.sandbox.seccomp import filter_bytes
from arena.runner.sandbox.warm_pool import Handover, WarmPool, WarmProcess

SANDBOX_USER_ID = 60001
"""The user that a worker running as root becomes before it creates a sandbox. It should own no files."""
NAMESPACE_OPTIONS = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "bot"),
)

READ_ONLY_ROOT_OPTIONS = ("--chdir", BOT, "--remount-ro", "/")
"""Options after all mounts."""
compiled = cache(filter_bytes)


def filtered(purpose: str, handed: Handed) -> list[str]:
    """Return the options that install the filter for a purpose."""
    return ["--seccomp", handed.content(compiled(purpose))]


@dataclass(frozen=True, slots=True)
class BwrapSandbox:
    """A sandbox of bubblewrap, level A."""

    bwrap: str
    setpriv: str | None
    """Set for a worker that runs as root: its sandboxes must not."""
    prlimit: str
    library: str
    """The folder bots see as /kit."""
    languages: Mapping[str, Toolchain]
    name: str = "bwrap"
    level: str = "A"
    uses_warm_pool: bool = True
    """Whether the self-test found processes of the warm pool as secure as others."""
    _warm_pool: WarmPool = field(default_factory=WarmPool, init=False, compare=False, repr=False)

    def start(self, program: Program, limits: Limits) -> BwrapProcess:
        """Start a bot, in a process of the warm pool where one fits. Raises SandboxError."""
        known(self.languages, program.language)
        return self._warm_pool.take(program, limits, compiled("play")) or self._start(program, limits)

    def _start(self, program: Program, limits: Limits) -> BwrapProcess:
        run = self.languages[program.language].run
        try:
            with Handed() as handed:
                files = self._files(program.files, handed)
                bound = self._bound(bounds(limits, run))
                argv = [
                    *self._base_options(run),
                    *files,
                    *READ_ONLY_ROOT_OPTIONS,
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
                base = self._base_options(replace(build, environment={**SCRATCH_ENVIRONMENT, **build.environment}))
                files = self._files(program.files, handed)
                argv = [
                    *base,
                    *BUILD_OPTIONS,
                    *files,
                    *READ_ONLY_ROOT_OPTIONS,
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

    def fill_warm_pool(self, language: str, limits: Limits, count: int) -> None:
        """Fill the warm pool."""
        if self.uses_warm_pool and language == warm_pool.LANGUAGE and language in self.languages:
            self._warm_pool.fill(limits, count, lambda: self._start_warm_process(limits))

    def close(self) -> None:
        """End what is in the warm pool."""
        self._warm_pool.close()

    def _start_warm_process(self, limits: Limits) -> WarmProcess:
        run = self.languages[warm_pool.LANGUAGE].run
        most = bounds(limits, replace(run, spare_mb=run.spare_mb + warm_pool.IMPORTS_MB)) | {
            "fsize": warm_pool.MAX_PROGRAM_BYTES
        }
        try:
            with Handed() as handed:
                handover = Handover(handed)
                arguments = warm_pool.warm_command(command(run, limits), *handover.arguments)
                argv = [
                    *self._base_options(run),
                    *warm_pool.BOT_FOLDER_OPTIONS,
                    *READ_ONLY_ROOT_OPTIONS,
                    *self._bound(most),
                    *arguments,
                ]
                return WarmProcess(argv, handed, handover)
        except OSError as error:
            raise SandboxError(f"a process of the warm pool could not be started: {error}") from error

    def _base_options(self, run: Run | Build) -> list[str]:
        become = (
            [self.setpriv, f"--reuid={SANDBOX_USER_ID}", f"--regid={SANDBOX_USER_ID}", "--clear-groups", "--"]
            if self.setpriv
            else []
        )
        environment = {**ENVIRONMENT, **run.environment}
        return [
            *(*become, self.bwrap, *NAMESPACE_OPTIONS),
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
        """Return the options that copy files into the root, which is made read-only after that."""
        argv: list[str] = []
        for path, content in files.items():
            argv += ["--perms", "0555", "--file", handed.content(content), f"{BOT}/{path}"]
        return argv

    def _bound(self, most: Mapping[str, int]) -> list[str]:
        """Return the command that sets limits inside, where they count only the processes of this sandbox."""
        return ["--", self.prlimit, *(f"--{key}={allowed(key, value)}" for key, value in most.items()), "--"]
