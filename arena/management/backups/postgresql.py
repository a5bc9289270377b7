"""Copy and replace a database in PostgreSQL, with its own programs."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.core.management.base import CommandError
from django.db import OperationalError, connection, transaction
from django.db.backends.postgresql.client import DatabaseClient

from arena.management.backups.manifest import Contents, describe_contents

ASIDE = "pennant_replaced"
"""The schema in which the tables are kept until those of the backup have taken their place."""
LOCK_TIMEOUT_S = 10
COPY_OPTIONS = ("--no-owner", "--no-privileges")


class PostgreSQL:
    """A database on a server. Others may read and write it while it is copied."""

    name = "postgresql"

    def copy_database(self, target: Path) -> Contents:
        """Write a consistent copy into a file, and return what is in it."""
        program = _find_program("pg_dump")
        parameters = connection.get_connection_params()
        with psycopg.connect(**parameters) as reader:
            reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            snapshot = str(reader.execute("select pg_export_snapshot()").fetchall()[0][0])
            arguments, env = _build_arguments()
            options = [f"--exclude-schema={ASIDE}", f"--snapshot={snapshot}", "--file", str(target), *COPY_OPTIONS]
            _run([program, "--format=custom", *options, *arguments], env)
            return describe_contents(lambda statement: reader.execute(statement).fetchall())

    def replace_database(self, copy: Path, finish: Callable[[], None]) -> None:
        """Make a copy the database, and call `finish` on it; where anything fails the database stays as it was."""
        program = _find_program("pg_restore")
        *arguments, name = _build_arguments()[0]
        options = ["--single-transaction", "--exit-on-error", "--no-comments", *COPY_OPTIONS]
        with _tables_aside():
            _run([program, *options, *arguments, "--dbname", name, str(copy)], _build_arguments()[1])
            finish()


@contextmanager
def _tables_aside() -> Iterator[None]:
    """Put the tables aside; drop them at the end, or where something failed what was made instead of them."""
    schema = _fetch_names("select current_schema()")[0]
    if _fetch_names(f"select nspname from pg_namespace where nspname = '{ASIDE}'"):
        raise CommandError(
            f"The schema {ASIDE} in the database is left from a restore that was interrupted. Its tables are those "
            "from before: move them back or drop the schema."
        )
    try:
        with transaction.atomic():
            _execute(f"set local lock_timeout = '{LOCK_TIMEOUT_S}s'", f'create schema "{ASIDE}"')
            _move_tables(schema, ASIDE)
    except OperationalError:
        raise CommandError("The database is in use: stop the web, the workers and the scheduler first.") from None
    try:
        yield
    except BaseException:
        with transaction.atomic():
            _execute(*(f'drop table "{schema}"."{table}" cascade' for table in _list_tables(schema)))
            _move_tables(ASIDE, schema)
            _execute(f'drop schema "{ASIDE}"')
        raise
    _execute(f'drop schema "{ASIDE}" cascade')


def _move_tables(source: str, target: str) -> None:
    """Move all tables, with their indexes and sequences, from one schema to another."""
    _execute(*(f'alter table "{source}"."{table}" set schema "{target}"' for table in _list_tables(source)))


def _list_tables(schema: str) -> list[str]:
    return _fetch_names(f"select tablename from pg_tables where schemaname = '{schema}' order by 1")


def _fetch_names(statement: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [str(row[0]) for row in cursor.fetchall()]


def _execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _find_program(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        raise CommandError(f"{name} is not installed here: it comes with PostgreSQL's client programs.")
    return program


def _build_arguments() -> tuple[list[str], dict[str, str]]:
    """Return the arguments that lead to the database, its name last, and the environment with the password."""
    settings: dict[str, Any] = connection.settings_dict
    (_, *arguments), env = DatabaseClient.settings_to_cmd_args_env(settings, [])
    return [str(argument) for argument in arguments], os.environ | (env or {})


def _run(command: list[str], env: dict[str, str]) -> None:
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        problem = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
        raise CommandError(f"{Path(command[0]).name} failed: {problem}")
