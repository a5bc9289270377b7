"""Define what Landlock can restrict, by the ABI version of the kernel: 1 since Linux 5.13.

The numbers are those of include/uapi/linux/landlock.h.
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
RUN_RIGHTS = EXECUTE | READ_FILE | READ_DIR
READ_RIGHTS = READ_FILE | READ_DIR
FILE_RIGHT_COUNTS = ((1, 13), (2, 14), (3, 15), (5, 16))
"""Number of known file rights from each ABI on, as lowest bits. Added were moving between folders (2), truncating (3)
and control of devices (5)."""
NETWORK_SINCE, NETWORK_RIGHTS = 4, 0b11
"""Binding and connecting of TCP sockets."""
SCOPES_SINCE, SCOPES = 6, 0b11
"""Abstract Unix sockets and signals to processes outside."""
NEWEST_KNOWN_ABI = 7
"""Later versions are used like this one."""


def kernel_abi() -> int:
    """Return the ABI version of Landlock in the running kernel; 0 if there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))))


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What a ruleset restricts, as bit sets: the fields of struct landlock_ruleset_attr."""

    files: int
    network: int
    scopes: int

    @property
    def attribute(self) -> bytes:
        """The struct up to its last field in use: older kernels refuse fields they don't know."""
        words = (self.files, self.network, self.scopes)
        used = max(index for index, word in enumerate(words) if word) + 1
        return b"".join(word.to_bytes(8, sys.byteorder) for word in words[:used])


def find_restrictions(abi: int) -> Restrictions:
    """Return everything that a kernel of this ABI can restrict."""
    if abi < 1:
        raise ValueError("there is no Landlock before ABI 1")
    rights = max(count for since, count in FILE_RIGHT_COUNTS if since <= abi)
    return Restrictions(
        (1 << rights) - 1,
        NETWORK_RIGHTS if abi >= NETWORK_SINCE else 0,
        SCOPES if abi >= SCOPES_SINCE else 0,
    )
