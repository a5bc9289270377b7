"""Go on from a backup."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from arena.management.backups.archive import DATABASE_NAME, SECRET_NAME, read_manifest, unpack_archive
from arena.management.backups.backing_up import is_secret_in_folder
from arena.management.backups.engines import find_engine, is_database_empty
from arena.management.backups.manifest import Execute, Manifest, check_manifest, count_rows, is_key_known
from arena.management.preflight import lock_data_folder


def restore_backup(path: Path, *, may_replace: Callable[[], bool]) -> Manifest:
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


def is_secret_lost(manifest: Manifest) -> bool:
    """Return whether an arena goes on with another secret key than that of the backup; ask before restoring it."""
    comes_along = SECRET_NAME in manifest.digests and is_secret_in_folder()
    return not comes_along and not is_key_known(manifest)


def _check_and_migrate(path: Path, manifest: Manifest) -> None:
    """Check that the copy has the rows that the manifest says, then bring it to the state of this arena."""
    counts = manifest.contents.counts
    if count_rows(counts, _build_execute()) != counts:
        raise CommandError(f"{path} is damaged: the database in it has not the rows that it should have.")
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
