"""Identify the installed code: by its version, and by its files.

What was drawn by other code is not taken for the same.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from engine.registry import PACKAGES

DISTRIBUTION = "pennant-arena"
"""The name under which `pyproject.toml` installs the arena."""
REPOSITORY_ROOT = Path(__file__).resolve().parents[2]
COMPILED = (".pyc", ".mo")
HASHED_PACKAGES = ("arena", "engine", "templates")
"""Folders of the checkout; in a wheel the templates are inside of arena."""


@cache
def arena_version() -> str | None:
    """Return the version that records are marked with, or None where the code is run without being installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return None


@cache
def compute_build_id() -> str:
    """Return a hash of all files of the arena; it is computed once per process."""
    folders = [REPOSITORY_ROOT / package for package in HASHED_PACKAGES]
    return hash_folders([*folders, *(package.folder for package in PACKAGES.values())])


def hash_folders(folders: Iterable[Path]) -> str:
    """Return a hash over names and contents of all files in the folders, but not of what is compiled from others."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.parent.name != "__pycache__" and path.suffix not in COMPILED and path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{path.relative_to(folder.parent)} {content}\n".encode())
    return digest.hexdigest()[:32]
