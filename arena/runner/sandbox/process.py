"""Run a bot as a child process: ask it over pipes, stop it between requests, and end it with its children."""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fcntl import ioctl
from functools import partial
from math import inf
from termios import FIONREAD
from time import clock_gettime, perf_counter, sleep

from arena.runner.program import WALL_TIME_FACTOR
from arena.runner.protocol import MAX_LINE_BYTES, format_binary, make_visible
from arena.runner.sandbox.base import (
    MAX_LOG_BYTES,
    MAX_LOG_KEPT_BYTES,
    TIMEOUT_TEMPLATES,
    BotError,
    BotExitedError,
    BotOverflowError,
    BotTimeoutError,
    SandboxError,
    describe_exit,
    describe_unasked,
    read_exit,
)
from arena.runner.sandbox.files import ResidentMemory
from arena.runner.sandbox.seccomp import PipeLimit
from engine.message import gettext_noop, message

# Exchange lines with a bot over three non-blocking pipes, with limits of time and size.

LINE_CHUNK_BYTES = MAX_LINE_BYTES + 1
MAX_EAGER_READS = 200
"""Number of reads of one answer before the arena pauses between them, to limit the cost of an answer in small parts."""
READ_PAUSE_S = 0.001
WaitLimit = Callable[[], float]
"""Function that returns how many seconds the next wait may last. Raises OverdueError."""


class OverdueError(Exception):
    """A bot has used up its time: `limit_ms` of wall time, or of CPU time."""

    def __init__(self, limit_ms: float, *, is_cpu_time: bool) -> None:
        super().__init__(limit_ms, is_cpu_time)
        self.limit_ms = round(limit_ms)
        self.is_cpu_time = is_cpu_time


class EndOfOutputError(Exception):
    """The bot has closed its end."""


