"""Find the players of workers, and all processes below them."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from tests.runner.processes import list_descendants

PROC = Path("/proc")
CAUGHT_S = 60.0
PROCESSES = 6
"""A match between two bots has so many: each bot has its bubblewrap, and the first process of its namespace."""


def read_parents() -> dict[int, int]:
    """Return the parent of every process that lives."""
    found = {}
    for stat in PROC.glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                found[int(stat.parent.name)] = int(parent)
    return found


def find_descendants(ancestor: int) -> set[int]:
    """Return all living processes that a process has started, at any remove."""
    return {pid for pid, _ in list_descendants(ancestor)}


def is_player(pid: int) -> bool:
    with suppress(OSError):
        return b"-m\0arena.runner\0" in (PROC / str(pid) / "cmdline").read_bytes()
    return False


def catch_in_match(ancestor: int) -> int:
    """Stop a player in a match of two bots at least, one of which it has stopped itself, and return it."""
    deadline = monotonic() + CAUGHT_S
    while monotonic() < deadline:
        for player in filter(is_player, find_descendants(ancestor)):
            os.kill(player, signal.SIGSTOP)
            if find_stopped(player) and len(find_descendants(player)) >= PROCESSES:
                return player
            os.kill(player, signal.SIGCONT)
        sleep(0.003)
    raise AssertionError(f"no player was caught in a match within {CAUGHT_S} s")


def find_stopped(ancestor: int) -> list[int]:
    stats = []
    for pid in find_descendants(ancestor):
        with suppress(OSError):
            stats.append(((PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0], pid))
    return [pid for state, pid in stats if state == "T"]
