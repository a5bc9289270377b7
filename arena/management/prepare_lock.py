"""Let one process at a time prepare an installation: two that migrate a database at the same time break it."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

POSTGRESQL_LOCK = 0x70656E6E616E74
"""Number of the advisory lock, which all processes on the database share."""
WAITING = "Another process prepares this installation. This one waits for it, and goes on then."


@contextmanager
def hold_prepare_lock(say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of this installation. Where another process holds it, say so and wait. It ends with its process."""
    lock = _lock_database if connection.vendor == "postgresql" else _lock_file
    with lock(lambda: say(WAITING)):
        yield


@contextmanager
def _lock_database(on_wait: Callable[[], None]) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [POSTGRESQL_LOCK])
        if cursor.fetchone() == (False,):
            on_wait()
            cursor.execute("SELECT pg_advisory_lock(%s)", [POSTGRESQL_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [POSTGRESQL_LOCK])


@contextmanager
def _lock_file(on_wait: Callable[[], None]) -> Iterator[None]:
    with Path(f"{connection.settings_dict['NAME']}.prepare-lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
