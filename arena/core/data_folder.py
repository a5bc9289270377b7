"""Keep the arena's files from other users of the machine, and write files that hold what is private."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.core.management.base import CommandError

# Keep the arena's files from other users of the machine: its secret, its database, its messages and logs.

PRIVATE_UMASK = 0o077
OPEN_TO_OTHERS = 0o077
"""The bits of a mode that let others than the owner in."""


def restrict_new_files() -> None:
    """Make all files that this process and its children create from now on readable by their owner alone.

    Sandboxes have a umask of their own, since bots run as other users.
    """
    os.umask(PRIVATE_UMASK)


def load_or_create_secret(path: Path) -> str:
    """Return the secret of this data folder, made on first use. Of several processes at once, one wins."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()


def restrict_data_folder(folder: Path) -> str:
    """Close the data folder to other users, and return a sentence about what was done or is to be done.

    Return an empty text where there is nothing to say: the folder is closed, or isn't there yet.
    """
    try:
        found = folder.stat()
    except FileNotFoundError:
        return ""
    if not found.st_mode & OPEN_TO_OTHERS:
        return ""
    problem = f"Other users of this machine could read the data folder {folder} ({stat.filemode(found.st_mode)})"
    if found.st_mode & stat.S_ISVTX:
        return f"{problem}, and it is shared: set PENNANT_DATA to a folder of its own."
    if found.st_uid != os.geteuid():
        return f"{problem}, which belongs to another user. Close it as its owner: chmod -R go= {folder}"
    try:
        folder.chmod(stat.S_IMODE(found.st_mode) & ~OPEN_TO_OTHERS)
    except OSError as error:
        return f"{problem}, and it can't be closed ({error.strerror}). Close it: chmod -R go= {folder}"
    _restrict_files(folder)
    return f"{problem}. It is closed to them now, with all files in it."


def _restrict_files(folder: Path) -> None:
    """Close what was created before, so that it stays closed where it is copied or moved to. Links are left alone."""
    for parent, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(parent, name)
            try:
                mode = path.lstat().st_mode
                if mode & OPEN_TO_OTHERS and not stat.S_ISLNK(mode):
                    path.chmod(stat.S_IMODE(mode) & ~OPEN_TO_OTHERS)
            except (FileNotFoundError, PermissionError):  # a message that was read meanwhile, a file of somebody else
                continue


# Write files that hold what is private.


def check_is_new(path: Path) -> None:
    """Check that there is no file of this name. Raises CommandError."""
    if path.exists():
        raise CommandError(f"{path} exists already: choose another name, so that nothing is lost.")


@contextmanager
def create_private_file(path: Path) -> Iterator[IO[bytes]]:
    """Give a new file that only its owner can read. It appears under its name once it is complete.

    Raises CommandError where the name is taken, or the file can't be written.
    """
    check_is_new(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise CommandError(f"{path} can't be written: {error.strerror or error}.") from None
    finally:
        draft.unlink(missing_ok=True)
