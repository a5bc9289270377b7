"""Lines over three non-blocking pipes: one poll, somebody who loses patience, nothing unbounded."""

import os
import select
from collections.abc import Callable
from fcntl import ioctl
from termios import FIONREAD
from time import perf_counter, sleep

from arena.runner.protocol import MAX_LINE
from arena.runner.sandbox.base import BotOverflow, BotSpoke, BotTimeout

MAX_LOG = 1024 * 1024
"""Bytes of stderr in one leg; more is a flood."""
KEPT_LOG = 64 * 1024
CHUNK = MAX_LINE + 1
MANY = 200
"""Pieces of one answer, its share of the log among them. Whoever writes more and smaller ones"""
PAUSE_S = 0.001
"""is looked at so seldom only: waking up for a byte costs the arena more than writing it costs the bot."""
Patience = Callable[[], float]
"""Asked before each wait: how many seconds it may last. Raises BotTimeout, its message the end of a sentence."""


class EndOfOutput(Exception):
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
            raise BotOverflow(
                f"more than {MAX_LINE} bytes were written without being asked",
                self._waiting,
            )
        raise BotSpoke("something was written to stdout without being asked", self._waiting)

    @property
    def unfinished(self) -> bytes:
        """What has come of a line so far."""
        return self._waiting

    def write(self, line: bytes) -> int:
        """Write what fits into the pipe now, and return how much that was. Raises EndOfOutput."""
        self._pieces = 0
        try:
            return os.write(self._stdin, line)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise EndOfOutput from None

    def write_rest(self, rest: bytes, patience: Patience) -> None:
        """Write as the bot reads. Raises EndOfOutput, BotTimeout, BotOverflow."""
        self._poll.register(self._stdin, select.POLLOUT)
        try:
            while rest:
                for fd, _ in self._wait(patience, "the question was not read"):
                    if fd == self._stdin:
                        rest = rest[os.write(fd, rest) :]
                    else:
                        self._read(fd)
                        self._refuse_flood()
        except BrokenPipeError:
            raise EndOfOutput from None
        finally:
            self._poll.unregister(self._stdin)

    def _refuse_flood(self) -> None:
        if len(self._waiting) > MAX_LINE:
            raise BotOverflow(f"more than {MAX_LINE} bytes were written before the question was read", self._waiting)

    def read_line(self, patience: Patience) -> bytes:
        """The next line without its newline. Raises EndOfOutput, BotTimeout, BotOverflow."""
        while True:
            for fd, _ in self._wait(patience, "no whole line came"):
                self._read(fd)
            end = self._waiting.find(b"\n")
            if (len(self._waiting) if end < 0 else end) > MAX_LINE:
                raise BotOverflow(f"a line is longer than {MAX_LINE} bytes", self._waiting)
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

    def _wait(self, patience: Patience, failed: str) -> list[tuple[int, int]]:
        """What has something to be read or written; nothing, if nothing has for as long as patience lasts."""
        self._pieces += 1
        if self._pieces > MANY:
            sleep(PAUSE_S)
        try:
            return self._poll.poll(patience() * 1000)
        except BotTimeout as end:
            raise BotTimeout(f"{failed} {end}", self._waiting) from None

    def _read(self, fd: int) -> None:
        chunk = os.read(fd, CHUNK)
        if fd == self._stdout:
            if not chunk:
                raise EndOfOutput
            self._waiting += chunk
        elif not chunk:
            self._hang_up(fd)
        else:
            self._keep(chunk)
            if self._logged > MAX_LOG:
                raise BotOverflow(f"more than {MAX_LOG} bytes were written to stderr in this leg")

    def _keep(self, chunk: bytes) -> None:
        self._log += chunk
        self._logged += len(chunk)
        if len(self._log) > 4 * KEPT_LOG:
            del self._log[:-KEPT_LOG]

    def _hang_up(self, fd: int) -> None:
        self._poll.unregister(fd)
        self._open.discard(fd)
