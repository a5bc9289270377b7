"""The form of a tournament's archive: which files it has, and the manifest that lists them with their hashes.

Nothing here needs a database: the site writes archives, and `pennant verify` checks them.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FORMAT = "pennant-archive/1"
MANIFEST_PATH = "manifest.json"
DOCUMENT_PATH = "tournament.json"
STANDINGS_PATH = "standings.csv"
INDEX_PATH = "index.html"
STYLE_PATH = "assets/style.css"
SCRIPT_PATH = "assets/page.js"
REPLAY_SCRIPT_PATH = "assets/replay.js"
SHA256 = re.compile(r"[0-9a-f]{64}")


class BadArchive(ValueError):
    """This is not the archive of a tournament. The message says why."""


@dataclass(slots=True)
class Manifest:
    """What an archive states of itself."""

    files: dict[str, str] = field(default_factory=dict)
    """The SHA-256 of each file by its path, without the manifest."""
    missing_records: list[str] = field(default_factory=list)
    """Paths of the records that the arena itself has lost."""
    origin: str = ""
    """Address of the tournament's page."""
    language: str = ""
    made_at: str = ""

    def add(self, path: str, content: bytes) -> None:
        """List a file."""
        self.files[path] = hash_file(content)

    def as_json(self) -> dict[str, Any]:
        """Return the manifest as it is written."""
        return {
            "format": FORMAT,
            "origin": self.origin,
            "language": self.language,
            "made_at": self.made_at,
            "missing_records": self.missing_records,
            "files": self.files,
        }


def read_manifest(found: Any) -> Manifest:
    """Return what a manifest states. Raise BadArchive if it is none, or damaged."""
    if not isinstance(found, Mapping) or found.get("format") != FORMAT:
        named = found.get("format") if isinstance(found, Mapping) else None
        raise BadArchive(f"this is no archive of a tournament: its format is {named!r}, not {FORMAT!r}")
    files, missing = found.get("files"), found.get("missing_records")
    if not isinstance(files, Mapping) or not all(map(_is_hashed, files.items())):
        raise BadArchive(f"{MANIFEST_PATH} is damaged: its list of files is no list of hashes")
    if not isinstance(missing, list) or not all(isinstance(path, str) for path in missing):
        raise BadArchive(f"{MANIFEST_PATH} is damaged: its list of missing records is no list of paths")
    return Manifest(dict(files), list(missing), str(found.get("origin", "")), str(found.get("language", "")))


def _is_hashed(row: tuple[Any, Any]) -> bool:
    path, digest = row
    return isinstance(path, str) and isinstance(digest, str) and bool(SHA256.fullmatch(digest))


def hash_file(content: bytes) -> str:
    """Return the hash of a file as the manifest lists it."""
    return hashlib.sha256(content).hexdigest()


def build_record_path(match: int, leg: int) -> str:
    """Return the path of a leg's record."""
    return f"records/{match}-{leg}.json"


def build_replay_path(match: int, leg: int) -> str:
    """Return the path of a leg's page."""
    return f"matches/{match}-{leg}.html"


def build_round_path(number: int) -> str:
    """Return the path of a round's page."""
    return f"rounds/{number}.html"
