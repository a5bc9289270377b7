"""List the processes of this machine, and keep its processors busy."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path

Process = tuple[int, int]
"""A process id and its start time, since ids are reused."""
Started = Callable[[], set[Process]]
"""Function that lists the living processes that a test started."""


def list_descendants(pid: int, apart_from: Set[Process] = frozenset()) -> set[Process]:
    """Return all living descendants of a process, without these and what they started."""
    parents = {process: parent for process, parent in map(_read, _pids()) if process is not None}
    found: set[Process] = set()
    ids = {pid}
    while True:
        more = {process for process, parent in parents.items() if parent in ids} - found - apart_from
        if not more:
            return found
        found |= more
        ids |= {process[0] for process in more}


def wait_for_survivors(processes: set[Process], within_s: float = 2.0) -> set[Process]:
    """Wait up to `within_s` for processes to end and return those that still live."""
    deadline = time.monotonic() + within_s
    while True:
        left = {process for process in processes if _read(process[0])[0] == process}
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.01)


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep the cores of this thread busy with so many processes.

    Each has a session of its own like each bot, since a kernel may give every session the same share.
    """
    spin = ["sh", "-c", "while :; do :; done"]
    others = [subprocess.Popen(spin, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _read(pid: int) -> tuple[Process | None, int]:
    """Return the process with its parent's id; None if it has ended, reaped or not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None, 0
    return (None if fields[0] == "Z" else (pid, int(fields[19]))), int(fields[1])
