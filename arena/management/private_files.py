"""Write files that hold what is private."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.core.management.base import CommandError


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
