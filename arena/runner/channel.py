"""Send messages over a pair of pipes: a length in four bytes, big-endian, then that many bytes."""

import os
import select
from time import monotonic

from arena.runner.wire import Answer, BadMessageError, Request, decode, encode

LENGTH_PREFIX_BYTES = 4
MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Enough for eight programs of 16 MiB in base64."""
CHUNK_BYTES = 1024 * 1024


class ChannelClosedError(Exception):
    """The other end is closed."""


class ChannelTimeoutError(Exception):
    """Nothing could be read or written in the given time."""


class Channel:
    """One end of a pair of pipes. The caller closes the descriptors."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading = reading
        self.writing = writing
        self._read = bytearray()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)

    def send(self, message: Request | Answer, timeout_s: float | None = None) -> None:
        """Send a message. Raises ChannelClosedError and ChannelTimeoutError."""
        body = encode(message)
        left = memoryview(len(body).to_bytes(LENGTH_PREFIX_BYTES, "big") + body)
        deadline = None if timeout_s is None else monotonic() + timeout_s
        while left:
            try:
                left = left[os.write(self.writing, left[:CHUNK_BYTES]) :]
            except BlockingIOError:
                _wait_for(self.writing, select.POLLOUT, deadline)
            except BrokenPipeError:
                raise ChannelClosedError("the other end reads no more") from None

    def receive(self, timeout_s: float | None = None) -> Request | Answer:
        """Return the next message. Raises ChannelClosedError, ChannelTimeoutError, BadMessageError."""
        deadline = None if timeout_s is None else monotonic() + timeout_s
        while (message := self._next()) is None:
            try:
                chunk = os.read(self.reading, CHUNK_BYTES)
            except BlockingIOError:
                _wait_for(self.reading, select.POLLIN, deadline)
                continue
            if not chunk:
                raise ChannelClosedError("the other end writes no more")
            self._read += chunk
        return message

    def is_readable(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` and return whether a message, or the end, can be received."""
        if self._read:
            return True
        poll = select.poll()
        poll.register(self.reading, select.POLLIN)
        return bool(poll.poll(timeout_s * 1000))

    def _next(self) -> Request | Answer | None:
        size = int.from_bytes(self._read[:LENGTH_PREFIX_BYTES], "big")
        if size > MAX_MESSAGE_BYTES:
            raise BadMessageError(f"a message of {size} bytes")
        if len(self._read) < LENGTH_PREFIX_BYTES + size or len(self._read) < LENGTH_PREFIX_BYTES:
            return None
        body = bytes(self._read[LENGTH_PREFIX_BYTES : LENGTH_PREFIX_BYTES + size])
        del self._read[: LENGTH_PREFIX_BYTES + size]
        return decode(body)


def _wait_for(fd: int, event: int, deadline: float | None) -> None:
    poll = select.poll()
    poll.register(fd, event)
    left = None if deadline is None else (deadline - monotonic()) * 1000
    if (left is not None and left <= 0) or not poll.poll(left):
        raise ChannelTimeoutError("nothing could be read or written in time")
