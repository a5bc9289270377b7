"""Which processes of an arena use how much processor time."""

import os
from collections import Counter
from pathlib import Path

from tests.players import PROC, find_descendants

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
PARTS = {
    "players": b"\0arena.runner\0",
    "Django": b"\0celery\0",
    "site": b"gunicorn",
    "PostgreSQL": b"postgres",
    "Redis": b"redis-server",
}
"""What the command lines of a part's processes contain. Bots count towards the player that has reaped them."""
MACHINE = "all"
"""All of this machine, the kernel's own work included."""


def read_cpu_use() -> Counter[str]:
    """CPU seconds so far, by part of the arenas below this process."""
    used: Counter[str] = Counter()
    for pid in find_descendants(os.getpid()):
        try:
            command = (PROC / str(pid) / "cmdline").read_bytes()
            times = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[11:15]
        except OSError:
            continue
        part = next((part for part, words in PARTS.items() if words in command), None)
        if part is not None:
            used[part] += sum(map(int, times)) / CLOCK_TICKS
    used[MACHINE] = _read_machine_s()
    return used


def _read_machine_s() -> float:
    user, nice, system, _idle, _iowait, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq) / CLOCK_TICKS
