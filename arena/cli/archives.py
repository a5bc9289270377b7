"""`pennant archive`: fetch the archive of a tournament. `pennant verify` checks archives by this module, too."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit
from zipfile import ZipFile, is_zipfile

import click
import orjson

from arena.cli.api import Api, ArenaError, find_api
from arena.cli.problems import EXIT_SECRET_UNPUBLISHED, report_problems
from arena.cli.tournament_documents import SLUG
from arena.runner.match import compute_place_points, list_seatings
from arena.tournaments.archive_format import (
    DOCUMENT_PATH,
    MANIFEST_PATH,
    BadArchive,
    Manifest,
    build_record_path,
    hash_file,
    read_manifest,
)
from arena.tournaments.document import (
    BadTournament,
    StatedMatch,
    TournamentDocument,
    build_season_document,
    list_problems,
    read_document,
)
from arena.zip_errors import ZIP_ERRORS
from engine.checking import record_problem
from engine.core import Json
from engine.replay import BadRecord, check_hash, verify

ARCHIVE_API_PATH = "tournaments/{slug}/archive/"
PAGE = re.compile(r"/tournaments/([\w-]+)/")
TOLERANCE = 1e-6
IGNORED_NAMES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Files that file managers leave in folders."""


@click.command("archive")
@click.argument("tournament")
@click.option(
    "--out",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write the zip to this file, or with --unpack the folder to this path. [default: SLUG.zip, or SLUG]",
)
@click.option("--unpack", is_flag=True, help="Write a folder instead of a zip.")
def archive(tournament: str, out: Path | None, unpack: bool) -> None:
    """Fetch all of a tournament that is over, to be kept for good.

    TOURNAMENT is the address of its page, or its slug at PENNANT_URL. For one that not everybody may see, set
    PENNANT_TOKEN.

    The archive has pages with results, rounds and every match, which open from disk without a network, and the
    documents and records that `pennant verify` checks. It is checked when it has arrived.
    """
    api, slug = find_arena(tournament)
    out = out or Path(slug if unpack else f"{slug}.zip")
    if out.exists():
        raise click.ClickException(f"{out} is there already: name another path by --out")
    draft = out.with_name(f"{out.name}.part")
    try:
        fetch_archive(api, slug, draft)
        if unpack:
            unpack_archive(draft, out)
        else:
            draft.replace(out)
    except OSError as error:
        raise click.ClickException(f"{error.filename or out} can't be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)
    sys.exit(verify_archive(out))


def find_arena(text: str) -> tuple[Api, str]:
    """Return the arena and the slug of a tournament. Raise click.ClickException."""
    if not text.startswith(("http://", "https://")):
        if not SLUG.fullmatch(text):
            raise click.ClickException(f"{text!r} is neither the address of a tournament's page nor a slug")
        return find_api(needs_token=False), text
    scheme, host, path = urlsplit(text)[:3]
    page = PAGE.match(path)
    if page is None:
        raise click.ClickException(f"{text} is not the address of a tournament's page")
    return Api(f"{scheme}://{host}", _find_token(f"{scheme}://{host}")), page[1]


def _find_token(url: str) -> str:
    """Return the token of PENNANT_TOKEN where it is for this arena."""
    is_same = os.environ.get("PENNANT_URL", "").rstrip("/") == url
    return os.environ.get("PENNANT_TOKEN", "") if is_same else ""


def fetch_archive(api: Api, slug: str, path: Path) -> None:
    """Write the zip to a file. Raise click.ClickException or OSError."""
    found: Any = api.get(ARCHIVE_API_PATH.format(slug=slug))
    if not isinstance(found, dict) or not isinstance(found.get("download_url"), str):
        raise ArenaError(f"{api.url} makes no archives of tournaments")
    api.save(found["download_url"], path)
    if not is_zipfile(path):
        raise ArenaError(f"The archive that {api.url} sent is cut off: try again")


def unpack_archive(path: Path, folder: Path) -> None:
    """Unpack a zip into a folder of another name. Raise OSError or click.ClickException."""
    source = ArchiveFiles(path)
    for name in source.names:
        place = folder / name
        if not place.resolve().is_relative_to(folder.resolve()):
            raise click.ClickException(f"the archive has a file outside of its folder: {name}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source.read(name))


class ArchiveFiles:
    """The files of an archive, in a folder or in a zip."""

    def __init__(self, path: Path) -> None:
        """Open it. Raise BadArchive."""
        self.path = path
        self.packed: ZipFile | None = None
        self.prefix = ""
        try:
            if path.is_dir():
                found = [one.relative_to(path).as_posix() for one in path.rglob("*") if one.is_file()]
            else:
                self.packed = ZipFile(path)
                found = [one.filename for one in self.packed.infolist() if not one.is_dir()]
        except (OSError, *ZIP_ERRORS) as error:
            raise BadArchive(f"it can't be read: {error}") from error
        self.prefix = _find_prefix(found)
        found = [name for name in found if PurePosixPath(name).name not in IGNORED_NAMES]
        self.names = [name.removeprefix(self.prefix) for name in found]

    def read(self, name: str) -> bytes:
        """Return the content of a file. Raise BadArchive."""
        try:
            if self.packed is None:
                return (self.path / self.prefix / name).read_bytes()
            return self.packed.read(self.prefix + name)
        except (KeyError, OSError, *ZIP_ERRORS) as error:
            raise BadArchive(f"{name} can't be read: {error}") from error

    def read_json(self, name: str) -> Any:
        """Return the JSON of a file. Raise BadArchive."""
        try:
            return orjson.loads(self.read(name))
        except orjson.JSONDecodeError as error:
            raise BadArchive(f"{name} is damaged: {error}") from error


def _find_prefix(names: list[str]) -> str:
    """Return the folder in which the manifest lies, with a slash; empty where it is at the top. Raise BadArchive."""
    found = [name for name in names if PurePosixPath(name).name == MANIFEST_PATH and name.count("/") <= 1]
    if not found:
        raise BadArchive(f"this is no archive of a tournament: it has no {MANIFEST_PATH}")
    return min(found, key=len).removesuffix(MANIFEST_PATH)


def is_archive_path(path: Path) -> bool:
    """Return whether this is a folder or a zip, which can only be the archive of a tournament."""
    return path.is_dir() or (path.is_file() and is_zipfile(path))


def verify_archive(path: Path, commitment: str | None = None) -> int:
    """Check an archive whole and print what was found; return the exit code of `pennant verify`."""
    try:
        checked = CheckedArchive(path, commitment)
    except (BadArchive, BadTournament) as error:
        click.echo(f"refused {path}: {error}")
        return 1
    if not report_problems(str(path), list(checked.list_problems())):
        return 1
    click.echo(checked.describe())
    return 0 if checked.document.season is not None else EXIT_SECRET_UNPUBLISHED


class CheckedArchive:
    """An archive that is checked against its manifest and its document."""

    def __init__(self, path: Path, commitment: str | None) -> None:
        """Open it. Raise BadArchive or BadTournament."""
        self.path, self.commitment = path, commitment
        self.files = ArchiveFiles(path)
        self.manifest: Manifest = read_manifest(self.files.read_json(MANIFEST_PATH))
        self.document: TournamentDocument = read_document(self.files.read_json(DOCUMENT_PATH))
        self.season: Json = build_season_document(self.document)
        self.records = 0
        """The number of records that hold."""

    def list_problems(self) -> Iterator[str]:
        """Yield a sentence for each thing that doesn't hold."""
        if self.commitment and self.commitment.lower() != self.document.commitment:
            yield f"it is committed to {self.document.commitment}, not to {self.commitment}"
        yield from self._list_file_problems()
        yield from list_problems(self.document)
        yield from self._list_record_problems()

    def _list_file_problems(self) -> Iterator[str]:
        """Compare the files with the manifest."""
        there = set(self.files.names)
        for name, digest in self.manifest.files.items():
            if name not in there:
                yield f"{name} is missing"
            elif hash_file(self.files.read(name)) != digest:
                yield f"{name} was changed"
        for name in sorted(there - self.manifest.files.keys() - {MANIFEST_PATH}):
            yield f"{name} doesn't belong to it"

    def _list_record_problems(self) -> Iterator[str]:
        """Replay each record, and compare it with the hash in the document; then each match with its records."""
        there, lost = set(self.files.names), set(self.manifest.missing_records)
        for _round, _pairing, match in self.document.matches:
            played = []
            for leg, digest in enumerate(match.record_hashes, start=1):
                name = build_record_path(match.key, leg)
                if name in there:
                    found = self._read_record(name, digest)
                    if isinstance(found, str):
                        yield f"{name}: {found}"
                    else:
                        played.append(found)
                elif name not in lost and name not in self.manifest.files:
                    yield f"{name} is missing"
            self.records += len(played)
            if played and len(played) == len(match.record_hashes) and self.document.settings.series is None:
                yield from _list_result_problems(match, played)

    def _read_record(self, name: str, digest: str) -> Json | str:
        """Return a record, or why it doesn't hold."""
        try:
            record: Json = self.files.read_json(name)
            verify(record)
            check_hash(record, digest)
        except (BadArchive, BadRecord) as error:
            return str(error)
        return record_problem(record, self.season) or record

    def describe(self) -> str:
        """Return the line on an archive that holds."""
        matches = sum(1 for _ in self.document.matches)
        rounds = sum(each.is_latest_attempt and each.is_over for each in self.document.rounds)
        lost = len(self.manifest.missing_records)
        parts = [
            f"{len(self.manifest.files)} files as they were written",
            f"{self.records} records of {matches} matches" + (f", {lost} lost by the arena" if lost else ""),
            f"pairings, results and places of {rounds} rounds follow from them",
        ]
        if self.document.season is not None:
            return f"ok {self.path}: {'; '.join([*parts, 'every deal from the secret'])}"
        return f"not yet {self.path}: {'; '.join([*parts, 'the secret of the deals is not published'])}"


def _list_result_problems(match: StatedMatch, records: Sequence[Json]) -> Iterator[str]:
    """Yield a sentence where the points or scores of a match are not those of its legs."""
    seatings = list_seatings(len(match.points))
    points, scores = [0.0] * len(match.points), [0.0] * len(match.points)
    for seating, record in zip(seatings, records, strict=False):
        result = record["result"]
        if len(result["places"]) != len(seating):
            yield f"a record of match {match.key} is of {len(result['places'])} seats"
            return
        for seat, (won, score) in enumerate(zip(compute_place_points(result["places"]), result["scores"], strict=True)):
            points[seating[seat]] += won / len(records)
            scores[seating[seat]] += score
    for name, stated, computed in (("points", match.points, points), ("scores", match.scores, scores)):
        if any(abs(one - other) > TOLERANCE for one, other in zip(stated, computed, strict=True)):
            yield f"the {name} of match {match.key} are {list(stated)}, by its records {computed}"
