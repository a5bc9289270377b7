"""How long threads were ready to run and this machine had no processor for them, by the kernel's own count."""

import contextlib
import os

ENOUGH = 64
"""Bytes: three numbers."""


class Lateness:
    """Of a bot, and of the thread that asks it. Where the kernel keeps no such count, nobody is ever late.

    Of a bot's threads the one that waited longest counts, not their sum: threads that crowd each other out make each
    other wait, and that is not this machine's doing.
    """

    def __init__(self) -> None:
        """To be made and asked by the same thread."""
        self._own = _open("/proc/thread-self/schedstat")
        self._own_before = _waited_s(self._own)
        self._pid: int | None = None
        self._main: int | None = None
        self._main_before = 0.0
        self._others_before: dict[str, float] = {}

    def follow(self, pid: int) -> None:
        """From now on count the bot too. What it waited before counts as well, until the next `mark`."""
        self._pid = pid
        self._main = _open(f"/proc/{pid}/schedstat")

    def mark(self) -> None:
        """Count from here. Of threads other than a bot's first one, from when `since_mark` was last called."""
        self._own_before = _waited_s(self._own)
        self._main_before = _waited_s(self._main)

    def since_mark(self) -> float:
        """Seconds."""
        longest = max(0.0, _waited_s(self._main) - self._main_before)
        if self._pid is not None:
            others = _others(self._pid)
            for thread, waited in others.items():
                longest = max(longest, waited - self._others_before.get(thread, 0.0))
            self._others_before = others
        return longest + max(0.0, _waited_s(self._own) - self._own_before)

    def close(self) -> None:
        for fd in (self._own, self._main):
            if fd is not None:
                os.close(fd)
        self._own = self._main = self._pid = None


def _others(pid: int) -> dict[str, float]:
    """Seconds by thread, the first one left out."""
    folder, first = f"/proc/{pid}/task", str(pid)
    waited = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(folder):
            if thread != first and (fd := _open(f"{folder}/{thread}/schedstat")) is not None:
                waited[thread] = _waited_s(fd)
                os.close(fd)
    return waited


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None


def _waited_s(fd: int | None) -> float:
    if fd is None:
        return 0.0
    try:
        return int(os.pread(fd, ENOUGH, 0).split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
