"""Write a backup of the arena, and go on from one."""

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import IO, Any, Protocol

import msgspec
import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError, connection, transaction
from django.db.backends.postgresql.client import DatabaseClient
from django.utils.crypto import salted_hmac

from arena.bots.models import Bot, BotVersion
from arena.contests.comparisons.models import Comparison
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.tournaments.models import Tournament
from arena.core.data_folder import check_is_new, create_private_file
from arena.core.database import Migration, check_release, list_migrations
from arena.core.release import arena_version
from arena.matches.models import Leg, Match
from arena.operations.management.prepare import lock_data_folder
from arena.people.accounts.models import User
from arena.people.notices.models import Notice
from arena.runner.archive import ZIP_ERRORS

# Write what a backup says about itself, and check whether this arena can go on with it.

FORMAT = 1
"""It grows when an older arena could not read a newer backup."""
COUNTED_MODELS = (User, Bot, BotVersion, Match, Leg, Ladder, LadderMatch, Comparison, Tournament, Notice)
Execute = Callable[[str], Iterable[tuple[object, ...]]]
"""Run a statement of SQL, and return the rows."""


class Contents(msgspec.Struct, frozen=True):
    """The contents of a database: the number of rows by table, and the migrations that were applied, as app.name."""

    counts: dict[str, int]
    migrations: list[str]


class BackupManifest(msgspec.Struct, frozen=True):
    """The description that lies in a backup beside the database."""

    format: int
    version: str | None
    engine: str
    created_at: str
    contents: Contents
    key_check: str
    digests: dict[str, str]
    """SHA-256 of the other files in the backup, hexadecimal, by name."""


def describe_contents(execute: Execute) -> Contents:
    """Count the rows of the main tables, and list the migrations that were applied."""
    tables = [model._meta.db_table for model in COUNTED_MODELS]
    rows = execute("select app, name from django_migrations order by app, name")
    return Contents(counts=count_rows(tables, execute), migrations=[f"{app}.{name}" for app, name in rows])


def count_rows(tables: Iterable[str], execute: Execute) -> dict[str, int]:
    """Return the number of rows of each table."""
    counts = {}
    for table in tables:
        if not table.isidentifier():
            raise CommandError(f"The backup is damaged: {table!r} isn't a table name.")
        (row,) = execute(f'select count(*) from "{table}"')
        counts[table] = int(str(row[0]))
    return counts


def check_manifest(manifest: BackupManifest, engine: str) -> None:
    """Check that this arena can read a backup, and go on with it on this database. Raises CommandError."""
    theirs, ours = manifest.version, arena_version()
    is_newer = bool(theirs and ours and read_version(theirs) > read_version(ours))
    if manifest.format > FORMAT or is_newer or find_unknown_migrations(manifest.contents.migrations):
        raise CommandError(
            f"The backup is from a newer arena (version {theirs or 'unknown'}; this is {ours or 'unknown'}). Update "
            "this one first."
        )
    check_release(read_migration(name) for name in manifest.contents.migrations)
    if manifest.engine != engine:
        raise CommandError(
            f"The backup is of a {manifest.engine} database and can't be restored into {engine}. Set DATABASE_URL."
        )


def read_migration(name: str) -> Migration:
    """Return the app's label and the migration's name of `app.name`."""
    app, _, migration = name.partition(".")
    return app, migration


