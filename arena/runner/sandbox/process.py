"""Run a bot as a child process: ask it over pipes, stop it between requests, and end it with all its children."""

import contextlib
import os
import re
import select
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from time import clock_gettime, perf_counter

from arena.runner.clock import WALL_TIME_FACTOR
from arena.runner.sandbox.base import (
    BotError,
    BotExitedError,
    BotOutOfMemoryError,
    BotTimeoutError,
    SandboxError,
)
from arena.runner.sandbox.cpu_wait import CpuWait
from arena.runner.sandbox.pipes import MAX_LOG_KEPT_BYTES, EndOfOutputError, OverdueError, Pipes
from arena.runner.sandbox.resident_memory import ResidentMemory
from arena.runner.sandbox.stalls import measure_stall
from arena.runner.sandbox.threads import has_pending_stop, list_running_threads, stop_threads
from arena.runner.sandbox.timer_slack import set_timer_slack
from arena.runner.text import make_visible
from engine.message import Message, gettext_noop, message

LAST_LINE_OUT_OF_MEMORY = re.compile(rb"MemoryError\b|.*(bad_alloc|[Oo]ut of memory|Cannot allocate memory)")
"""Last lines of Python, C++ and of bots that report failed allocations."""
OUT_OF_MEMORY = re.compile(
    rb"^(fatal error: runtime: (out of|cannot allocate) memory|runtime: out of memory"
    rb"|memory allocation of \d+ bytes failed|FATAL ERROR: .*heap out of memory"
    rb"|.*java\.lang\.OutOfMemoryError)",
    re.MULTILINE,
)
"""Messages of Go, Rust, Node and Java, which a trace may follow."""
MAX_STDERR_QUOTED = 200
"""Length to which the last line of a log is cut for a fault."""
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
    ) -> None:
        """Start a process, which may hold `memory_bytes` of memory."""
        self._child = start_with_pipes(argv, environment, pass_fds, cwd)
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
            template = gettext_noop("the bot used %(ms)s ms of processor time while it was not asked")
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
            template = gettext_noop("the bot closed its standard output or input")
            return BotExitedError(message(template), self._pipes.unfinished)
        ending = read_exit(self._exit_code())
        unfinished = self._pipes.unfinished
        last = self._pipes.log.rstrip().rsplit(b"\n", 1)[-1]
        stderr = make_visible(last[:MAX_STDERR_QUOTED].decode(errors="replace"))
        if LAST_LINE_OUT_OF_MEMORY.match(last) or OUT_OF_MEMORY.search(self._pipes.log):
            exited = ending.describe(
                gettext_noop("the bot ran out of memory and exited with code %(code)s"),
                gettext_noop("the bot ran out of memory and was ended by %(signal)s"),
            )
            return BotOutOfMemoryError(exited, unfinished, stderr)
        exited = ending.describe(
            gettext_noop("the bot exited with code %(code)s"), gettext_noop("the bot was ended by %(signal)s")
        )
        if unfinished:
            exited = message(gettext_noop("%(ending)s; its last line had no newline"), ending=exited)
        return BotExitedError(exited, unfinished, stderr)

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
        """Start counting CPU time now: what was used before was the arena's work."""
        if self._pidfd is None:
            self._open_bot()
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


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """How a process ended: by a signal, or with an exit code."""

    code: int
    signal: str
    """Name of the signal, such as "SIGKILL"; empty if the process exited by itself."""

    def describe(self, exited: str, killed: str) -> Message:
        """Return a message of the template for an exit, with `code`, or that for a signal, with `signal`."""
        return message(killed, signal=self.signal) if self.signal else message(exited, code=self.code)

    def __str__(self) -> str:
        return f"was ended by {self.signal}" if self.signal else f"exited with code {self.code}"


def read_exit(code: int) -> ProcessExit:
    """Return the meaning of an exit code. Negative ones, and those above 128 as in shells, are signals."""
    number = -code if code < 0 else code - 128
    with contextlib.suppress(ValueError):
        return ProcessExit(code, signal.Signals(number).name if number > 0 else "")
    return ProcessExit(code, "")
