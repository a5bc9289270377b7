"""Run a compiler in a sandbox, supervised from outside, and run trusted bots without a sandbox."""

import contextlib
import os
import select
import signal
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, perf_counter

from arena.runner.bot_packages import choose_run
from arena.runner.languages import BOT, KIT, Build, Toolchain
from arena.runner.program import FREE_MS_PER_ANSWER, PARAMETERS_FILE, Limits, Program
from arena.runner.protocol import make_visible
from arena.runner.sandbox.base import (
    ENVIRONMENT,
    BuildError,
    SandboxError,
    build_run_command,
    check_language,
    check_packages,
    map_trees,
    read_exit,
    translate_paths,
)
from arena.runner.sandbox.files import FIXED_LIMITS, MIB
from arena.runner.sandbox.process import ChildProcess, measure_stall, start_with_pipes
from engine.message import Message, gettext_noop, message

# Run a compiler in a sandbox, supervise it from outside, and read its file and its log through pipes.

MAX_BUILD_CPU_S = 10.0
"""CPU time of all processes of a build together."""
BUILD_CPU_SPARE_S = 5
"""Seconds by which the kernel's limit is higher, so that it only ends what the watch of a busy machine sees too late.

Its signal, SIGXCPU, says which limit that was; a second later comes SIGKILL, which doesn't.
"""
MAX_BUILD_WALL_S = 120.0
"""Much longer than the CPU time, since a busy machine isn't the bot's fault: this only ends builds that wait."""
BUILD_CHECK_INTERVAL_S = 0.05
"""Interval at which time and memory are checked."""
MAX_ARTEFACT_BYTES = 16 * MIB
MAX_LOG_KEPT_BYTES = 64 * 1024
"""The start of the log is kept, because the first error matters most."""
MAX_BUILD_LOG_BYTES = 4 * MIB
SCRATCH_BYTES = 64 * MIB
MAX_BUILD_MEMORY_BYTES = 1024 * MIB
"""Bytes that all processes of a build may have in memory together."""
BUILD_CHUNK_BYTES = 64 * 1024
END_TIMEOUT_S = 2.0
"""Time that killed processes have to end."""
SCRIPT_TEMPLATE = 'echo; read -r go || exit 1\nexec 3>&1 1>&2\n{script}\nexec cat "$TMPDIR/artefact" >&3\n'
"""Script with the handshake of bots. The output of the build goes to the log, its file to stdout."""
BUILD_LIMITS = {
    **FIXED_LIMITS,
    "as": 32 * 1024 * MIB,
    "cpu": int(MAX_BUILD_CPU_S) + BUILD_CPU_SPARE_S,
    "data": MAX_BUILD_MEMORY_BYTES,
    "fsize": SCRATCH_BYTES,
    "nofile": 256,
    "nproc": 64,
}
"""Resource limits of each process of a build, by the names of `prlimit`."""
SCRATCH_FOLDER = "/tmp"
SCRATCH_ENVIRONMENT = {"HOME": SCRATCH_FOLDER, "TMPDIR": SCRATCH_FOLDER}
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
"""Go needs the first; without the others Java takes seconds to collect random numbers."""
BUILD_OPTIONS = (
    *(part for device in DEVICES for part in ("--dev-bind", device, device)),
    *("--perms", "0700", "--size", str(SCRATCH_BYTES), "--tmpfs", SCRATCH_FOLDER),
)
"""Options of bubblewrap for a build: everything writable disappears when it ends."""
BYTES_PER_KIB = 1024
PAGE_BYTES, TICKS_PER_S = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")


def build_script_command(build: Build) -> list[str]:
    """Return the command that runs a build's script."""
    return ["/bin/sh", "-e", "-c", SCRIPT_TEMPLATE.format(script=build.script)]


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The result of a build."""

    artefact: bytes
    log: str
    """First 64 KiB of the compiler's output."""
    stop_reason: Message | None
    """Why the build was stopped early; None if it ended by itself."""
    code: int
    """Exit code of the process that was started."""
    has_started: bool
    """Whether the build script was started."""

    def program(self, source: Program, path: str, code: int) -> tuple[Program, str]:
        """Return the built program, with its file at that path, and the log. Raises BuildError."""
        reason, ending = self.stop_reason, read_exit(code)
        if reason is None and ending.signal == "SIGXCPU":
            reason = describe_cpu_excess()
        elif reason is None and code:
            reason = ending.describe(
                gettext_noop("The compiler exited with code %(code)s."),
                gettext_noop("The compiler was killed by %(signal)s."),
            )
        elif reason is None and not self.artefact:
            reason = message(gettext_noop("The compiler produced an empty file."))
        if reason is not None:
            raise BuildError(reason, self.log)
        parameters = {name: content for name, content in source.files.items() if name == PARAMETERS_FILE}
        return replace(source, files={path: self.artefact, **parameters}), self.log


