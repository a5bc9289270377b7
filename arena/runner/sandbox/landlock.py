"""Landlock: a process gives up, for good, every right over files that no rule of its own leaves it.

Numbers from include/uapi/linux/landlock.h. What a kernel knows is its ABI version: 1 since Linux 5.13.
"""

import ctypes
import sys
from dataclasses import dataclass

CREATE_RULESET = 444
"""System call, the same number on every architecture."""
VERSION_FLAG = 1

EXECUTE = 1 << 0
READ_FILE = 1 << 2
READ_DIR = 1 << 3
RUN = EXECUTE | READ_FILE | READ_DIR
READ = READ_FILE | READ_DIR
FILE_RIGHTS = ((1, 13), (2, 14), (3, 15), (5, 16))
"""From which ABI on how many rights over files are known, each the lowest free bit: the last are to move between
folders (2), to truncate (3), and to speak to devices (5)."""
NETWORK_SINCE, NETWORK_RIGHTS = 4, 0b11
"""To bind and to connect TCP."""
SCOPES_SINCE, SCOPES = 6, 0b11
"""Abstract unix sockets and signals, out of the domain."""
NEWEST = 7
"""What is known here: a newer kernel is asked for no more."""


def kernel_abi() -> int:
    """Return the version of Landlock the running kernel has; 0 where there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))))


@dataclass(frozen=True, slots=True)
class Handled:
    """What a ruleset takes away, as bit sets: fields of struct landlock_ruleset_attr."""

    files: int
    network: int
    scopes: int

    @property
    def attribute(self) -> bytes:
        """The struct, no longer than it says something: older kernels refuse fields they don't know."""
        words = (self.files, self.network, self.scopes)
        used = max(index for index, word in enumerate(words) if word) + 1
        return b"".join(word.to_bytes(8, sys.byteorder) for word in words[:used])


def handled(abi: int) -> Handled:
    """Everything that a kernel of this ABI can take away."""
    if abi < 1:
        raise ValueError("there is no Landlock before ABI 1")
    rights = max(count for since, count in FILE_RIGHTS if since <= abi)
    return Handled(
        (1 << rights) - 1,
        NETWORK_RIGHTS if abi >= NETWORK_SINCE else 0,
        SCOPES if abi >= SCOPES_SINCE else 0,
    )
