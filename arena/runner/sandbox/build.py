"""Run a compiler in a sandbox, supervise it from outside, and read its file and its log through pipes."""

import contextlib
import os
import select
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from arena.runner.languages.base import Build
from arena.runner.program import PARAMETERS_FILE, Program
from arena.runner.sandbox.base import BuildError
from arena.runner.sandbox.process import read_exit, start_with_pipes
from arena.runner.sandbox.rlimits import FIXED_LIMITS, MIB
from arena.runner.sandbox.stalls import measure_stall
from arena.runner.text import make_visible
from engine.message import Message, gettext_noop, message

MAX_BUILD_CPU_S = 10.0
"""CPU time of all processes of a build together."""
MAX_BUILD_WALL_S = 40.0
"""Longer than the CPU time, since the machine may be busy."""
CHECK_INTERVAL_S = 0.05
"""Interval at which time and memory are checked."""
MAX_ARTEFACT_BYTES = 16 * MIB
MAX_LOG_KEPT_BYTES = 64 * 1024
"""The start of the log is kept, because the first error matters most."""
MAX_LOG_BYTES = 4 * MIB
SCRATCH_BYTES = 64 * MIB
MAX_BUILD_MEMORY_BYTES = 1024 * MIB
"""Bytes that all processes of a build may have in memory together."""
CHUNK_BYTES = 64 * 1024
END_TIMEOUT_S = 2.0
"""Time that killed processes have to end."""
SCRIPT_TEMPLATE = 'echo; read -r go || exit 1\nexec 3>&1 1>&2\n{script}\nexec cat "$TMPDIR/artefact" >&3\n'
"""Script with the handshake of bots. The output of the build goes to the log, its file to stdout."""
BUILD_LIMITS = {
    **FIXED_LIMITS,
    "as": 32 * 1024 * MIB,
    "cpu": int(MAX_BUILD_CPU_S),
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
        reason = self.stop_reason
        if reason is None and code:
            reason = read_exit(code).describe(
                gettext_noop("The compiler exited with code %(code)s."),
                gettext_noop("The compiler was ended by %(signal)s."),
            )
        elif reason is None and not self.artefact:
            reason = message(gettext_noop("The compiler made an empty file."))
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
            for fd, _ in self._poll.poll(CHECK_INTERVAL_S * 1000):
                self._read(fd)
            if len(self._artefact) > MAX_ARTEFACT_BYTES:
                return message(gettext_noop("The program is larger than %(mib)s MiB."), mib=MAX_ARTEFACT_BYTES // MIB)
            if self._log_bytes > MAX_LOG_BYTES:
                return message(gettext_noop("More than %(mib)s MiB were written to the log."), mib=MAX_LOG_BYTES // MIB)
            now = monotonic()
            if now > look_at + CHECK_INTERVAL_S:
                started += measure_stall(look_at + CHECK_INTERVAL_S, now)
                look_at = now
                reason = find_excess(top(), now - started)
                if reason is not None:
                    return reason
        return None

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, CHUNK_BYTES)
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
            for fd, _ in self._poll.poll(CHECK_INTERVAL_S * 1000):
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
        return message(gettext_noop("Building took longer than %(seconds)s s."), seconds=round(MAX_BUILD_WALL_S))
    if cpu_s > MAX_BUILD_CPU_S:
        return message(
            gettext_noop("Building took more than %(seconds)s s of processor time."), seconds=round(MAX_BUILD_CPU_S)
        )
    if memory > MAX_BUILD_MEMORY_BYTES:
        return message(
            gettext_noop("Building took more than %(mib)s MiB of memory."), mib=MAX_BUILD_MEMORY_BYTES // MIB
        )
    return None


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


def measure_page_tables(process: Path) -> int:
    """Return the size of a process's page tables in bytes. See proc_pid_status(5)."""
    lines = (process / "status").read_text().splitlines()
    return sum(int(line.split()[1]) * BYTES_PER_KIB for line in lines if line.startswith("VmPTE:"))
