"""Define what a backup asks of a kind of database, and find the kind that this arena has."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from django.core.management.base import CommandError
from django.db import connection

from arena.management.backups.manifest import Contents
from arena.management.backups.postgresql import PostgreSQL
from arena.management.backups.sqlite import SQLite

FILLED_BY_MIGRATIONS = {"django_migrations", "django_content_type", "auth_permission"}
"""These tables have rows in an arena in which nothing has happened yet."""


class Engine(Protocol):
    """Copy the database while it is in use, and replace it by a copy."""

    name: str

    def copy_database(self, target: Path) -> Contents:
        """Write a consistent copy into a file, and return what is in it."""

    def replace_database(self, copy: Path, finish: Callable[[], None]) -> None:
        """Make a copy the database, and call `finish` on it; where anything fails the database stays as it was."""


def find_engine() -> Engine:
    """Return the kind of this arena's database. Raises CommandError where it can't be backed up."""
    engines: dict[str, Engine] = {"sqlite": SQLite(), "postgresql": PostgreSQL()}
    if connection.vendor not in engines:
        raise CommandError(f"A database in {connection.vendor} can't be backed up with this command.")
    return engines[connection.vendor]


def is_database_empty() -> bool:
    """Return whether nothing has happened in the database, but perhaps migrations."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table in FILLED_BY_MIGRATIONS:
                continue
            cursor.execute(f"select 1 from {connection.ops.quote_name(table)} limit 1")
            if cursor.fetchone():
                return False
    return True
