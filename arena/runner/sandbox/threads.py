"""The threads of a bot, seen from outside: what they do, and stopping every one."""

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator

_libc = ctypes.CDLL(None)
STOP = 1 << (signal.SIGSTOP - 1)


def threads(pid: int) -> list[str]:
    """Their ids; none where the process is gone."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def running(pid: int) -> list[str]:
    """Return the ids of those that run, or are ready to and wait for a processor."""
    return [thread for thread, state in _states(pid) if state == "R"]


def stop_each(pid: int) -> None:
    """Stop every thread. A stop takes hold once a thread it was sent to has a processor: now the first that has."""
    for thread in threads(pid):
        _libc.tgkill(pid, int(thread), signal.SIGSTOP)


def is_told_to_stop(pid: int) -> bool:
    """Whether a stop still waits for a thread to take notice of it."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", errors="replace") as status:
        pending = next((line for line in status if line.startswith("ShdPnd:")), "ShdPnd: 0")
        return bool(int(pending.split()[1], 16) & STOP)
    return False


def _states(pid: int) -> Iterator[tuple[str, str]]:
    """Each with its letter."""
    for thread in threads(pid):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/stat", errors="replace") as stat:
            yield thread, stat.read().rpartition(")")[2].split()[0]
