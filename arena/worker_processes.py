"""Find out how many processes of a worker the cores and the memory of this machine or container allow."""

import os
from collections.abc import Iterator
from pathlib import Path

MIB = 1 << 20
WORKER_MB = 1024
"""Memory of a worker besides its processes: the main process, and the files that bots see, which lie in memory."""
PROCESS_MB = 1280
"""Memory of a process: up to four bots of 256 MB at once, its runner, and the process itself."""
CGROUPS = Path("/sys/fs/cgroup")


def count_worker_processes() -> int:
    """Return one process for each core this process may use, but no more than memory allows, and at least one."""
    for_processes_mb = find_memory_limit() // MIB - WORKER_MB
    return max(1, min(len(os.sched_getaffinity(0)), for_processes_mb // PROCESS_MB))


def find_memory_limit(own_groups: Path = Path("/proc/self/cgroup"), root: Path = CGROUPS) -> int:
    """Return the bytes of memory that this process may use: those of the machine, or the limit of a control group."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for file in _list_limit_files(own_groups, root):
        try:
            limits.append(int(file.read_text()))
        except (OSError, ValueError):  # there is no such group, or its limit is "max"
            continue
    return min(limits)


def _list_limit_files(own_groups: Path, root: Path) -> Iterator[Path]:
    """Yield where the limits of this process's groups may be, see cgroups(7): version 2 names no controllers.

    A container may see its own group as the root, while the names are those outside of it.
    """
    try:
        lines = own_groups.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        group = top / path.lstrip("/")
        yield from (folder / name for folder in (group, *group.parents) if folder.is_relative_to(top))
