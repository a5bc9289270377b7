"""A bot that is a child of this process: asked over pipes, stopped between questions, ended with all it started."""

import contextlib
import os
import re
import select
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import clock_gettime, perf_counter

from arena.runner.clock import WALL_FACTOR
from arena.runner.sandbox.base import (
    BotError,
    BotExitedError,
    BotOutOfMemoryError,
    BotTimeoutError,
    SandboxError,
)
from arena.runner.sandbox.cpu_wait import CpuWait
from arena.runner.sandbox.pipes import KEPT_LOG, EndOfOutputError, OverdueError, Pipes
from arena.runner.sandbox.threads import is_told_to_stop, running, stop_each
from arena.runner.text import visible
from engine.message import Message, gettext_noop, message

LAST_LINE_OUT_OF_MEMORY = re.compile(rb"MemoryError\b|.*(bad_alloc|[Oo]ut of memory|Cannot allocate memory)")
"""What Python and C++ end with, and what bots say that look at what they are given."""
OUT_OF_MEMORY = re.compile(
    rb"^(fatal error: runtime: (out of|cannot allocate) memory|runtime: out of memory"
    rb"|memory allocation of \d+ bytes failed|FATAL ERROR: .*heap out of memory"
    rb"|.*java\.lang\.OutOfMemoryError)",
    re.MULTILINE,
)
"""What Go, Rust, Node and Java say, with as long a trace as they like behind it."""
MAX_STDERR_QUOTED = 200
"""Bytes of the last line of a log that are kept with a fault."""
DESCRIPTORS_PER_START = 8
"""Two for each of three pipes, and two for the report whether the start worked."""
EXIT_TIMEOUT_S = 1.0
"""How long the exit of a process whose pipes are closed is waited for."""
KILL_TIMEOUT_S = 10.0
"""How long the end of a killed process is waited for: it takes a millisecond, but not on a crowded machine."""
CLOCK_CHECK_INTERVAL_S = 0.05
"""The clocks are read this often while an answer is awaited."""
MIN_DELAY_S = 0.001
"""An answer that took hardly longer than its CPU time can't have been held up."""
MAX_STRAY_CPU_S = 0.05
"""More CPU time than this while a bot is stopped is looked into."""
MAX_MACHINE_DELAY_S = 60.0
"""A machine that is late by so much in one answer is broken, and nobody's fault."""


def piped(
    argv: Sequence[str], environment: Mapping[str, str], pass_fds: Sequence[int], cwd: str
) -> subprocess.Popen[bytes]:
    """Start a child at the head of a session of its own, with three pipes and nothing else of ours."""
    _check_descriptors()
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
    )


def _check_descriptors() -> None:
    """Check that a child's pipes can all be had: Debian's 3.11.2 loses those it got. Raises OSError."""
    with contextlib.ExitStack() as taken:
        for _ in range(DESCRIPTORS_PER_START):
            taken.callback(os.close, os.open(os.devnull, os.O_RDONLY))


