"""Run bots in bubblewrap: new namespaces, read-only binds, no capability, no network, no /proc.

A filter of system calls allows threads and no processes.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from arena.runner.languages.base import BOT, KIT, Toolchain, Tree
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox import warm_pool
from arena.runner.sandbox.base import SandboxError
from arena.runner.sandbox.build import (
    BUILD_LIMITS,
    BUILD_OPTIONS,
    SCRATCH_ENVIRONMENT,
    BuildProcess,
    build_script_command,
)
from arena.runner.sandbox.bwrap_process import (
    HANDSHAKE_COMMAND,
    BwrapProcess,
    PassedDescriptors,
    check_exit_code,
    find_first_child,
    kill_all,
)
from arena.runner.sandbox.mounts import ENVIRONMENT, SYSTEM_FOLDERS, build_run_command, check_language
from arena.runner.sandbox.rlimits import cap_limit, compute_limits, compute_resident_limit
from arena.runner.sandbox.runtime_files import RuntimeFiles
from arena.runner.sandbox.seccomp import build_filter
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
compile_filter_for = cache(build_filter)


def build_filter_options(purpose: str, passed_fds: PassedDescriptors) -> list[str]:
    """Return the options that install the filter of system calls for a purpose."""
    return ["--seccomp", passed_fds.add_file(compile_filter_for(purpose))]


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
    runtimes: Mapping[str, RuntimeFiles] = field(default_factory=dict)
    """By language, the files of this machine that bots see. Bots of other languages see all of SYSTEM_FOLDERS."""
    name: str = "bwrap"
    level: str = "A"
    uses_warm_pool: bool = True
    """Whether the self-test found processes of the warm pool as secure as others."""
    _warm_pool: WarmPool = field(default_factory=WarmPool, init=False, compare=False, repr=False)

    def start(self, program: Program, limits: Limits) -> BwrapProcess:
        """Start a bot, in a process of the warm pool where one fits. Raises SandboxError."""
        check_language(self.languages, program.language)
        return self._warm_pool.take(program, limits, compile_filter_for("play")) or self._start(program, limits)

    def _start(self, program: Program, limits: Limits) -> BwrapProcess:
        run = self.languages[program.language].run
        try:
            with PassedDescriptors() as passed_fds:
                files = self._list_file_options(program.files, passed_fds)
                limits_command = self._list_limit_options(compute_limits(limits, run))
                argv = [
                    *self._base_options(run.environment, self._run_mounts(program.language)),
                    *files,
                    *READ_ONLY_ROOT_OPTIONS,
                    *build_filter_options("play", passed_fds),
                    *limits_command,
                    *HANDSHAKE_COMMAND,
                    *build_run_command(run, limits),
                ]
                process = BwrapProcess(argv, passed_fds.fds, compute_resident_limit(limits, run))
            process.complete_handshake()
            return process
        except OSError as error:
            raise SandboxError(f"a sandbox could not be started: {error}") from error

    def build(self, program: Program) -> tuple[Program, str]:
        """Build a program. Raises BuildError and SandboxError."""
        check_language(self.languages, program.language)
        build = self.languages[program.language].build
        if build is None:
            return program, ""
        try:
            with PassedDescriptors() as passed_fds:
                environment = {**SCRATCH_ENVIRONMENT, **build.environment}
                base = self._base_options(environment, _list_system_mounts(build.trees))
                files = self._list_file_options(program.files, passed_fds)
                argv = [
                    *base,
                    *BUILD_OPTIONS,
                    *files,
                    *READ_ONLY_ROOT_OPTIONS,
                    *build_filter_options("build", passed_fds),
                    *self._list_limit_options(BUILD_LIMITS),
                    *build_script_command(build),
                ]
                done = BuildProcess(argv, {}, passed_fds.fds).run(find_first_child, kill_all)
        except OSError as error:
            raise SandboxError(f"a program could not be built: {error}") from error
        if not done.has_started:
            raise SandboxError(f"bubblewrap did not get as far as building: {done.log}")
        return done.program(program, build.artefact, 0 if done.stop_reason else check_exit_code(done.code, done.log))

    def fill_warm_pool(self, language: str, limits: Limits, count: int) -> None:
        """Fill the warm pool."""
        if self.uses_warm_pool and language == warm_pool.LANGUAGE and language in self.languages:
            self._warm_pool.fill(limits, count, lambda: self._start_warm_process(limits))

    def close(self) -> None:
        """End what is in the warm pool."""
        self._warm_pool.close()

    def _start_warm_process(self, limits: Limits) -> WarmProcess:
        run = self.languages[warm_pool.LANGUAGE].run
        most = compute_limits(limits, replace(run, spare_mb=run.spare_mb + warm_pool.IMPORTS_MB)) | {
            "fsize": warm_pool.MAX_PROGRAM_BYTES
        }
        try:
            with PassedDescriptors() as passed_fds:
                handover = Handover(passed_fds)
                arguments = warm_pool.build_warm_command(build_run_command(run, limits), *handover.arguments)
                argv = [
                    *self._base_options(run.environment, self._run_mounts(warm_pool.LANGUAGE)),
                    *warm_pool.BOT_FOLDER_OPTIONS,
                    *READ_ONLY_ROOT_OPTIONS,
                    *self._list_limit_options(most),
                    *arguments,
                ]
                return WarmProcess(argv, passed_fds, handover, compute_resident_limit(limits, run))
        except OSError as error:
            raise SandboxError(f"a process of the warm pool could not be started: {error}") from error

    def _base_options(self, environment: Mapping[str, str], mounts: Sequence[str]) -> list[str]:
        become = (
            [self.setpriv, f"--reuid={SANDBOX_USER_ID}", f"--regid={SANDBOX_USER_ID}", "--clear-groups", "--"]
            if self.setpriv
            else []
        )
        return [
            *(*become, self.bwrap, *NAMESPACE_OPTIONS),
            *(part for key, value in {**ENVIRONMENT, **environment}.items() for part in ("--setenv", key, value)),
            *("--ro-bind", self.library, KIT),
            *mounts,
        ]

    def _run_mounts(self, language: str) -> list[str]:
        """Return the options that show a bot of this language what it runs on."""
        if language not in self.runtimes:
            return _list_system_mounts(self.languages[language].run.trees)
        mounts = self.runtimes[language].list_mounts()
        return [part for host, inside in mounts for part in ("--ro-bind", host, inside)]

    def _list_file_options(self, files: Mapping[str, bytes], passed_fds: PassedDescriptors) -> list[str]:
        """Return the options that copy files into the root, which is made read-only after that."""
        argv: list[str] = []
        for path, content in files.items():
            argv += ["--perms", "0555", "--file", passed_fds.add_file(content), f"{BOT}/{path}"]
        return argv

    def _list_limit_options(self, most: Mapping[str, int]) -> list[str]:
        """Return the command that sets limits inside, where they count only the processes of this sandbox."""
        return ["--", self.prlimit, *(f"--{key}={cap_limit(key, value)}" for key, value in most.items()), "--"]


def _list_system_mounts(trees: Sequence[Tree]) -> list[str]:
    """Return the options that show the programs and libraries of this machine, and these folders."""
    view = []
    for folder in SYSTEM_FOLDERS:
        if os.path.islink(folder):
            view += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            view += ["--ro-bind", folder, folder]
    for tree in trees:
        view += ["--ro-bind", tree.host, tree.inside]
    return view
