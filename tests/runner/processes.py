"""Looking at the machine's processes from outside."""

import os
import time
from pathlib import Path

Process = tuple[int, int]
"""A process id and when it was started: ids are used again."""


def descendants(pid: int) -> set[Process]:
    """All that a process has started, directly or not, as far as it still lives."""
    parents = {process: parent for process, parent in map(_read, _pids()) if process is not None}
    found: set[Process] = set()
    ids = {pid}
    while True:
        more = {process for process, parent in parents.items() if parent in ids} - found
        if not more:
            return found
        found |= more
        ids |= {process[0] for process in more}


def survivors(processes: set[Process], within_s: float = 2.0) -> set[Process]:
    """Which of them still live after that time at most."""
    deadline = time.monotonic() + within_s
    while True:
        left = {process for process in processes if _read(process[0])[0] == process}
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.01)


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _read(pid: int) -> tuple[Process | None, int]:
    """The process with its parent's id; None for one that is gone or only waits to be reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None, 0
    return (None if fields[0] == "Z" else (pid, int(fields[19]))), int(fields[1])