class ChildProcess(ABC):
    """What all sandboxes share. Each adds: which process is the bot, how it ended, and how its tree is killed."""

    freezes = True
    """Whether the bot is stopped from each answer to the next question."""

    def __init__(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        pass_fds: Sequence[int] = (),
        cwd: str = "/",
    ) -> None:
        self._child = piped(argv, environment, pass_fds, cwd)
        streams = [stream for stream in (self._child.stdin, self._child.stdout, self._child.stderr) if stream]
        self._streams = streams
        self._pipes = Pipes(*(stream.fileno() for stream in streams))
        self._lateness = CpuWait()
        self._pidfd: int | None = None
        self._cpu_clock: int | None = None
        self._cpu_before = 0.0
        self._closed = False
        self._pid: int | None = None
        self._stopped = False
        self._strays = False
        """Whether it has been seen at work while it was to be stopped."""
        self._allowance_s = self._asked = self._look_at = 0.0
        self.wall_s = self.cpu_s = self.late_s = 0.0

    @abstractmethod
    def _find_bot(self) -> int | None:
        """Return the id of the bot's own process; None before it is there, and where it can't be known."""

    @abstractmethod
    def _exit_code(self) -> int:
        """Return how the bot ended: its exit code, or minus a signal. The child has been waited for.

        Raises SandboxError where it was not the bot that ended.
        """

    @abstractmethod
    def _kill(self) -> None:
        """End the whole tree now."""

    @property
    def pid(self) -> int | None:
        """Return the id of the bot's process once it has answered."""
        return self._find_bot() if self._pidfd is not None else None

    def ask(self, line: bytes, allowance_s: float) -> bytes:
        """Write a question and return the next line. Raises BotError and SandboxError."""
        pipes = self._pipes
        try:
            pipes.refuse_unasked()
            if self._stopped:
                self._refuse_unasked_work(self._used() - self._cpu_before)
            self._lateness.mark()
            self._allowance_s = allowance_s
            self._asked = asked = perf_counter()
            self._look_at = asked + min(CLOCK_CHECK_INTERVAL_S, WALL_FACTOR * allowance_s)
            written = pipes.write(line)
            self._wake()
            if written != len(line):
                pipes.write_rest(line[written:], self._patience)
            answer = pipes.read_line(self._patience)
        except EndOfOutputError:
            raise self._gone() from None
        self._stop()
        self.wall_s = wall = perf_counter() - asked
        used = self._used()
        self.cpu_s = cpu = used - self._cpu_before
        self._cpu_before = used
        self.late_s = self._late(wall, cpu) if wall - cpu > MIN_DELAY_S else 0.0
        return answer

    def _refuse_unasked_work(self, strayed: float) -> None:
        """Refuse CPU time that was used while the bot was stopped.

        A stop may take hold late, which is no fault: the bot pays for what it did. Or it is dodged, by a thread that
        replaces the program at that very moment for one; then the bot runs, and is not told to stop any more.
        """
        if strayed < MIN_DELAY_S or self._pid is None:
            return
        self._strays = True
        if strayed > MAX_STRAY_CPU_S and running(self._pid) and not is_told_to_stop(self._pid):
            template = gettext_noop("the bot used %(ms)s ms of processor time while it was not asked")
            raise BotTimeoutError(message(template, ms=round(strayed * 1000)))

    def _patience(self) -> float:
        """How many seconds to wait before having another look at the clocks. Raises OverdueError, SandboxError.

        Until the first look at `_look_at` nothing but that moment is compared: most answers are there long before.
        """
        now = perf_counter()
        if now >= self._look_at:
            self._look(now)
        return self._look_at - now

    def _look(self, now: float) -> None:
        if self._pidfd is None:
            self._adopt()
        allowed = self._allowance_s
        cpu = self._used() - self._cpu_before
        if cpu > allowed:
            raise OverdueError(allowed * 1000, is_cpu_time=True)
        wall, limit = now - self._asked, WALL_FACTOR * allowed
        left = limit - wall
        if left <= 0:
            left += self._late(wall, cpu)
            if left <= 0 and not self._lateness.is_pending():
                raise OverdueError(limit * 1000, is_cpu_time=False)
            if wall > limit + MAX_MACHINE_DELAY_S:
                raise SandboxError(f"within {wall:.0f} s this machine had next to no processor for a bot")
        self._look_at = now + (left if 0 < left < CLOCK_CHECK_INTERVAL_S else CLOCK_CHECK_INTERVAL_S)

    def _late(self, wall: float, cpu: float) -> float:
        return max(0.0, min(wall - cpu, self._lateness.since_mark()))

    def dismiss(self, line: bytes | None) -> None:
        """Write a last message and close stdin."""
        with contextlib.suppress(EndOfOutputError):
            if line is not None:
                self._pipes.write(line)
        self._streams[0].close()
        self._wake()

    def close(self, grace_s: float = 0.0) -> None:
        """End the bot and all it started, after `grace_s` for it to exit. Raises SandboxError."""
        if self._closed:
            return
        self._closed = True
        try:
            if not self._exits_within(grace_s):
                self._kill()
                self._pipes.discard(perf_counter() + EXIT_TIMEOUT_S)
            if not self._reaped(KILL_TIMEOUT_S):
                raise SandboxError(f"process {self._child.pid} of a bot would not die")
        finally:
            self._release()

    def stderr(self) -> str:
        """Return the last 64 KiB of the log."""
        return visible(self._pipes.log.decode(errors="replace"))[-KEPT_LOG:]

    def _exits_within(self, grace_s: float) -> bool:
        return grace_s > 0 and self._pipes.discard(perf_counter() + grace_s)

    def _reaped(self, timeout_s: float) -> bool:
        """Whether the child has ended within that time. `Popen.wait` sleeps longer than an exit takes."""
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
        self._lateness.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None

    def _gone(self) -> BotError:
        """Return what the end of the output means. Raises SandboxError where it was ours."""
        deadline = perf_counter() + EXIT_TIMEOUT_S
        self._pipes.discard(deadline)
        if not self._reaped(deadline - perf_counter()):
            template = gettext_noop("the bot closed its standard output or input")
            return BotExitedError(message(template), self._pipes.unfinished)
        ending = read_exit(self._exit_code())
        unfinished = self._pipes.unfinished
        last = self._pipes.log.rstrip().rsplit(b"\n", 1)[-1]
        stderr = visible(last[:MAX_STDERR_QUOTED].decode(errors="replace"))
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

    def _adopt(self) -> None:
        """Get hold of the bot's process, unless it isn't there yet or gone already."""
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
            self._lateness.follow(pid)

    def _start_counting(self) -> None:
        """Forget the CPU time used until now: it was the arena that had the process do things."""
        if self._pidfd is None:
            self._adopt()
        self._cpu_before = self._used()
        self._lateness.since_mark()

    def _used(self) -> float:
        """CPU seconds of the bot until now; as at the last answer where they can't be read."""
        if self._cpu_clock is None:
            return self._cpu_before
        try:
            return clock_gettime(self._cpu_clock)
        except OSError:
            return self._cpu_before

    def _stop(self) -> None:
        if self._pidfd is None:
            self._adopt()
        if self.freezes and self._pidfd is not None:
            self._stopped = True
            send(self._pidfd, signal.SIGSTOP)
            if self._strays and self._pid is not None:
                stop_each(self._pid)

    def _wake(self) -> None:
        if self._stopped and self._pidfd is not None:
            self._stopped = False
            send(self._pidfd, signal.SIGCONT)


def send(pidfd: int, sign: signal.Signals) -> None:
    """To a bot, where it still is: that it is gone will be seen at its pipes."""
    try:
        signal.pidfd_send_signal(pidfd, sign)
    except ProcessLookupError:
        return


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """How a process ended: by a signal, or with an exit code."""

    code: int
    signal: str
    """Its name, "SIGKILL" for one; empty where the process exited by itself."""

    def describe(self, exited: str, killed: str) -> Message:
        """Return one of the templates, which have a `code` and a `signal`."""
        return message(killed, signal=self.signal) if self.signal else message(exited, code=self.code)

    def __str__(self) -> str:
        return f"was ended by {self.signal}" if self.signal else f"exited with code {self.code}"


def read_exit(code: int) -> ProcessExit:
    """Return what an exit code means; negative, or beyond 128 as shells write it, it is a signal."""
    number = -code if code < 0 else code - 128
    with contextlib.suppress(ValueError):
        return ProcessExit(code, signal.Signals(number).name if number > 0 else "")
    return ProcessExit(code, "")