class Pipes:
    """The arena's ends of a bot's stdin, stdout and stderr. The caller closes the descriptors."""

    def __init__(self, stdin: int, stdout: int, stderr: int) -> None:
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._poll = select.poll()
        for fd in (stdin, stdout, stderr):
            os.set_blocking(fd, False)
        for fd in (stdout, stderr):
            self._poll.register(fd, select.POLLIN)
        self._open = {stdout, stderr}
        self._output = b""
        self._unread = bytearray(4)
        self._log = bytearray()
        self._log_bytes = 0
        self._wait_count = 0

    @property
    def log(self) -> bytes:
        """The last 64 KiB of stderr so far."""
        return bytes(self._log[-MAX_LOG_KEPT_BYTES:])

    def check_unasked_output(self) -> None:
        """Check that nothing was written before a request. Raises BotOverflowError and UnexpectedOutputError."""
        if not self._output:
            ioctl(self._stdout, FIONREAD, self._unread)
            if not any(self._unread):
                return
            self._output = os.read(self._stdout, LINE_CHUNK_BYTES)
        if len(self._output) >= MAX_LINE_BYTES:
            template = gettext_noop("the bot wrote more than %(limit)s without being asked")
            raise BotOverflowError(message(template, limit=format_binary(MAX_LINE_BYTES)), self._output)
        raise describe_unasked(self._output)

    @property
    def unfinished(self) -> bytes:
        """Output since the last complete line."""
        return self._output

    def write(self, line: bytes) -> int:
        """Write what fits into the pipe now and return its length. Raises EndOfOutputError."""
        self._wait_count = 0
        try:
            return os.write(self._stdin, line)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise EndOfOutputError from None

    def write_rest(self, rest: bytes, wait_limit: WaitLimit) -> None:
        """Write the rest of a request as the bot reads. Raises EndOfOutputError, BotTimeoutError, BotOverflowError."""
        self._poll.register(self._stdin, select.POLLOUT)
        try:
            while rest:
                for fd, _ in self._wait(wait_limit, "read"):
                    if fd == self._stdin:
                        rest = rest[os.write(fd, rest) :]
                    else:
                        self._read(fd)
                        self._check_flood()
        except BrokenPipeError:
            raise EndOfOutputError from None
        finally:
            self._poll.unregister(self._stdin)

    def _check_flood(self) -> None:
        if len(self._output) > MAX_LINE_BYTES:
            template = gettext_noop("the bot wrote more than %(limit)s before it read the request")
            raise BotOverflowError(message(template, limit=format_binary(MAX_LINE_BYTES)), self._output)

    def read_line(self, wait_limit: WaitLimit) -> bytes:
        """Return the next line without its newline. Raises EndOfOutputError, BotTimeoutError, BotOverflowError."""
        while True:
            for fd, _ in self._wait(wait_limit, "answer"):
                self._read(fd)
            end = self._output.find(b"\n")
            if (len(self._output) if end < 0 else end) > MAX_LINE_BYTES:
                template = gettext_noop("the bot wrote a line longer than %(limit)s")
                raise BotOverflowError(message(template, limit=format_binary(MAX_LINE_BYTES)), self._output)
            if end >= 0:
                line, self._output = self._output[:end], self._output[end + 1 :]
                return line

    def discard(
        self, deadline: float, may_go_on: Callable[[], bool] = lambda: True, check_interval_s: float = inf
    ) -> bool:
        """Read until both pipes are closed, keeping the log only.

        Return False if the deadline or the limit of the log is reached before, or once `may_go_on`, which is called
        every `check_interval_s`, returns False.
        """
        read = 0
        while self._open and read <= MAX_LOG_BYTES:
            left = deadline - perf_counter()
            if left <= 0 or not may_go_on():
                return False
            ready = self._poll.poll(min(left, check_interval_s) * 1000)
            for fd, _ in ready:
                chunk = os.read(fd, LINE_CHUNK_BYTES)
                read += len(chunk)
                if not chunk:
                    self._hang_up(fd)
                elif fd == self._stderr:
                    self._keep(chunk)
        return not self._open

    def _wait(self, wait_limit: WaitLimit, awaited: str) -> list[tuple[int, int]]:
        """Return what can be read or written; nothing if the wait ended before."""
        self._wait_count += 1
        if self._wait_count > MAX_EAGER_READS:
            sleep(READ_PAUSE_S)
        try:
            return self._poll.poll(wait_limit() * 1000)
        except OverdueError as overdue:
            template = TIMEOUT_TEMPLATES[awaited][overdue.is_cpu_time]
            limit_ms = round(overdue.limit_ms / WALL_TIME_FACTOR)
            raise BotTimeoutError(message(template, ms=overdue.limit_ms, limit=limit_ms), self._output) from None

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, LINE_CHUNK_BYTES)
        if fd == self._stdout:
            if not chunk:
                raise EndOfOutputError
            self._output += chunk
        elif not chunk:
            self._hang_up(fd)
        else:
            self._keep(chunk)
            if self._log_bytes > MAX_LOG_BYTES:
                template = gettext_noop("the bot wrote more than %(limit)s to stderr in this leg")
                raise BotOverflowError(message(template, limit=format_binary(MAX_LOG_BYTES)))

    def _keep(self, chunk: bytes) -> None:
        self._log += chunk
        self._log_bytes += len(chunk)
        if len(self._log) > 4 * MAX_LOG_KEPT_BYTES:
            del self._log[:-MAX_LOG_KEPT_BYTES]

    def _hang_up(self, fd: int) -> None:
        self._poll.unregister(fd)
        self._open.discard(fd)


# Observe and stop the threads of a bot from outside.

_libc = ctypes.CDLL(None)
SIGSTOP_BIT = 1 << (signal.SIGSTOP - 1)


def list_threads(pid: int) -> list[str]:
    """Return the ids of the threads; none if the process has ended."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def list_running_threads(pid: int) -> list[str]:
    """Return the ids of the threads that run or wait for a processor."""
    return [thread for thread, state in _list_states(pid) if state == "R"]


def stop_threads(pid: int) -> None:
    """Send the stop to each thread, so that it takes effect as soon as any of them has a processor."""
    for thread in list_threads(pid):
        _libc.tgkill(pid, int(thread), signal.SIGSTOP)


def has_pending_stop(pid: int) -> bool:
    """Return whether a stop signal is still pending."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", errors="replace") as status:
        pending = next((line for line in status if line.startswith("ShdPnd:")), "ShdPnd: 0")
        return bool(int(pending.split()[1], 16) & SIGSTOP_BIT)
    return False


