"""Run bots in bubblewrap: new namespaces, read-only binds, and a pool of sandboxes started ahead of use."""

import contextlib
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import TracebackType

from arena.runner.bot_packages import choose_run, list_modules
from arena.runner.languages import BOT, KIT, PYTHON_ENTRY, Toolchain, Tree
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import (
    ENVIRONMENT,
    SYSTEM_FOLDERS,
    SandboxError,
    build_run_command,
    check_language,
    check_packages,
    read_exit,
)
from arena.runner.sandbox.build import (
    BUILD_LIMITS,
    BUILD_OPTIONS,
    SCRATCH_ENVIRONMENT,
    BuildProcess,
    build_script_command,
)
from arena.runner.sandbox.files import MIB, RuntimeFiles, cap_limit, compute_limits, compute_resident_limit
from arena.runner.sandbox.process import ChildProcess, OverdueError
from arena.runner.sandbox.seccomp import build_filter, choose_purpose
from engine.registry import PACKAGES

# Control a process inside bubblewrap: pass it descriptors, find it from outside, read its exit code and kill it.

HANDSHAKE_COMMAND = ("/bin/sh", "-c", 'echo; read -r go || exit 1; exec "$@"', "sh")
"""Command that prints a line, waits for one from the arena and runs its arguments.

If the arena was killed meanwhile, the process ends: bubblewrap notices the end of its parent only once it is set up."""
HANDSHAKE_TIMEOUT_S = 10.0


class PassedDescriptors:
    """File descriptors for a process about to be started. The arena's copies are closed on exit."""

    def __init__(self) -> None:
        self.fds: list[int] = []
        self.on_failure: list[Callable[[], None]] = []
        """Callbacks that close what belongs to the new process, if it could not be started."""

    def __enter__(self) -> "PassedDescriptors":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        for fd in self.fds:
            os.close(fd)
        if kind is not None:
            for close in self.on_failure:
                close()

    def add_file(self, content: bytes) -> str:
        """Return the number of a descriptor of an unnamed file with this content."""
        fd = os.memfd_create("bot", os.MFD_CLOEXEC)
        self.fds.append(fd)
        with open(fd, "wb", closefd=False) as copy:
            copy.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        return str(fd)

    def add_pair(self) -> tuple[str, str]:
        """Return the numbers of the descriptors of a new pair of sockets."""
        self.fds += [end.detach() for end in socket.socketpair()]
        return str(self.fds[-2]), str(self.fds[-1])


def kill_all(bubblewrap: int) -> None:
    """Kill a bubblewrap that hasn't been reaped, and all processes inside.

    Its init process dies with it only once the sandbox is set up. Before that, init is killed by its own id, which is
    not reused while bubblewrap is stopped.
    """
    with contextlib.suppress(ProcessLookupError):
        os.kill(bubblewrap, signal.SIGSTOP)
        os.waitid(os.P_PID, bubblewrap, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        init = find_first_child(bubblewrap)
        if init is not None:
            os.kill(init, signal.SIGKILL)
        os.kill(bubblewrap, signal.SIGKILL)


def find_first_child(pid: int) -> int | None:
    """Return the first child of a process, if the kernel lists children."""
    try:
        listing = os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY)
    except OSError:
        return None
    try:
        children = os.read(listing, 4096).split()
    finally:
        os.close(listing)
    return int(children[0]) if children else None


def check_exit_code(bubblewrap: int, log: str) -> int:
    """Return the exit code of the program inside. Raises SandboxError if bubblewrap was killed by a signal."""
    if bubblewrap < 0:
        raise SandboxError(f"bubblewrap {read_exit(bubblewrap)}: {log}")
    return bubblewrap


