"""Copy and replace a database in SQLite."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic

from django.core.management.base import CommandError
from django.db import connection

from arena.management.backups.manifest import Contents, describe_contents

LOCK_TIMEOUT_S = 30.0


class SQLite:
    """A database in a file of the data folder. Others may read and write it meanwhile."""

    name = "sqlite"

    def copy_database(self, target: Path) -> Contents:
        """Write a consistent copy into a file, and return what is in it."""
        database = Path(connection.settings_dict["NAME"])
        if not database.is_file():
            raise CommandError(f"There is no database yet: {database} does not exist.")
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy, progress=_build_patience())
            # One file, without another beside it for what was written last.
            copy.execute("PRAGMA journal_mode=DELETE")
            return describe_contents(copy.execute)

    def replace_database(self, copy: Path, finish: Callable[[], None]) -> None:
        """Make a copy the database, and call `finish` on it; where anything fails the database stays as it was."""
        database = Path(connection.settings_dict["NAME"])
        with _work_on(copy):
            finish()
        with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(database)) as target:
            # One transaction of SQLite: who has the database open sees all of it, or nothing.
            source.backup(target, progress=_build_patience())


@contextmanager
def _work_on(path: Path) -> Iterator[None]:
    """Let the site's connection be to another file for a while."""
    before = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(path)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before


def _build_patience() -> Callable[[int, int, int], None]:
    """Return what ends a copy with a sentence where others don't let it begin: SQLite would try for ever."""
    deadline = monotonic() + LOCK_TIMEOUT_S

    def check(status: int, _remaining: int, _total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and monotonic() > deadline:
            raise CommandError("The database is in use: stop the web, the workers and the scheduler first.")

    return check