def _list_states(pid: int) -> Iterator[tuple[str, str]]:
    """Yield the id and the state letter of each thread."""
    for thread in list_threads(pid):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/stat", errors="replace") as stat:
            yield thread, stat.read().rpartition(")")[2].split()[0]


# Measure how long threads were ready to run but had no processor, from the kernel's statistics.

SCHEDSTAT_BYTES = 64
"""Enough for three numbers: nanoseconds run, nanoseconds waited, times run."""


class CpuWait:
    """The time that a bot, and the thread that asks it, waited for a processor; 0 without such statistics.

    Of a bot's threads the one that waited longest counts, not their sum, since threads of a bot also wait for each
    other.
    """

    def __init__(self) -> None:
        """Open the statistics of the calling thread, which must make all other calls, too."""
        self._own = _open("/proc/thread-self/schedstat")
        self._own_before = _read(self._own)
        self._pid: int | None = None
        self._before: Mapping[str, float] = {}
        self._now: Mapping[str, float] = {}
        self._ready: Mapping[str, int] | None = None
        """Times run of each ready thread at the last call of `has_waiting_thread`; None after a new request."""

    def follow(self, pid: int) -> None:
        """Measure the bot with this process id, too."""
        self._pid = pid

    def start_measuring(self) -> None:
        """Start measuring: this thread from now on, the bot from the last call of `measure_s`.

        This is called for every request, so the bot's statistics are not read here. In between are only prompt
        answers, with hardly any delay.
        """
        self._own_before = _read(self._own)
        self._before = self._now
        self._ready = None

    def measure_s(self) -> float:
        """Return the seconds waited since the start of the measurement."""
        if self._pid is not None:
            self._now = _read_waits(self._pid)
        longest = max((waited - self._before.get(thread, 0.0) for thread, waited in self._now.items()), default=0.0)
        return longest + _parse_wait_s(_read(self._own)) - _parse_wait_s(self._own_before)

    def has_waiting_thread(self) -> bool:
        """Return whether a thread of the bot has waited for a processor since the last call.

        The kernel counts a wait only once the thread has run. In the first call after a request any ready thread
        counts.
        """
        before, self._ready = self._ready, {} if self._pid is None else _read_run_counts(self._pid)
        if before is None:
            return bool(self._ready)
        return any(before.get(thread) == runs for thread, runs in self._ready.items())

    def close(self) -> None:
        """Close the descriptor."""
        self._pid = None
        if self._own is not None:
            os.close(self._own)
            self._own = None


def _read_waits(pid: int) -> dict[str, float]:
    """Return the seconds waited by thread."""
    return {thread: _parse_wait_s(_read_schedstat(pid, thread)) for thread in list_threads(pid)}


def _read_run_counts(pid: int) -> dict[str, int]:
    """Return how often each thread has run that runs or is ready to."""
    counts = {thread: _read_schedstat(pid, thread).split() for thread in list_running_threads(pid)}
    return {thread: int(numbers[2]) for thread, numbers in counts.items() if numbers}


def _read_schedstat(pid: int, thread: str) -> bytes:
    fd = _open(f"/proc/{pid}/task/{thread}/schedstat")
    counts = _read(fd)
    if fd is not None:
        os.close(fd)
    return counts


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None


def _read(fd: int | None) -> bytes:
    """Return three numbers; nothing if there are no statistics or the thread has ended."""
    if fd is None:
        return b""
    try:
        return os.pread(fd, SCHEDSTAT_BYTES, 0)
    except OSError:
        return b""


def _parse_wait_s(counts: bytes) -> float:
    numbers = counts.split()
    return int(numbers[1]) / 1e9 if numbers else 0.0


# Tell how long this process stood still, as when it is stopped, or paused with its container.

MIN_STALL_S = 0.1
"""A process that wakes up later than it asked for by less than this is busy or waits for a processor."""


def measure_stall(due: float, now: float) -> float:
    """Return for how long this process stood still, if it was to wake up at `due` at the latest and did so `now`."""
    late = now - due
    return late if late > MIN_STALL_S else 0.0


