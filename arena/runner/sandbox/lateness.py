"""How long threads were ready to run and this machine had no processor for them, by the kernel's own count."""

import os
from collections.abc import Mapping

from arena.runner.sandbox.threads import is_running, threads

ENOUGH = 64
"""Bytes for three numbers: nanoseconds run, nanoseconds waited, times run."""


class Lateness:
    """Of a bot, and of the thread that asks it. Where the kernel keeps no such count, nobody is ever late.

    Of a bot's threads the one that waited longest counts, not their sum: threads that crowd each other out make each
    other wait, and that is not this machine's doing.
    """

    def __init__(self) -> None:
        """To be made and asked by the same thread."""
        self._own = _open("/proc/thread-self/schedstat")
        self._own_before = _read(self._own)
        self._pid: int | None = None
        self._before: Mapping[str, float] = {}
        self._now: Mapping[str, float] = {}

    def follow(self, pid: int) -> None:
        """From now on count the bot too."""
        self._pid = pid

    def mark(self) -> None:
        """Count from here; of the bot, from when `since_mark` was last called.

        Called for every question, so the bot is left alone: what adds up in between are prompt answers, which are
        late by next to nothing each.
        """
        self._own_before = _read(self._own)
        self._before = self._now

    def since_mark(self) -> float:
        """Seconds."""
        if self._pid is not None:
            self._now = _waited_by_thread(self._pid)
        longest = max((waited - self._before.get(thread, 0.0) for thread, waited in self._now.items()), default=0.0)
        return longest + _waited_s(_read(self._own)) - _waited_s(self._own_before)

    def is_pending(self) -> bool:
        """Whether a thread of the bot is ready to run just now: how long it waits is counted once it has run."""
        return self._pid is not None and is_running(self._pid)

    def close(self) -> None:
        self._pid = None
        if self._own is not None:
            os.close(self._own)
            self._own = None


def _waited_by_thread(pid: int) -> dict[str, float]:
    """Seconds of each."""
    waited = {}
    for thread in threads(pid):
        if (fd := _open(f"/proc/{pid}/task/{thread}/schedstat")) is not None:
            waited[thread] = _waited_s(_read(fd))
            os.close(fd)
    return waited


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None


def _read(fd: int | None) -> bytes:
    """Three numbers, or nothing where there is no such count, or no such thread any more."""
    if fd is None:
        return b""
    try:
        return os.pread(fd, ENOUGH, 0)
    except OSError:
        return b""


def _waited_s(counts: bytes) -> float:
    numbers = counts.split()
    return int(numbers[1]) / 1e9 if numbers else 0.0