class BwrapProcess(ChildProcess):
    """A bot inside bubblewrap."""

    def __init__(self, argv: Sequence[str], pass_fds: Sequence[int], memory_bytes: int, max_pipes: int = 0) -> None:
        super().__init__(argv, {}, pass_fds, memory_bytes=memory_bytes, max_pipes=max_pipes)

    def _find_bot(self) -> int | None:
        """Return the first child of the init process inside: orphans come after it."""
        init = find_first_child(self._child.pid)
        return init and find_first_child(init)

    def complete_handshake(self) -> None:
        """Wait until the sandbox is set up, then start the bot. Time used before that is not charged to the bot.

        Raises SandboxError after closing the process.
        """
        try:
            passed = self._await_handshake()
        except OSError as error:
            self.close()
            raise SandboxError(f"a bot could not be started: {error}") from error
        if not passed:
            self.close()
            raise SandboxError(f"bubblewrap did not get as far as the bot: {self.stderr()}")

    def _await_handshake(self) -> bool:
        stdin, stdout = (stream.fileno() for stream in self._streams[:2])
        poll = select.poll()
        poll.register(stdout, select.POLLIN)
        if not poll.poll(HANDSHAKE_TIMEOUT_S * 1000) or not os.read(stdout, 1):
            return False
        self._start_counting()
        os.write(stdin, b"\n")
        return True

    def _exit_code(self) -> int:
        return check_exit_code(self._child.returncode, self.stderr())

    def _kill(self) -> None:
        if self._child.poll() is None:
            kill_all(self._child.pid)


# Start sandboxes ahead of use: an interpreter waits inside, with its imports done, and becomes one bot.
#
# What a bot sees and may do is the same as in a sandbox started for it: its files are written and made read-only, and
# the filter of system calls is installed before its first line runs. Only the start of the interpreter is saved.

LANGUAGE = "python"
WARM_START_SCRIPT = f"{KIT}/pennant_warm_start.py"
COLD_START_SCRIPT = f"{KIT}/pennant_cold_start.py"
IMPORTS_MB = 6
"""Memory of the modules imported ahead, which does not count against the bot's limit."""
MAX_PROGRAM_BYTES = 2 * MIB
"""Size of a program that an interpreter at its memory limit can still write to its folder."""
BOT_FOLDER_OPTIONS = (
    # To make the folder read-only, and to give up both capabilities with that for ever.
    *("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"),
    *("--perms", "0755", "--size", str(4 * MAX_PROGRAM_BYTES), "--tmpfs", BOT),
)
"""Options of bubblewrap for the bot's folder, which is filled later."""
IMPORTED_NAMES = (
    sys.stdlib_module_names
    | {"pennant_kit", "engine", "pennant_warm_start", "pennant_start"}
    | {package.name for package in PACKAGES.values()}
)


def is_suitable(program: Program, modules: Collection[str] = ()) -> bool:
    """Return whether a program can run in a warm process: none of its files has the name of an imported module.

    `modules` are those of packages that are imported for it.
    """
    names = {path.partition("/")[0].partition(".")[0] for path in program.files}
    size = sum(map(len, program.files.values()))
    is_small = program.language == LANGUAGE and size <= MAX_PROGRAM_BYTES
    return is_small and not names & IMPORTED_NAMES and names.isdisjoint(modules)


def build_start_command(argv: Sequence[str], script: str, *descriptors: str) -> list[str]:
    """Return the command of a program in Python, with a script that starts it in place of its entry file."""
    at = argv.index(f"{BOT}/{PYTHON_ENTRY}")
    return [*argv[:at], script, *descriptors, *argv[at + 1 :]]


