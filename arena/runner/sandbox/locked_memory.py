"""Lock files that bots see in memory, so that they never move to swap space. See mlock(2)."""

import ctypes
import mmap
import os
from collections.abc import Iterable
from pathlib import Path

SWAPS = Path("/proc/swaps")
"""A headline, and a line for each swap area."""
MAP_FAILED = ctypes.c_void_p(-1).value
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, *(ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long))
_libc.mlock.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_locked: set[tuple[int, int]] = set()
"""Device and inode of each file that this process has locked. They stay mapped until it ends."""


def has_swap() -> bool:
    """Return whether this machine has swap space."""
    return len(SWAPS.read_text().splitlines()) > 1


def lock_folders(folders: Iterable[Path]) -> bool:
    """Lock all files below these folders for as long as this process lives, and return whether that was possible.

    It takes CAP_IPC_LOCK, or a resource limit `memlock` of the size of all files.
    """
    files = (Path(top, name) for folder in folders for top, _, names in os.walk(folder) for name in names)
    return all(_lock_file(path) for path in files)


def _lock_file(path: Path) -> bool:
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        key = status.st_dev, status.st_ino
        if key in _locked or not status.st_size:
            return True
        address = _libc.mmap(None, status.st_size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
    if address == MAP_FAILED or _libc.mlock(address, status.st_size) != 0:
        return False
    _locked.add(key)
    return True