class BuildProcess:
    """One build, supervised from outside."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], fds: Sequence[int], cwd: str = "/") -> None:
        self._child = start_with_pipes(argv, environment, fds, cwd)
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._stdin = self._child.stdin
        self._artefact, self._log = bytearray(), bytearray()
        self._log_bytes = 0
        self._has_started = False
        self._stdout, self._stderr = self._child.stdout.fileno(), self._child.stderr.fileno()
        self._open = {self._stdout, self._stderr}
        self._poll = select.poll()
        for fd in self._open:
            self._poll.register(fd, select.POLLIN)

    def run(self, top: Callable[[int], int | None], kill: Callable[[int], None]) -> BuildResult:
        """Run the build to its end. All its processes have ended when this returns or raises.

        `top` returns the topmost process of the build, given the one that was started; `kill` kills all of them.
        """
        try:
            stopped = self._watch(lambda: top(self._child.pid))
        finally:
            self._end(kill)
        log = make_visible(self._log.decode(errors="replace"))
        return BuildResult(bytes(self._artefact), log, stopped, self._child.returncode, self._has_started)

    def _watch(self, top: Callable[[], int | None]) -> Message | None:
        """Read until the end of the build. Return the limit that was exceeded before, or None."""
        started = look_at = monotonic()
        while self._open:
            for fd, _ in self._poll.poll(BUILD_CHECK_INTERVAL_S * 1000):
                self._read(fd)
            if len(self._artefact) > MAX_ARTEFACT_BYTES:
                return message(gettext_noop("The program is larger than %(mib)s MiB."), mib=MAX_ARTEFACT_BYTES // MIB)
            if self._log_bytes > MAX_BUILD_LOG_BYTES:
                return message(
                    gettext_noop("The build wrote more than %(mib)s MiB to the log."), mib=MAX_BUILD_LOG_BYTES // MIB
                )
            now = monotonic()
            if now > look_at + BUILD_CHECK_INTERVAL_S:
                started += measure_stall(look_at + BUILD_CHECK_INTERVAL_S, now)
                look_at = now
                reason = find_excess(top(), now - started)
                if reason is not None:
                    return reason
        return None

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, BUILD_CHUNK_BYTES)
        if not chunk:
            self._poll.unregister(fd)
            self._open.discard(fd)
        elif fd == self._stdout and not self._stdin.closed:
            self._has_started = True
            with contextlib.suppress(BrokenPipeError), self._stdin:
                self._stdin.write(chunk)
        elif fd == self._stdout:
            self._artefact += chunk
        else:
            self._log += chunk[: MAX_LOG_KEPT_BYTES - len(self._log)]
            self._log_bytes += len(chunk)

    def _end(self, kill: Callable[[int], None]) -> None:
        if not self._open:
            self._await_exit()
        kill(self._child.pid)
        self._child.wait()
        deadline = monotonic() + END_TIMEOUT_S
        while self._open and monotonic() < deadline:
            for fd, _ in self._poll.poll(BUILD_CHECK_INTERVAL_S * 1000):
                self._read(fd)
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            assert stream is not None
            stream.close()

    def _await_exit(self) -> None:
        """Wait for the exit without reaping the process, so that its id can't be reused before it is killed."""
        poll, pidfd = select.poll(), os.pidfd_open(self._child.pid)
        poll.register(pidfd, select.POLLIN)
        poll.poll(END_TIMEOUT_S * 1000)
        os.close(pidfd)


def find_excess(top: int | None, wall_s: float) -> Message | None:
    """Return which limit a build exceeds, or None."""
    memory, cpu_s = measure_usage(top)
    if wall_s > MAX_BUILD_WALL_S:
        return message(gettext_noop("The build took longer than %(seconds)s s."), seconds=round(MAX_BUILD_WALL_S))
    if cpu_s > MAX_BUILD_CPU_S:
        return describe_cpu_excess()
    if memory > MAX_BUILD_MEMORY_BYTES:
        return message(
            gettext_noop("The build used more than %(mib)s MiB of memory."), mib=MAX_BUILD_MEMORY_BYTES // MIB
        )
    return None


def describe_cpu_excess() -> Message:
    """Say that a build used too much processor time."""
    template = gettext_noop("The build used more than %(seconds)s s of CPU time.")
    return message(template, seconds=round(MAX_BUILD_CPU_S))


