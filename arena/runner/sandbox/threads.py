"""Observe and stop the threads of a bot from outside."""

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator

_libc = ctypes.CDLL(None)
SIGSTOP_BIT = 1 << (signal.SIGSTOP - 1)


def list_threads(pid: int) -> list[str]:
    """Return the ids of the threads; none if the process has ended."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def list_running_threads(pid: int) -> list[str]:
    """Return the ids of the threads that run or wait for a processor."""
    return [thread for thread, state in _list_states(pid) if state == "R"]


def stop_threads(pid: int) -> None:
    """Send the stop to each thread, so that it takes effect as soon as any of them has a processor."""
    for thread in list_threads(pid):
        _libc.tgkill(pid, int(thread), signal.SIGSTOP)


def has_pending_stop(pid: int) -> bool:
    """Return whether a stop signal is still pending."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", errors="replace") as status:
        pending = next((line for line in status if line.startswith("ShdPnd:")), "ShdPnd: 0")
        return bool(int(pending.split()[1], 16) & SIGSTOP_BIT)
    return False


def _list_states(pid: int) -> Iterator[tuple[str, str]]:
    """Yield the id and the state letter of each thread."""
    for thread in list_threads(pid):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/stat", errors="replace") as stat:
            yield thread, stat.read().rpartition(")")[2].split()[0]
