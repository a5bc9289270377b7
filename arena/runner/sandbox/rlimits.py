"""Compute the resource limits of bots, which are the same in all sandboxes."""

import contextlib
import os
import resource
from math import ceil
from pathlib import Path

from arena.runner.languages.base import Run
from arena.runner.limits import Limits

MIB = 1024 * 1024
STACK = 8 * MIB
THREADS = 32
ADDRESS_SPARE_MB = 256
"""Address space beyond the memory limit: libraries, and what runtimes reserve without using it."""
UNUSED_SPACE = 32 * 1024 * MIB
"""Address space for runtimes that reserve far more than they use: page tables cost a 512th of the memory touched."""
CPU_SPARE_S = 30
"""Seconds added to the clocks' limit for the kernel's limit of CPU time, which ends bots nobody waits for."""
ALWAYS = {
    "core": 1,  # a core_pattern that is a program runs with 0 too, and only 1 says not to
    "fsize": 0,
    "memlock": 65536,
    "msgqueue": 0,
    "nice": 0,
    "nofile": 64,
    "nproc": THREADS,
    "rtprio": 0,
    "sigpending": 64,
}


def bounds(limits: Limits, run: Run) -> dict[str, int]:
    """Return hard and soft limits by the names of `prlimit`, in bytes, seconds and counts."""
    memory = (limits.memory_mb + run.spare_mb) * MIB
    sizes = {
        "data": memory,
        "stack": min(STACK, memory),
        "as": memory + ADDRESS_SPARE_MB * MIB if run.address_space else UNUSED_SPACE,
        "cpu": ceil((limits.start_ms + limits.bank_ms) / 1000) + CPU_SPARE_S,
    }
    return {name: allowed(name, bound) for name, bound in (ALWAYS | sizes).items()}


def allowed(name: str, bound: int) -> int:
    """Return the limit, or the lower one of this process itself, which only root may raise."""
    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
    return bound if hard == resource.RLIM_INFINITY else min(bound, hard)


def tasks_of(user: int) -> int:
    """Return the number of threads of a user, which the kernel limits together."""
    found = 0
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdecimal():
                status = dict(line.split(":", 1) for line in Path(entry, "status").read_text().splitlines())
                found += int(status["Threads"]) if int(status["Uid"].split()[0]) == user else 0
    return found
