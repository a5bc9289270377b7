"""Lines over three non-blocking pipes: one poll, somebody who loses patience, nothing unbounded."""

import os
import select
from collections.abc import Callable
from fcntl import ioctl
from termios import FIONREAD
from time import perf_counter, sleep

from arena.runner.protocol import MAX_LINE
from arena.runner.sandbox.base import BotOverflowError, BotTimeoutError, UnexpectedOutputError
from engine.message import gettext_noop, message

MAX_LOG = 1024 * 1024
"""Bytes of stderr in one leg; more is a flood."""
KEPT_LOG = 64 * 1024
CHUNK = MAX_LINE + 1
MAX_EAGER_READS = 200
"""Reads of one answer before the arena pauses between them: a wake-up costs it more than a byte costs the bot."""
READ_PAUSE_S = 0.001
Patience = Callable[[], float]
"""Called before each wait; returns how many seconds it may last. Raises OverdueError."""
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
"""By what was waited for: the messages for too much wall time and for too much CPU time."""


class OverdueError(Exception):
    """A bot has used up its time: `limit_ms` of wall time, or of CPU time."""

    def __init__(self, limit_ms: float, *, is_cpu_time: bool) -> None:
        super().__init__(limit_ms, is_cpu_time)
        self.limit_ms = round(limit_ms)
        self.is_cpu_time = is_cpu_time


class EndOfOutputError(Exception):
    """Nobody is left at the other end."""


class Pipes:
    """The arena's ends of a bot's stdin, stdout and stderr. The descriptors stay the caller's to close."""

    def __init__(self, stdin: int, stdout: int, stderr: int) -> None:
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._poll = select.poll()
        for fd in (stdin, stdout, stderr):
            os.set_blocking(fd, False)
        for fd in (stdout, stderr):
            self._poll.register(fd, select.POLLIN)
        self._open = {stdout, stderr}
        self._waiting = b""
        self._unread = bytearray(4)
        self._log = bytearray()
        self._logged = 0
        self._pieces = 0

    @property
    def log(self) -> bytes:
        """The last 64 KiB of stderr so far."""
        return bytes(self._log[-KEPT_LOG:])

    def refuse_unasked(self) -> None:
        """Before a question: what already waits was said without being asked, and must never pass for the answer."""
        if not self._waiting:
            ioctl(self._stdout, FIONREAD, self._unread)
            if not any(self._unread):
                return
            self._waiting = os.read(self._stdout, CHUNK)
        if len(self._waiting) >= MAX_LINE:
            template = gettext_noop("more than %(limit)s bytes were written without being asked")
            raise BotOverflowError(message(template, limit=MAX_LINE), self._waiting)
        template = gettext_noop("something was written to stdout without being asked")
        raise UnexpectedOutputError(message(template), self._waiting)

    @property
    def unfinished(self) -> bytes:
        """What has come of a line so far."""
        return self._waiting

    def write(self, line: bytes) -> int:
        """Write what fits into the pipe now, and return how much that was. Raises EndOfOutputError."""
        self._pieces = 0
        try:
            return os.write(self._stdin, line)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise EndOfOutputError from None

    def write_rest(self, rest: bytes, patience: Patience) -> None:
        """Write as the bot reads. Raises EndOfOutputError, BotTimeoutError, BotOverflowError."""
        self._poll.register(self._stdin, select.POLLOUT)
        try:
            while rest:
                for fd, _ in self._wait(patience, "read"):
                    if fd == self._stdin:
                        rest = rest[os.write(fd, rest) :]
                    else:
                        self._read(fd)
                        self._refuse_flood()
        except BrokenPipeError:
            raise EndOfOutputError from None
        finally:
            self._poll.unregister(self._stdin)

    def _refuse_flood(self) -> None:
        if len(self._waiting) > MAX_LINE:
            template = gettext_noop("more than %(limit)s bytes were written before the question was read")
            raise BotOverflowError(message(template, limit=MAX_LINE), self._waiting)

    def read_line(self, patience: Patience) -> bytes:
        """Return the next line without its newline. Raises EndOfOutputError, BotTimeoutError, BotOverflowError."""
        while True:
            for fd, _ in self._wait(patience, "answer"):
                self._read(fd)
            end = self._waiting.find(b"\n")
            if (len(self._waiting) if end < 0 else end) > MAX_LINE:
                template = gettext_noop("a line is longer than %(limit)s bytes")
                raise BotOverflowError(message(template, limit=MAX_LINE), self._waiting)
            if end >= 0:
                line, self._waiting = self._waiting[:end], self._waiting[end + 1 :]
                return line

    def discard(self, deadline: float) -> bool:
        """Read and forget stdout, keep the log, until both ends are closed (True), the deadline or a flood (False)."""
        read = 0
        while self._open and read <= MAX_LOG:
            left = deadline - perf_counter()
            ready = self._poll.poll(left * 1000) if left > 0 else ()
            if not ready:
                return False
            for fd, _ in ready:
                chunk = os.read(fd, CHUNK)
                read += len(chunk)
                if not chunk:
                    self._hang_up(fd)
                elif fd == self._stderr:
                    self._keep(chunk)
        return not self._open

    def _wait(self, patience: Patience, awaited: str) -> list[tuple[int, int]]:
        """Return what can be read or written; nothing, if nothing can for as long as patience lasts."""
        self._pieces += 1
        if self._pieces > MAX_EAGER_READS:
            sleep(READ_PAUSE_S)
        try:
            return self._poll.poll(patience() * 1000)
        except OverdueError as overdue:
            template = TIMEOUT_TEMPLATES[awaited][overdue.is_cpu_time]
            raise BotTimeoutError(message(template, ms=overdue.limit_ms), self._waiting) from None

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, CHUNK)
        if fd == self._stdout:
            if not chunk:
                raise EndOfOutputError
            self._waiting += chunk
        elif not chunk:
            self._hang_up(fd)
        else:
            self._keep(chunk)
            if self._logged > MAX_LOG:
                template = gettext_noop("more than %(limit)s bytes were written to stderr in this leg")
                raise BotOverflowError(message(template, limit=MAX_LOG))

    def _keep(self, chunk: bytes) -> None:
        self._log += chunk
        self._logged += len(chunk)
        if len(self._log) > 4 * KEPT_LOG:
            del self._log[:-KEPT_LOG]

    def _hang_up(self, fd: int) -> None:
        self._poll.unregister(fd)
        self._open.discard(fd)
