"""Exchange lines with a bot over three non-blocking pipes, with limits of time and size."""

import os
import select
from collections.abc import Callable
from fcntl import ioctl
from math import inf
from termios import FIONREAD
from time import perf_counter, sleep

from arena.runner.protocol import MAX_LINE_BYTES
from arena.runner.sandbox.base import BotOverflowError, BotTimeoutError, UnexpectedOutputError
from engine.message import gettext_noop, message

MAX_LOG_BYTES = 1024 * 1024
"""Limit of stderr in one leg."""
MAX_LOG_KEPT_BYTES = 64 * 1024
CHUNK_BYTES = MAX_LINE_BYTES + 1
MAX_EAGER_READS = 200
"""Number of reads of one answer before the arena pauses between them, to limit the cost of an answer in small parts."""
READ_PAUSE_S = 0.001
WaitLimit = Callable[[], float]
"""Function that returns how many seconds the next wait may last. Raises OverdueError."""
TIMEOUT_TEMPLATES = {
    "read": (
        gettext_noop("the question was not read within %(ms)s ms"),
        gettext_noop("the question was not read within %(ms)s ms of processor time"),
    ),
    "answer": (
        gettext_noop("no whole line came within %(ms)s ms"),
        gettext_noop("no whole line came within %(ms)s ms of processor time"),
    ),
}
"""Templates for too much wall time and for too much CPU time, by what was awaited."""


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
            self._output = os.read(self._stdout, CHUNK_BYTES)
        if len(self._output) >= MAX_LINE_BYTES:
            template = gettext_noop("more than %(limit)s bytes were written without being asked")
            raise BotOverflowError(message(template, limit=MAX_LINE_BYTES), self._output)
        template = gettext_noop("something was written to stdout without being asked")
        raise UnexpectedOutputError(message(template), self._output)

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
            template = gettext_noop("more than %(limit)s bytes were written before the question was read")
            raise BotOverflowError(message(template, limit=MAX_LINE_BYTES), self._output)

    def read_line(self, wait_limit: WaitLimit) -> bytes:
        """Return the next line without its newline. Raises EndOfOutputError, BotTimeoutError, BotOverflowError."""
        while True:
            for fd, _ in self._wait(wait_limit, "answer"):
                self._read(fd)
            end = self._output.find(b"\n")
            if (len(self._output) if end < 0 else end) > MAX_LINE_BYTES:
                template = gettext_noop("a line is longer than %(limit)s bytes")
                raise BotOverflowError(message(template, limit=MAX_LINE_BYTES), self._output)
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
                chunk = os.read(fd, CHUNK_BYTES)
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
            raise BotTimeoutError(message(template, ms=overdue.limit_ms), self._output) from None

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, CHUNK_BYTES)
        if fd == self._stdout:
            if not chunk:
                raise EndOfOutputError
            self._output += chunk
        elif not chunk:
            self._hang_up(fd)
        else:
            self._keep(chunk)
            if self._log_bytes > MAX_LOG_BYTES:
                template = gettext_noop("more than %(limit)s bytes were written to stderr in this leg")
                raise BotOverflowError(message(template, limit=MAX_LOG_BYTES))

    def _keep(self, chunk: bytes) -> None:
        self._log += chunk
        self._log_bytes += len(chunk)
        if len(self._log) > 4 * MAX_LOG_KEPT_BYTES:
            del self._log[:-MAX_LOG_KEPT_BYTES]

    def _hang_up(self, fd: int) -> None:
        self._poll.unregister(fd)
        self._open.discard(fd)