def read_version(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions can be compared."""
    return tuple(int(number) for number in re.findall(r"\d+", version.partition("+")[0]))


def find_unknown_migrations(applied: Iterable[str]) -> list[str]:
    """Return those of the migrations that are the arena's own, and that its code here doesn't have."""
    own = {config.label for config in apps.get_app_configs() if config.name.startswith("arena.")}
    known = {f"{app}.{name}" for one, replaced in list_migrations().items() for app, name in (one, *replaced)}
    return [one for one in applied if one.partition(".")[0] in own and one not in known]


def compute_key_check(key: str) -> str:
    """Return a text by which a secret key is recognized, and that doesn't give it away."""
    return salted_hmac("arena.management.backups", "key", secret=key, algorithm="sha256").hexdigest()


def is_key_known(manifest: BackupManifest) -> bool:
    """Return whether what was signed and encrypted in the backup is valid under the keys in the settings."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return manifest.key_check in {compute_key_check(key) for key in keys}


# The file of a backup: a zip with the database, the secret and a manifest.

MANIFEST_NAME = "manifest.json"
DATABASE_NAME = "database"
SECRET_NAME = "secret"
MAX_MANIFEST_BYTES = 1_000_000
CHUNK_BYTES = 1 << 20
FAST_COMPRESSION = 1
"""Most of a database are records and sources, which are compressed already."""


def write_archive(path: Path, manifest: BackupManifest, files: Mapping[str, Path]) -> None:
    """Write a backup that only its owner can read. It appears under its name once it is complete."""
    with create_private_file(path) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=FAST_COMPRESSION) as zipped:
            zipped.writestr(MANIFEST_NAME, msgspec.json.format(msgspec.json.encode(manifest)))
            for name, source in files.items():
                zipped.write(source, name)


def read_manifest(path: Path) -> BackupManifest:
    """Return what a backup says about itself. Raises CommandError where the file is none."""
    try:
        with zipfile.ZipFile(path) as zipped, zipped.open(MANIFEST_NAME) as file:
            return msgspec.json.decode(file.read(MAX_MANIFEST_BYTES), type=BackupManifest)
    except OSError as error:
        raise CommandError(f"{path} can't be read: {error.strerror or error}.") from None
    except (KeyError, msgspec.MsgspecError, *ZIP_ERRORS):
        raise CommandError(f"{path} isn't an arena backup, or it's damaged.") from None


def unpack_archive(path: Path, manifest: BackupManifest, folder: Path) -> None:
    """Unpack a backup into a folder, and check that it is complete and unchanged. Raises CommandError."""
    if not {DATABASE_NAME} <= set(manifest.digests) <= {DATABASE_NAME, SECRET_NAME}:
        raise CommandError(f"{path} is damaged: its manifest doesn't list a backup's files.")
    for name, digest in manifest.digests.items():
        try:
            with zipfile.ZipFile(path) as zipped, zipped.open(name) as source, (folder / name).open("wb") as target:
                found = copy_and_hash(source, target)
        except (KeyError, *ZIP_ERRORS):
            found = ""
        if found != digest:
            raise CommandError(f"{path} is damaged: its {name} is incomplete or was changed.")


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_and_hash(source: IO[bytes], target: IO[bytes]) -> str:
    """Copy one file to another, and return its SHA-256, hexadecimal."""
    digest = hashlib.sha256()
    while chunk := source.read(CHUNK_BYTES):
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest()


# Copy and replace a database in PostgreSQL, with its own programs.

ASIDE = "pennant_replaced"
"""The schema in which the tables are kept until those of the backup have taken their place."""
POSTGRESQL_LOCK_TIMEOUT_S = 10
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
            f"The database has a schema {ASIDE} from an interrupted restore, with the tables from before. Move them "
            "back or drop the schema."
        )
    try:
        with transaction.atomic():
            _execute(f"set local lock_timeout = '{POSTGRESQL_LOCK_TIMEOUT_S}s'", f'create schema "{ASIDE}"')
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
        raise CommandError(f"{name} isn't installed. It comes with PostgreSQL's client programs.")
    return program


def _build_arguments() -> tuple[list[str], dict[str, str]]:
    """Return the arguments that lead to the database, its name last, and the environment with the password."""
    settings: dict[str, Any] = connection.settings_dict
    (_, *arguments), env = DatabaseClient.settings_to_cmd_args_env(settings, [])
    return [str(argument) for argument in arguments], os.environ | (env or {})


def _run(command: list[str], env: dict[str, str]) -> None:
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        problem = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise CommandError(f"{Path(command[0]).name} failed: {problem}")


# Copy and replace a database in SQLite.

SQLITE_LOCK_TIMEOUT_S = 30.0


class SQLite:
    """A database in a file of the data folder. Others may read and write it meanwhile."""

    name = "sqlite"

    def copy_database(self, target: Path) -> Contents:
        """Write a consistent copy into a file, and return what is in it."""
        database = Path(connection.settings_dict["NAME"])
        if not database.is_file():
            raise CommandError(f"No database yet: {database} doesn't exist.")
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
    deadline = monotonic() + SQLITE_LOCK_TIMEOUT_S

    def check(status: int, _remaining: int, _total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and monotonic() > deadline:
            raise CommandError("The database is in use: stop the web, the workers and the scheduler first.")

    return check


# Define what a backup asks of a kind of database, and find the kind that this arena has.

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


# Write a backup of the arena.


def write_backup(path: Path) -> BackupManifest:
    """Write a backup of the arena while it may be in use, and return its manifest. Raises CommandError.

    The database holds all but the secret: the data folder has nothing else that isn't made anew.
    """
    check_is_new(path)
    engine = find_engine()
    try:
        with TemporaryDirectory(dir=path.absolute().parent, prefix=f".{path.name}-") as folder:
            files = {DATABASE_NAME: Path(folder, DATABASE_NAME)}
            contents = engine.copy_database(files[DATABASE_NAME])
            if is_secret_in_folder():
                files[SECRET_NAME] = settings.DATA_DIR / "secret"
            manifest = BackupManifest(
                format=FORMAT,
                version=arena_version(),
                engine=engine.name,
                created_at=datetime.now(UTC).isoformat(timespec="seconds"),
                contents=contents,
                key_check=compute_key_check(settings.SECRET_KEY),
                digests={name: hash_file(source) for name, source in files.items()},
            )
            write_archive(path, manifest, files)
    except OSError as error:
        raise CommandError(f"{path} can't be written: {error.strerror or error}.") from None
    return manifest


def is_secret_in_folder() -> bool:
    """Return whether the secret key is that of the data folder, and not one from the environment."""
    with suppress(OSError):
        return str(settings.SECRET_KEY) == Path(settings.DATA_DIR, "secret").read_text()
    return False


# Go on from a backup.


def restore_backup(path: Path, *, may_replace: Callable[[], bool]) -> BackupManifest:
    """Make a backup the state of this arena, migrate it, and return its manifest.

    `may_replace` is asked where the database isn't empty. Raises CommandError; then nothing was changed.
    """
    engine = find_engine()
    manifest = read_manifest(path)
    check_manifest(manifest, engine.name)
    with (
        closing(lock_data_folder(settings.DATA_DIR / "up.lock")),
        TemporaryDirectory(dir=settings.DATA_DIR, prefix="restore-") as folder,
    ):
        unpack_archive(path, manifest, Path(folder))
        if not is_database_empty() and not may_replace():
            raise CommandError("Nothing was changed.")
        engine.replace_database(Path(folder, DATABASE_NAME), lambda: _check_and_migrate(path, manifest))
        if SECRET_NAME in manifest.digests:
            _replace_secret(Path(folder, SECRET_NAME))
    return manifest


def is_secret_lost(manifest: BackupManifest) -> bool:
    """Return whether an arena goes on with another secret key than that of the backup; ask before restoring it."""
    comes_along = SECRET_NAME in manifest.digests and is_secret_in_folder()
    return not comes_along and not is_key_known(manifest)


def _check_and_migrate(path: Path, manifest: BackupManifest) -> None:
    """Check that the copy has the rows that the manifest says, then bring it to the state of this arena."""
    counts = manifest.contents.counts
    if count_rows(counts, _build_execute()) != counts:
        raise CommandError(f"{path} is damaged: its database doesn't have the expected rows.")
    call_command("migrate", interactive=False, verbosity=0)


def _build_execute() -> Execute:
    def execute(statement: str) -> list[tuple[object, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    return execute


def _replace_secret(source: Path) -> None:
    """Put a secret into the data folder, whole or not at all, for its owner alone."""
    draft = settings.DATA_DIR / f"secret.{os.getpid()}"
    draft.touch(mode=0o600)
    draft.write_bytes(source.read_bytes())
    draft.replace(settings.DATA_DIR / "secret")