class Handover:
    """The arena's end of the handover of a program to a warm process; `warm_start.py` is the other end."""

    def __init__(self, passed_fds: PassedDescriptors) -> None:
        self._parcel = os.memfd_create("parcel", os.MFD_CLOEXEC)
        passed_fds.on_failure.append(self.close)
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._has_confirmed_restrictions = False
        passed_fds.fds += [theirs.detach(), os.dup(self._parcel)]
        self.arguments = [str(fd) for fd in passed_fds.fds[-2:]]

    def send(self, parts: Iterable[bytes]) -> None:
        """Write the program for the warm process. Raises OSError if that has ended."""
        with open(self._parcel, "wb", closefd=False) as parcel:
            for part in parts:
                parcel.write(len(part).to_bytes(8, "little") + part)
        self._ours.send(b"1")

    def has_confirmed_restrictions(self) -> bool:
        """Return whether the process confirmed that all restrictions hold; no line of the bot runs before that."""
        if not self._has_confirmed_restrictions:
            with contextlib.suppress(OSError):
                self._has_confirmed_restrictions = self._ours.recv(1) == b"1"
        return self._has_confirmed_restrictions

    def close(self) -> None:
        """Close the descriptors."""
        if self._parcel >= 0:
            os.close(self._parcel)
            self._parcel = -1
            self._ours.close()


class WarmProcess(BwrapProcess):
    """A process that becomes a bot when it receives its program."""

    def __init__(
        self, argv: Sequence[str], passed_fds: PassedDescriptors, handover: Handover, memory_bytes: int
    ) -> None:
        self._handover = handover
        super().__init__(argv, passed_fds.fds, memory_bytes)

    def is_alive(self) -> bool:
        """Return whether the process is alive."""
        return self._child.poll() is None

    def load_program(self, files: Mapping[str, bytes], instructions: bytes) -> bool:
        """Send a program and its filter of system calls. Return False if the process has died while it waited."""
        if not self.is_alive():
            return False
        try:
            self._handover.send([instructions, *(part for path in files for part in (path.encode(), files[path]))])
        except OSError:
            return False
        self._start_counting()
        return True

    def _check_clocks(self, now: float) -> None:
        try:
            super()._check_clocks(now)
        except OverdueError:
            self._check()
            raise

    def _exit_code(self) -> int:
        self._check()
        return super()._exit_code()

    def _check(self) -> None:
        if not self._handover.has_confirmed_restrictions():
            raise SandboxError(f"a warm process did not become a bot: {self._pipes.log.decode(errors='replace')}")

    def _release(self) -> None:
        super()._release()
        self._handover.close()


WarmKey = tuple[Limits, tuple[str, ...]]
"""Limits, and the names of the packages that are imported ahead."""


class WarmPool:
    """Waiting processes, by the limits they were started with and the packages they import. A pickled pool is empty."""

    def __init__(self) -> None:
        self._waiting: dict[WarmKey, list[WarmProcess]] = {}

    def __reduce__(self) -> tuple[type["WarmPool"], tuple[()]]:
        return WarmPool, ()

    def fill(self, key: WarmKey, count: int, start: Callable[[], WarmProcess]) -> None:
        """Start processes until `count` wait under this key, not counting those that have died."""
        waiting = self._waiting.setdefault(key, [])
        for process in [process for process in waiting if not process.is_alive()]:
            waiting.remove(process)
            process.close()
        while len(waiting) < count:
            waiting.append(start())

    def take(self, key: WarmKey, program: Program, instructions: bytes) -> WarmProcess | None:
        """Load this program into the process that has waited longest, and return it; None if there is none."""
        waiting = self._waiting.get(key, [])
        while waiting:
            process = waiting.pop(0)
            if process.load_program(program.files, instructions):
                return process
            process.close()
        return None

    def close(self) -> None:
        """End all waiting processes."""
        for waiting in self._waiting.values():
            while waiting:
                waiting.pop().close()


