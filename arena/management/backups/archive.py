"""The file of a backup: a zip with the database, the secret and a manifest."""

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import msgspec
from django.core.management.base import CommandError

from arena.management.backups.manifest import Manifest
from arena.management.private_files import create_private_file
from arena.zip_errors import ZIP_ERRORS

MANIFEST_NAME = "manifest.json"
DATABASE_NAME = "database"
SECRET_NAME = "secret"
MAX_MANIFEST_BYTES = 1_000_000
CHUNK_BYTES = 1 << 20
FAST_COMPRESSION = 1
"""Most of a database are records and sources, which are compressed already."""


def write_archive(path: Path, manifest: Manifest, files: Mapping[str, Path]) -> None:
    """Write a backup that only its owner can read. It appears under its name once it is complete."""
    with create_private_file(path) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=FAST_COMPRESSION) as zipped:
            zipped.writestr(MANIFEST_NAME, msgspec.json.format(msgspec.json.encode(manifest)))
            for name, source in files.items():
                zipped.write(source, name)


def read_manifest(path: Path) -> Manifest:
    """Return what a backup says about itself. Raises CommandError where the file is none."""
    try:
        with zipfile.ZipFile(path) as zipped, zipped.open(MANIFEST_NAME) as file:
            return msgspec.json.decode(file.read(MAX_MANIFEST_BYTES), type=Manifest)
    except OSError as error:
        raise CommandError(f"{path} can't be read: {error.strerror or error}.") from None
    except (KeyError, msgspec.MsgspecError, *ZIP_ERRORS):
        raise CommandError(f"{path} is not a backup of an arena, or it is damaged.") from None


def unpack_archive(path: Path, manifest: Manifest, folder: Path) -> None:
    """Unpack a backup into a folder, and check that it is complete and unchanged. Raises CommandError."""
    if not {DATABASE_NAME} <= set(manifest.digests) <= {DATABASE_NAME, SECRET_NAME}:
        raise CommandError(f"{path} is damaged: its manifest does not name the files of a backup.")
    for name, digest in manifest.digests.items():
        try:
            with zipfile.ZipFile(path) as zipped, zipped.open(name) as source, (folder / name).open("wb") as target:
                found = copy_and_hash(source, target)
        except (KeyError, *ZIP_ERRORS):
            found = ""
        if found != digest:
            raise CommandError(f"{path} is damaged: the {name} in it is incomplete or was changed.")


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
