"""A slot is what a fenced bot has to itself on this machine: a number, the user of that number, and a folder.

The folder is the arena's: no bot owns it, may write to it, or can tell the kernel to, so it is safe to lay out and to
remove from outside. A slot is held by a lock of the kernel's, which ends with the process that holds it, killed or not;
what a killed one left there is removed by the next that takes the slot.
"""

import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.runner.sandbox.base import SandboxError

FIRST_USER = 60100
"""Nothing on the machine should belong to it, nor to those after it."""
COUNT = 256


@dataclass(frozen=True, slots=True)
class Slot:
    """A number, its user and its folder, held by one bot."""

    number: int
    folder: Path
    """Of the files of the slot's bot. Only the slot's user may enter it, besides this one."""
    lock: int

    @property
    def user(self) -> int:
        """Of a bot that a root arena starts here; its group has the same number."""
        return FIRST_USER + self.number

    def lay_out(self, files: Mapping[str, bytes]) -> None:
        """Write the bot's files. Raises OSError."""
        self.folder.mkdir(mode=0o700)
        for path, content in files.items():
            copy = self.folder / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            with copy.open("xb") as out:
                out.write(content)
                os.fchmod(out.fileno(), 0o555)
        for folder, _, _ in os.walk(self.folder):
            os.chmod(folder, 0o755)
        if os.geteuid() == 0:
            os.chown(self.folder, -1, self.user)
            self.folder.chmod(0o750)
        else:
            self.folder.chmod(0o700)

    def clear(self) -> None:
        """Remove the bot's files. Raises OSError."""
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def release(self) -> None:
        """Clear the slot and let it go; its bot is gone. Raises OSError."""
        try:
            self.clear()
        finally:
            os.close(self.lock)


class Slots:
    """All slots of this user's arenas on this machine."""

    def __init__(self, place: Path) -> None:
        self._room = place / f"pennant-slots-{os.geteuid()}"
        self._next = secrets.randbelow(COUNT)

    def take(self) -> Slot:
        """Return the free slot that this process has not used for the longest time.

        Raises SandboxError and OSError.
        """
        self._enter()
        for offset in range(COUNT):
            number = (self._next + offset) % COUNT
            lock = self._lock(number)
            if lock is not None:
                self._next = number + 1
                slot = Slot(number, self._room / str(number), lock)
                slot.clear()
                return slot
        raise SandboxError(f"all {COUNT} places for bots on this machine are taken")

    def _enter(self) -> None:
        """Make the folder of all slots, which only this user may write to and everybody may pass through."""
        self._room.mkdir(mode=0o700, exist_ok=True)
        found = self._room.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise SandboxError(f"{self._room} belongs to somebody else")
        self._room.chmod(0o711)

    def _lock(self, number: int) -> int | None:
        fd = os.open(self._room / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        return fd