# Set the timer slack of processes that are started. See PR_SET_TIMERSLACK in prctl(2).

PR_SET_TIMERSLACK = 29
PR_GET_TIMERSLACK = 30


@contextmanager
def set_timer_slack(slack_ns: int) -> Iterator[None]:
    """Give the children that this thread starts a timer slack, which they and their children keep.

    A sleep may then end up to `slack_ns` late, when the kernel has other timers to handle.
    """
    own_ns = _libc.prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)
    _libc.prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0)
    try:
        yield
    finally:
        _libc.prctl(PR_SET_TIMERSLACK, own_ns, 0, 0, 0)


# Run a bot as a child process: ask it over pipes, stop it between requests, and end it with all its children.

DESCRIPTORS_PER_START = 8
"""Two for each of three pipes, and two for the report whether the start worked."""
EXIT_TIMEOUT_S = 1.0
"""Time that a process has to exit after closing its pipes."""
KILL_TIMEOUT_S = 10.0
"""Time that a killed process has to end: milliseconds, except on a busy machine."""
CHECK_INTERVAL_S = 0.025
"""Interval at which clocks and memory are read while a bot runs."""
TIMER_SLACK_NS = 1_000_000
"""Time by which the kernel may delay a bot's timers, so that it can't wake up more than 1,000 times a second."""
MIN_DELAY_S = 0.001
"""Delays below this are not measured."""
MAX_STOPPED_CPU_S = 0.05
"""CPU time while stopped above which a bot is checked for evading the stop."""
MAX_MACHINE_DELAY_S = 60.0
"""A longer delay in one answer is a failure of the machine."""
SANDBOX_UMASK = 0o022
"""Bots run as other users than the arena, which keeps its own files to itself, and must see the same everywhere."""


def start_with_pipes(
    argv: Sequence[str], environment: Mapping[str, str], pass_fds: Sequence[int], cwd: str
) -> subprocess.Popen[bytes]:
    """Start a child as the leader of a new session, with three pipes, no other descriptors, and coarse timers."""
    _check_descriptors()
    with set_timer_slack(TIMER_SLACK_NS):
        return subprocess.Popen(
            argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=pass_fds,
            env=dict(environment),
            cwd=cwd,
            start_new_session=True,
            umask=SANDBOX_UMASK,
        )


def _check_descriptors() -> None:
    """Check that enough descriptors are free, since Python 3.11.2 leaks some if not. Raises OSError."""
    with contextlib.ExitStack() as taken:
        for _ in range(DESCRIPTORS_PER_START):
            taken.callback(os.close, os.open(os.devnull, os.O_RDONLY))


