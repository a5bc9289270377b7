"""Reserve a slot for each bot of the Landlock sandbox: a number, the user with that number, and a folder.

The arena owns the folder and no bot can write to it, so filling and removing it from outside is safe. A slot is held by
a file lock, which the kernel releases when its process ends, even when it is killed. Files that a killed process left
behind are removed by the next process that takes the slot.
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

FIRST_SLOT_USER_ID = 60100
"""User id of the first slot. No file of the machine should belong to this or the following MAX_SLOTS ids."""
MAX_SLOTS = 256


@dataclass(frozen=True, slots=True)
class Slot:
    """A number, its user and its folder, held by one bot."""

    number: int
    folder: Path
    """Folder for the bot's files, which only the slot's user and the current one may enter."""
    lock: int

    @property
    def user_id(self) -> int:
        """Return the user and group id of the bot, where the arena runs as root."""
        return FIRST_SLOT_USER_ID + self.number

    def write_files(self, files: Mapping[str, bytes]) -> None:
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
            os.chown(self.folder, -1, self.user_id)
            self.folder.chmod(0o750)
        else:
            self.folder.chmod(0o700)

    def clear(self) -> None:
        """Remove the bot's files. Raises OSError."""
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def release(self) -> None:
        """Clear and unlock the slot, once its bot has ended. Raises OSError."""
        try:
            self.clear()
        finally:
            os.close(self.lock)


class Slots:
    """All slots that the current user's arenas share on this machine."""

    def __init__(self, parent: Path) -> None:
        self._folder = parent / f"pennant-slots-{os.geteuid()}"
        self._next = secrets.randbelow(MAX_SLOTS)

    def take(self) -> Slot:
        """Return the free slot that this process has not used for the longest time.

        Raises SandboxError and OSError.
        """
        self._create_folder()
        for offset in range(MAX_SLOTS):
            number = (self._next + offset) % MAX_SLOTS
            lock = self._lock(number)
            if lock is not None:
                self._next = number + 1
                slot = Slot(number, self._folder / str(number), lock)
                slot.clear()
                return slot
        raise SandboxError(f"all {MAX_SLOTS} slots for bots on this machine are taken")

    def _create_folder(self) -> None:
        """Create the folder of all slots, writable by the current user and searchable by everybody."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        found = self._folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise SandboxError(f"{self._folder} belongs to somebody else")
        self._folder.chmod(0o711)

    def _lock(self, number: int) -> int | None:
        fd = os.open(self._folder / f"{number}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        return fd
