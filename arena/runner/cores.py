"""Give each process that plays matches a core of its own, also beside other programs and containers of this machine.

A core is claimed by locking a file, which the kernel unlocks when the process ends, even when it is killed. Containers
on one machine share the folder of these files, as `docker-compose.yml` shows.
"""

import fcntl
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

LOCK_FOLDER = Path("/run/lock")
"""The folder for lock files, see the Filesystem Hierarchy Standard."""
MAX_PROCESSES_PER_CORE = 64


def pin_to_free_core(first: int, parent: Path | None = None) -> int:
    """Keep this process and its future children on the core that the fewest others have claimed, and return its number.

    Among several of these, the search begins with the core number `first`, modulo the number of cores that this process
    may use. One core makes round trips many times faster.
    """
    cores = sorted(os.sched_getaffinity(0))
    first %= len(cores)
    core = claim_core([*cores[first:], *cores[:first]], parent)
    os.sched_setaffinity(0, {core})
    return core


def claim_core(cores: Sequence[int], parent: Path | None = None) -> int:
    """Return the core that the fewest others have claimed; of several, the first. Where nobody can lock, the first.

    The claim holds until this process ends.
    """
    try:
        folder = _create_folder(_find_parent() if parent is None else parent)
        for others in range(MAX_PROCESSES_PER_CORE):
            for core in cores:
                if _lock(folder / f"core-{core}-{others}"):
                    return core
    except OSError:
        pass
    return cores[0]


def _find_parent() -> Path:
    return LOCK_FOLDER if os.access(LOCK_FOLDER, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def _create_folder(parent: Path) -> Path:
    """Return the folder of this user's claims. Raises OSError where it is somebody else's."""
    folder = parent / f"pennant-cores-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to somebody else")
    return folder


def _lock(path: Path) -> bool:
    """Lock a file until this process ends, and return whether it was free. Raises OSError."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return False
    return True
