"""Measure how long threads were ready to run but had no processor, from the kernel's statistics."""

import os
from collections.abc import Mapping

from arena.runner.sandbox.threads import list_running_threads, list_threads

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