def measure_usage(top: int | None) -> tuple[int, float]:
    """Return the memory in bytes and the CPU seconds of a process and all below it.

    Shared memory counts for each process. Page tables count too, since they are most of the memory of a process that
    touches little of a large address space. CPU time of children that have ended is included. proc_pid_stat(5).
    """
    memory, ticks = 0, 0
    waiting = [] if top is None else [top]
    while waiting:
        process = Path("/proc", str(waiting.pop()))
        with contextlib.suppress(OSError):
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            memory += int(fields[21]) * PAGE_BYTES + measure_page_tables(process)
            ticks += sum(map(int, fields[11:15]))
            for task in (process / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return memory, ticks / TICKS_PER_S


def measure_children_cpu_s(parent: int) -> float:
    """Return the CPU seconds of all processes below this one, also of those that have ended. See proc_pid_stat(5)."""
    ended_ticks, running_s = 0, 0.0
    process = Path("/proc", str(parent))
    with contextlib.suppress(OSError):
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        ended_ticks = sum(map(int, fields[13:15]))
        for task in (process / "task").iterdir():
            running_s += sum(measure_usage(int(child))[1] for child in (task / "children").read_text().split())
    return ended_ticks / TICKS_PER_S + running_s


def measure_page_tables(process: Path) -> int:
    """Return the size of a process's page tables in bytes. See proc_pid_status(5)."""
    lines = (process / "status").read_text().splitlines()
    return sum(int(line.split()[1]) * BYTES_PER_KIB for line in lines if line.startswith("VmPTE:"))


# Run trusted bots without a sandbox.


class UnsandboxedProcess(ChildProcess):
    """A bot that runs as this user. It pays for the processes that it starts, too."""

    stops_between_answers = False
    """Not stopped between answers: a stopped process would outlive a killed arena."""

    def __init__(
        self, folder: "tempfile.TemporaryDirectory[str]", argv: Sequence[str], environment: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self._children_cpu_s = 0.0
        super().__init__(argv, environment, cwd=folder.name)

    def _find_bot(self) -> int | None:
        return self._child.pid

    def _exit_code(self) -> int:
        return self._child.returncode

    def _read_cpu_s(self) -> float:
        if self._cpu_clock is None:
            return self._cpu_before
        if (perf_counter() - self._asked) * 1000 > FREE_MS_PER_ANSWER:  # looking for children takes a while
            self._children_cpu_s = max(self._children_cpu_s, measure_children_cpu_s(self._child.pid))
        return super()._read_cpu_s() + self._children_cpu_s

    def _kill(self) -> None:
        kill_session(self._child.pid)

    def _release(self) -> None:
        self._kill()
        super()._release()
        self._folder.cleanup()


def kill_session(leader: int) -> None:
    """Kill the processes of a session. Without a sandbox, processes that left it can't be found."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Unsandboxed:
    """Run bots as the current user, with all permissions of that user and no limit of memory or processes."""

    library: str
    languages: Mapping[str, Toolchain]
    name: str = "bare"
    level: str = "bare"

    def start(self, program: Program, limits: Limits) -> UnsandboxedProcess:
        """Start a bot. Raises SandboxError."""
        check_language(self.languages, program.language)
        check_packages(self.languages, program)
        run = choose_run(self.languages[program.language], program.packages)
        with ExitStack() as undo:
            try:
                folder = tempfile.TemporaryDirectory(prefix="pennant-bot-")
                undo.callback(folder.cleanup)
                _write(program.files, Path(folder.name))
                places = {BOT: folder.name, KIT: self.library, **map_trees(run.all_trees)}
                environment = {
                    key: translate_paths(value, places) for key, value in {**ENVIRONMENT, **run.environment}.items()
                }
                process = UnsandboxedProcess(
                    folder, [translate_paths(word, places) for word in build_run_command(run, limits)], environment
                )
            except OSError as error:
                raise SandboxError(f"a bot could not be started: {error}") from error
            undo.pop_all()
            return process

    def build(self, program: Program) -> tuple[Program, str]:
        """Build a program. Raises BuildError and SandboxError."""
        check_language(self.languages, program.language)
        build = self.languages[program.language].build
        if build is None:
            return program, ""
        with tempfile.TemporaryDirectory(prefix="pennant-build-") as folder:
            sources, scratch = Path(folder, "bot"), Path(folder, "tmp")
            places = {BOT: str(sources), KIT: self.library, **map_trees(build.trees)}
            given = {**ENVIRONMENT, "HOME": str(scratch), "TMPDIR": str(scratch), **build.environment}
            environment = {key: translate_paths(value, places) for key, value in given.items()}
            try:
                scratch.mkdir()
                _write(program.files, sources)
                done = BuildProcess(
                    [translate_paths(word, places) for word in build_script_command(build)],
                    environment,
                    (),
                    str(sources),
                ).run(int, kill_session)
            except OSError as error:
                raise SandboxError(f"a program could not be built: {error}") from error
        return done.program(program, build.artefact, done.code)

    def fill_warm_pool(self, language: str, limits: Limits, count: int, packages: Collection[str] = ()) -> None:
        """Do nothing: there is no warm pool without a sandbox."""

    def close(self) -> None:
        """Do nothing: no process waits."""


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o555)
