"""Read how much memory a bot really holds.

The kernel's limits count address space and writable memory (RLIMIT_AS, RLIMIT_DATA), so a program evades them by
filling memory and giving up the permission to write to it. Resident pages that belong to no file are counted here
whatever their permissions.
"""

import contextlib
import os

from arena.runner.sandbox.base import BotOutOfMemoryError
from arena.runner.sandbox.rlimits import MIB
from engine.message import gettext_noop, message

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
MAX_STATM_LENGTH = 256


class ResidentMemory:
    """The resident memory of one process, compared with its limit."""

    def __init__(self, limit_bytes: float) -> None:
        self.limit_bytes = limit_bytes
        self._statm: int | None = None
        """A descriptor of /proc/PID/statm, see proc_pid_statm(5)."""

    def follow(self, pid: int) -> None:
        """Watch the process with this id."""
        self.close()
        with contextlib.suppress(OSError):
            self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC)

    def read_bytes(self) -> int:
        """Return the bytes that the process holds; 0 if it has ended or is not known yet."""
        if self._statm is None:
            return 0
        try:
            _size, resident, of_files, *_ = os.pread(self._statm, MAX_STATM_LENGTH, 0).split()
        except (OSError, ValueError):
            return 0
        return (int(resident) - int(of_files)) * PAGE_BYTES

    def is_exceeded(self) -> bool:
        """Return whether the process holds more than its limit."""
        return self.read_bytes() > self.limit_bytes

    def check(self) -> None:
        """Raise BotOutOfMemoryError if the process holds more than its limit."""
        held = self.read_bytes()
        if held > self.limit_bytes:
            template = gettext_noop("the bot held %(held)s MiB of memory; %(limit)s MiB is the limit")
            raise BotOutOfMemoryError(message(template, held=held // MIB, limit=int(self.limit_bytes) // MIB))

    def close(self) -> None:
        """Stop watching."""
        if self._statm is not None:
            os.close(self._statm)
            self._statm = None
