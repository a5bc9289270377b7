"""Write a backup of the arena."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.management.base import CommandError

from arena.management.backups.archive import DATABASE_NAME, SECRET_NAME, hash_file, write_archive
from arena.management.backups.engines import find_engine
from arena.management.backups.manifest import FORMAT, Manifest, compute_key_check
from arena.management.private_files import check_is_new
from arena.release import arena_version


def write_backup(path: Path) -> Manifest:
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
            manifest = Manifest(
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