class ChildProcess(ABC):
    """The base of the processes of all sandboxes."""

    stops_between_answers = True
    """Whether the bot is stopped from each answer to the next request."""

    def __init__(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        pass_fds: Sequence[int] = (),
        cwd: str = "/",
        memory_bytes: float = inf,
        max_pipes: int = 0,
    ) -> None:
        """Start a process, which may hold `memory_bytes` of memory. 0 pipes are left to the filter of system calls."""
        start = partial(start_with_pipes, argv, environment, pass_fds, cwd)
        self._pipe_limit = PipeLimit(max_pipes) if max_pipes else None
        self._child = start() if self._pipe_limit is None else self._pipe_limit.start(start)
        streams = [stream for stream in (self._child.stdin, self._child.stdout, self._child.stderr) if stream]
        self._streams = streams
        self._pipes = Pipes(*(stream.fileno() for stream in streams))
        self._cpu_wait = CpuWait()
        self._memory = ResidentMemory(memory_bytes)
        self._pidfd: int | None = None
        self._cpu_clock: int | None = None
        self._cpu_before = 0.0
        self._closed = False
        self._pid: int | None = None
        self._stopped = False
        self._runs_while_stopped = False
        """Whether the bot used CPU time while it was stopped."""
        self._allowance_s = self._asked = self._next_check_at = self._stalled_s = 0.0
        self.wall_s = self.cpu_s = self.late_s = 0.0

    @abstractmethod
    def _find_bot(self) -> int | None:
        """Return the id of the bot's own process; None if it doesn't exist yet or is unknown."""

    @abstractmethod
    def _exit_code(self) -> int:
        """Return the exit code of the bot, or minus a signal, after the child has been reaped.

        Raises SandboxError if the bot is not the cause.
        """

    @abstractmethod
    def _kill(self) -> None:
        """Kill the child and all its descendants."""

    @property
    def pid(self) -> int | None:
        """Return the id of the bot's process once it has answered."""
        return self._find_bot() if self._pidfd is not None else None

    def ask(self, line: bytes, allowance_s: float) -> bytes:
        """Write a request and return the next line. Raises BotError and SandboxError."""
        pipes = self._pipes
        try:
            pipes.check_unasked_output()
            if self._stopped:
                self._check_unasked_work(self._read_cpu_s() - self._cpu_before)
            self._cpu_wait.start_measuring()
            self._allowance_s = allowance_s
            self._asked = asked = perf_counter()
            self._stalled_s = 0.0
            self._next_check_at = asked + min(CHECK_INTERVAL_S, WALL_TIME_FACTOR * allowance_s)
            written = pipes.write(line)
            self._resume()
            if written != len(line):
                pipes.write_rest(line[written:], self._wait_limit)
            answer = pipes.read_line(self._wait_limit)
        except EndOfOutputError:
            raise self._explain_end() from None
        self._stop()
        now = perf_counter()
        self._stalled_s += measure_stall(self._next_check_at, now)
        self.wall_s = wall = now - asked
        self._memory.check()
        used = self._read_cpu_s()
        self.cpu_s = cpu = used - self._cpu_before
        self._cpu_before = used
        self.late_s = self._measure_delay(wall, cpu) if wall - cpu > MIN_DELAY_S else 0.0
        return answer

    def _check_unasked_work(self, strayed: float) -> None:
        """Check the CPU time that was used while the bot was stopped. Raises BotTimeoutError.

        A stop may take effect late: that is no fault, and the time is charged. But a bot may also evade it, for
        example by executing a program at that moment; then it runs without a pending stop.
        """
        if strayed < MIN_DELAY_S or self._pid is None:
            return
        self._runs_while_stopped = True
        if strayed > MAX_STOPPED_CPU_S and list_running_threads(self._pid) and not has_pending_stop(self._pid):
            template = gettext_noop("the bot used %(ms)s ms of CPU time between requests")
            raise BotTimeoutError(message(template, ms=round(strayed * 1000)))

    def _wait_limit(self) -> float:
        """Return the seconds until the next check of the clocks. Raises OverdueError and SandboxError.

        Most answers come before the first check, so until then only the time of that is compared.
        """
        now = perf_counter()
        if now >= self._next_check_at:
            self._check_clocks(now)
        return self._next_check_at - now

    def _check_clocks(self, now: float) -> None:
        if self._pidfd is None:
            self._open_bot()
        self._memory.check()
        self._stalled_s += measure_stall(self._next_check_at, now)
        allowed = self._allowance_s
        cpu = self._read_cpu_s() - self._cpu_before
        if cpu > allowed:
            raise OverdueError(allowed * 1000, is_cpu_time=True)
        wall, limit = now - self._asked, WALL_TIME_FACTOR * allowed
        left = limit - wall
        if left <= 0:
            left += self._measure_delay(wall, cpu)
            if left <= 0 and not self._cpu_wait.has_waiting_thread():
                raise OverdueError(limit * 1000, is_cpu_time=False)
            if wall > limit + MAX_MACHINE_DELAY_S:
                raise SandboxError(f"within {wall:.0f} s this machine had next to no processor for a bot")
        self._next_check_at = now + (left if 0 < left < CHECK_INTERVAL_S else CHECK_INTERVAL_S)

    def _measure_delay(self, wall: float, cpu: float) -> float:
        """Return the part of an answer's time in which the machine had no processor, or this process stood still."""
        return max(0.0, min(wall - cpu, max(self._cpu_wait.measure_s(), self._stalled_s)))

    def dismiss(self, line: bytes | None) -> None:
        """Write a last message and close stdin."""
        with contextlib.suppress(EndOfOutputError):
            if line is not None:
                self._pipes.write(line)
        self._streams[0].close()
        self._resume()

    def close(self, grace_s: float = 0.0) -> None:
        """End the bot and all it started, after `grace_s` for it to exit. Raises SandboxError."""
        if self._closed:
            return
        self._closed = True
        try:
            if not self._exits_within(grace_s):
                self._kill()
                self._pipes.discard(perf_counter() + EXIT_TIMEOUT_S)
            if not self._wait_for_exit(KILL_TIMEOUT_S):
                raise SandboxError(f"process {self._child.pid} of a bot would not die")
        finally:
            self._release()

    def stderr(self) -> str:
        """Return the last 64 KiB of the log."""
        return make_visible(self._pipes.log.decode(errors="replace"))[-MAX_LOG_KEPT_BYTES:]

    def _exits_within(self, grace_s: float) -> bool:
        """Return whether the bot exits within that time, and within its memory."""
        return grace_s > 0 and self._pipes.discard(
            perf_counter() + grace_s, lambda: not self._memory.is_exceeded(), CHECK_INTERVAL_S
        )

    def _wait_for_exit(self, timeout_s: float) -> bool:
        """Reap the child and return True if it ends within that time. `Popen.wait` would sleep longer than needed."""
        if self._child.returncode is None:
            poll, pidfd = select.poll(), os.pidfd_open(self._child.pid)
            try:
                poll.register(pidfd, select.POLLIN)
                if not poll.poll(max(0.0, timeout_s) * 1000):
                    return False
            finally:
                os.close(pidfd)
            self._child.wait()
        return True

    def _release(self) -> None:
        for stream in self._streams:
            stream.close()
        if self._pipe_limit is not None:
            self._pipe_limit.close()
        self._cpu_wait.close()
        self._memory.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None

    def _explain_end(self) -> BotError:
        """Return the fault that ended the output. Raises SandboxError if the bot is not the cause."""
        deadline = perf_counter() + EXIT_TIMEOUT_S
        self._pipes.discard(deadline)
        if not self._wait_for_exit(deadline - perf_counter()):
            template = gettext_noop("the bot closed its standard input or output")
            return BotExitedError(message(template), self._pipes.unfinished)
        return describe_exit(read_exit(self._exit_code()), self._pipes.log, self._pipes.unfinished)

    def _open_bot(self) -> None:
        """Open the bot's process, if it exists."""
        pid = self._find_bot()
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._pidfd = os.pidfd_open(pid)
        if self._pidfd is not None and self._find_bot() != pid:
            os.close(self._pidfd)
            self._pidfd = None
        if self._pidfd is not None:
            self._pid = pid
            self._cpu_clock = (~pid << 3) | 2
            self._cpu_wait.follow(pid)
            self._memory.follow(pid)

    def _start_counting(self) -> None:
        """Start counting CPU time and pipes now: what was used before was the arena's work."""
        if self._pidfd is None:
            self._open_bot()
        if self._pipe_limit is not None:
            self._pipe_limit.begin()
        self._cpu_before = self._read_cpu_s()
        self._cpu_wait.measure_s()

    def _read_cpu_s(self) -> float:
        """Return the CPU seconds of the bot; those at the last answer if they can't be read."""
        if self._cpu_clock is None:
            return self._cpu_before
        try:
            return clock_gettime(self._cpu_clock)
        except OSError:
            return self._cpu_before

    def _stop(self) -> None:
        if self._pidfd is None:
            self._open_bot()
        if self.stops_between_answers and self._pidfd is not None:
            self._stopped = True
            send_signal(self._pidfd, signal.SIGSTOP)
            if self._runs_while_stopped and self._pid is not None:
                stop_threads(self._pid)

    def _resume(self) -> None:
        if self._stopped and self._pidfd is not None:
            self._stopped = False
            send_signal(self._pidfd, signal.SIGCONT)


def send_signal(pidfd: int, sign: signal.Signals) -> None:
    """Send a signal to a bot. A bot that has ended is found by its pipes."""
    try:
        signal.pidfd_send_signal(pidfd, sign)
    except ProcessLookupError:
        return