# Run bots in bubblewrap: new namespaces, read-only binds, no capability, no network, no /proc.
#
# A filter of system calls allows threads and no processes.

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
        check_packages(self.languages, program)
        modules = list_modules(self.languages[program.language], program.packages)
        if is_suitable(program, modules):
            key = (limits, tuple(sorted(program.packages)))
            if (process := self._warm_pool.take(key, program, compile_filter_for("play"))) is not None:
                return process
        return self._start(program, limits)

    def _start(self, program: Program, limits: Limits) -> BwrapProcess:
        run = choose_run(self.languages[program.language], program.packages)
        try:
            with PassedDescriptors() as passed_fds:
                files = self._list_file_options(program.files, passed_fds)
                command = build_run_command(run, limits)
                if program.language == LANGUAGE:
                    pair = passed_fds.add_pair()
                    command = build_start_command(command, COLD_START_SCRIPT, *pair)
                limits_command = self._list_limit_options(compute_limits(limits, run))
                argv = [
                    *self._base_options(run.environment, self._run_mounts(program.language)),
                    *files,
                    *READ_ONLY_ROOT_OPTIONS,
                    *build_filter_options(choose_purpose(run), passed_fds),
                    *limits_command,
                    *HANDSHAKE_COMMAND,
                    *command,
                ]
                process = BwrapProcess(argv, passed_fds.fds, compute_resident_limit(limits, run), run.max_pipes)
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
                    *self._list_limit_options(BUILD_LIMITS, cpu_spare_s=1),
                    *build_script_command(build),
                ]
                done = BuildProcess(argv, {}, passed_fds.fds).run(find_first_child, kill_all)
        except OSError as error:
            raise SandboxError(f"a program could not be built: {error}") from error
        if not done.has_started:
            raise SandboxError(f"bubblewrap did not get as far as building: {done.log}")
        return done.program(program, build.artefact, 0 if done.stop_reason else check_exit_code(done.code, done.log))

    def fill_warm_pool(self, language: str, limits: Limits, count: int, packages: Collection[str] = ()) -> None:
        """Fill the warm pool."""
        if self.uses_warm_pool and language == LANGUAGE and language in self.languages:
            key = (limits, tuple(sorted(packages)))
            self._warm_pool.fill(key, count, lambda: self._start_warm_process(*key))

    def close(self) -> None:
        """End what is in the warm pool."""
        self._warm_pool.close()

    def _start_warm_process(self, limits: Limits, packages: Collection[str]) -> WarmProcess:
        run = choose_run(self.languages[LANGUAGE], packages)
        modules = list_modules(self.languages[LANGUAGE], packages)
        most = compute_limits(limits, replace(run, spare_mb=run.spare_mb + IMPORTS_MB)) | {"fsize": MAX_PROGRAM_BYTES}
        try:
            with PassedDescriptors() as passed_fds:
                handover = Handover(passed_fds)
                command = build_run_command(run, limits)
                arguments = build_start_command(command, WARM_START_SCRIPT, *handover.arguments, ",".join(modules))
                argv = [
                    *self._base_options(run.environment, self._run_mounts(LANGUAGE)),
                    *BOT_FOLDER_OPTIONS,
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
            return _list_system_mounts(self.languages[language].run.all_trees)
        mounts = self.runtimes[language].list_mounts()
        if (packages := self.languages[language].run.packages) is not None:
            mounts.append((packages.host, packages.inside))
        return [part for host, inside in mounts for part in ("--ro-bind", host, inside)]

    def _list_file_options(self, files: Mapping[str, bytes], passed_fds: PassedDescriptors) -> list[str]:
        """Return the options that copy files into the root, which is made read-only after that."""
        argv: list[str] = []
        for path, content in files.items():
            argv += ["--perms", "0555", "--file", passed_fds.add_file(content), f"{BOT}/{path}"]
        return argv

    def _list_limit_options(self, most: Mapping[str, int], cpu_spare_s: int = 0) -> list[str]:
        """Return the command that sets limits inside, where they count only the processes of this sandbox.

        At the limit of processor time comes SIGKILL, or SIGXCPU if there is something to spare until then.
        """
        hard = {key: value + (cpu_spare_s if key == "cpu" else 0) for key, value in most.items()}
        pairs = {key: (cap_limit(key, value), cap_limit(key, hard[key])) for key, value in most.items()}
        return ["--", self.prlimit, *(f"--{key}={soft}:{most}" for key, (soft, most) in pairs.items()), "--"]


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
