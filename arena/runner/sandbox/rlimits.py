"""Compute the resource limits of bots, which are the same in all sandboxes."""

import contextlib
import os
import resource
from math import ceil
from pathlib import Path

from arena.runner.languages.base import Run
from arena.runner.limits import Limits

MIB = 1024 * 1024
MAX_STACK_BYTES = 8 * MIB
MAX_THREADS = 32
RESIDENT_MARGIN_BYTES = 32 * MIB
"""Resident memory beyond the memory limit, for the stack and for what libraries change of their files."""
CPU_SPARE_S = 30
"""Margin of the kernel's CPU limit over that of the clocks. It ends bots that no runner process waits for."""
FIXED_LIMITS = {
    "core": 1,  # with 0 a core_pattern that is a program would still run
    "fsize": 0,
    "memlock": 65536,
    "msgqueue": 0,
    "nice": 0,
    "nofile": 64,
    "nproc": MAX_THREADS,
    "rtprio": 0,
    "sigpending": 64,
}


def compute_limits(limits: Limits, run: Run) -> dict[str, int]:
    """Return hard and soft limits by the names of `prlimit`, in bytes, seconds and counts."""
    memory = (limits.memory_mb + run.spare_mb) * MIB
    sizes = {
        "data": memory,
        "stack": min(MAX_STACK_BYTES, memory),
        "as": memory + run.reserved_mb * MIB,
        "cpu": ceil((limits.start_ms + limits.bank_ms) / 1000) + CPU_SPARE_S,
    }
    return {name: cap_limit(name, bound) for name, bound in (FIXED_LIMITS | sizes).items()}


def compute_resident_limit(limits: Limits, run: Run) -> int:
    """Return the bytes that a bot may hold in memory, whatever it may still do with them."""
    return (limits.memory_mb + run.spare_mb) * MIB + RESIDENT_MARGIN_BYTES


def cap_limit(name: str, bound: int) -> int:
    """Return the limit, or the hard limit of this process if that is lower."""
    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
    return bound if hard == resource.RLIM_INFINITY else min(bound, hard)


def count_threads_of_user(user: int) -> int:
    """Return the number of threads of a user, which the kernel limits together."""
    found = 0
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdecimal():
                status = dict(line.split(":", 1) for line in Path(entry, "status").read_text().splitlines())
                found += int(status["Threads"]) if int(status["Uid"].split()[0]) == user else 0
    return found
