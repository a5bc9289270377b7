"""How long threads were ready to run and this machine had no processor for them, by the kernel's own count."""

import os
from collections.abc import Mapping

from arena.runner.sandbox.threads import running, threads

ENOUGH = 64
"""Bytes for three numbers: nanoseconds run, nanoseconds waited, times run."""


class CpuWait:
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
        self._ready: Mapping[str, int] | None = None
        """How often each thread had run that was ready to when that was last asked; None for a new question."""

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
        self._ready = None

    def since_mark(self) -> float:
        """Seconds."""
        if self._pid is not None:
            self._now = _waited_by_thread(self._pid)
        longest = max((waited - self._before.get(thread, 0.0) for thread, waited in self._now.items()), default=0.0)
        return longest + _waited_s(_read(self._own)) - _waited_s(self._own_before)

    def is_pending(self) -> bool:
        """Tell whether a thread of the bot waits for a processor since the last call.

        How long it waits is counted once it has run. At first after a question it is enough to be ready: one thread
        could be that by turns for ever.
        """
        before, self._ready = self._ready, {} if self._pid is None else _runs_of_ready(self._pid)
        if before is None:
            return bool(self._ready)
        return any(before.get(thread) == runs for thread, runs in self._ready.items())

    def close(self) -> None:
        """Close the descriptor."""
        self._pid = None
        if self._own is not None:
            os.close(self._own)
            self._own = None


def _waited_by_thread(pid: int) -> dict[str, float]:
    """Seconds of each."""
    return {thread: _waited_s(_counts(pid, thread)) for thread in threads(pid)}


def _runs_of_ready(pid: int) -> dict[str, int]:
    """How often each has run, of those that run or are ready to."""
    counts = {thread: _counts(pid, thread).split() for thread in running(pid)}
    return {thread: int(numbers[2]) for thread, numbers in counts.items() if numbers}


def _counts(pid: int, thread: str) -> bytes:
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
