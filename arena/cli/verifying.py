"""`pennant verify` and `pennant archive`: check records, seasons, tournaments and archives, and fetch archives."""

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

from arena.cli import writing
from arena.cli.api import NOT_FOUND, ROOT, Api, ArenaRequestError, Refused, find_api
from arena.cli.files import DOWNLOAD_SUFFIX, UnreadableRecord, read_download, read_record
from arena.contests.tournaments.document import (
    DOCUMENT_PATH,
    MANIFEST_PATH,
    ArchiveManifest,
    BadTournament,
    BadTournamentArchive,
    StatedMatch,
    TournamentDocument,
    build_record_path,
    build_season_document,
    hash_file,
    is_document,
    list_changes,
    list_problems,
    read_document,
    read_manifest,
)
from arena.runner.archive import ZIP_ERRORS
from arena.runner.match import compute_place_points, list_seatings
from engine.core import Json
from engine.replay import BadRecord, check_hash, verify
from engine.season import SEASON_FORMAT, BadSeason, change_problems, check_season, record_problem, season_problems

# Check tournaments of an arena for `pennant verify --tournament`.

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
TOURNAMENT_PAGE = re.compile(r"/tournaments/([\w-]+)/(tournament\.json)?")
JSON_PATH = "/tournaments/{slug}/tournament.json"


class CheckedTournament:
    """A tournament's document, with what was found of it."""

    def __init__(self, text: str, commitment: str | None) -> None:
        """Read a document from a file, an address or an arena. Raise click.ClickException, or exit with 1 if bad."""
        self.text = text
        try:
            self.source = find_document(text)
            self.document: TournamentDocument = read_document(self.source)
        except (BadTournament, UnreadableRecord) as error:
            click.echo(f"refused {text}: {error}")
            sys.exit(1)
        self.problems = list(list_problems(self.document))
        if commitment and commitment.lower() != self.document.commitment:
            self.problems.insert(0, f"its commitment is {self.document.commitment}, not {commitment}")
        self.matches = build_season_document(self.document)

    @property
    def is_secret_published(self) -> bool:
        """Return whether all deals could be checked."""
        return self.document.season is not None

    def describe(self) -> str:
        """Return the line on a tournament that holds."""
        matches = sum(1 for _ in self.document.matches)
        sentence = f"{matches} matches; {describe_origin(self.document)}"
        if self.is_secret_published:
            return f"ok {self.text}: {sentence}; every deal follows from the secret"
        return f"not yet {self.text}: {sentence}; deals can be checked after the tournament"

    def find_problem(self, path: Path) -> str | None:
        """Return why a record, or an earlier document, doesn't belong to the tournament; None where it does."""
        try:
            found = read_record(path)
            if is_document(found):
                return next(list_changes(read_document(found), self.document), None)
            verify(found)
        except (UnreadableRecord, BadRecord, BadTournament) as error:
            return str(error)
        return record_problem(found, self.matches)


def describe_origin(document: TournamentDocument) -> str:
    """Return what pairings, results and places follow from, where they do."""
    rounds = sum(each.is_over for each in document.counted_rounds)
    words = f"pairings, results and places of {rounds} rounds follow from them"
    if given := document.given_count:
        words += f" and from {given} result{'s' if given > 1 else ''} given by an organiser"
    if stale := document.stale_rounds:
        drawn = f"rounds {', '.join(map(str, stale))} were" if len(stale) > 1 else f"round {stale[0]} was"
        words += f"; {drawn} drawn before a decision"
    return words


def find_document(text: str) -> Json:
    """Return the JSON of a file, of an address, or of the tournament with this slug at PENNANT_URL.

    Raise UnreadableRecord and click.ClickException.
    """
    if text.startswith(("http://", "https://")):
        scheme, host, path = urlsplit(text)[:3]
        page = TOURNAMENT_PAGE.fullmatch(path)
        return _fetch_document(Api(f"{scheme}://{host}"), JSON_PATH.format(slug=page[1]) if page else path)
    if not Path(text).exists() and SLUG.fullmatch(text):
        return _fetch_document(find_api(needs_token=False), JSON_PATH.format(slug=text))
    return read_record(Path(text))


def _fetch_document(api: Api, path: str) -> Json:
    try:
        found: Any = api.get(path)
    except Refused as refused:
        if refused.status != NOT_FOUND:
            raise
        found = None
    if not isinstance(found, dict):
        raise ArenaRequestError(
            f"{api.url} has no public tournament at {path}. To download and check a finished private one, use "
            "`pennant archive` with your PENNANT_TOKEN"
        )
    return found


# Read the document of a season from a file or an arena.

SEASON_NAME = re.compile(r"([\w-]+)/([\w-]+)/((?:(?:open|slow)/)?)(\d+)")
SEASON_PAGE = re.compile(r"/((?:groups/[\w-]+/)?ladders/[\w-]+/[\w-]+/(?:(?:open|slow)/)?seasons/\d+)/?")
PATH_OF_GROUP = f"{ROOT}groups/"


def find_season(text: str) -> dict[str, Any]:
    """Return the season of a file, an address, or GAME/EDITION/NUMBER at PENNANT_URL; GAME/EDITION/open/NUMBER there.

    A season of a group's ladder is read with the token of PENNANT_TOKEN, at PENNANT_URL alone.
    Raises BadSeason, UnreadableRecord and click.ClickException.
    """
    if text.startswith(("http://", "https://")):
        document = _fetch_season(_choose_arena(text, _find_api_path(text)), _find_api_path(text))
    elif not Path(text).exists() and (named := SEASON_NAME.fullmatch(text)):
        game, edition, clock, number = named.groups()
        document = _fetch_season(find_api(needs_token=False), f"ladders/{game}/{edition}/{clock}seasons/{number}/")
    else:
        document = read_record(Path(text))
    check_season(document)
    return document


def save_document(document: dict[str, Any], path: Path) -> None:
    """Write the document to a file."""
    with writing(path):
        path.write_bytes(orjson.dumps(document) + b"\n")


def _fetch_season(api: Api, path: str) -> dict[str, Any]:
    """Return the document with all its matches, which the API gives in pages."""
    document = api.get(path)
    if not isinstance(document, dict) or not isinstance(document.get("deals"), str):
        raise BadSeason(f"{api.url} has no season at {path}")
    matches = list(api.pages(document.pop("deals"), limit=200))
    return document | {"matches": matches}


def _choose_arena(address: str, path: str) -> Api:
    scheme, host = urlsplit(address)[:2]
    if not path.startswith(PATH_OF_GROUP):
        return Api(f"{scheme}://{host}")
    arena = find_api()
    if urlsplit(arena.url)[:2] != (scheme, host):
        raise click.ClickException(f"Only members can read this season, and PENNANT_TOKEN is only for {arena.url}.")
    return arena


def _find_api_path(address: str) -> str:
    """Return the path of a season in the API, also for the address of its page."""
    path = urlsplit(address).path
    named = SEASON_PAGE.fullmatch(path)
    return f"{ROOT}{named[1]}/" if named else path


# Print what a check of `pennant verify` found.

EXIT_SECRET_UNPUBLISHED = 4
"""The exit code where nothing is wrong and the deals can't be checked yet."""
MAX_PROBLEMS_SHOWN = 20


def report_problems(name: str, problems: Sequence[str]) -> bool:
    """Print what doesn't hold of the thing with this name, and return whether everything does."""
    for problem in problems[:MAX_PROBLEMS_SHOWN]:
        click.echo(f"refused {name}: {problem}")
    if len(problems) > MAX_PROBLEMS_SHOWN:
        click.echo(f"and {len(problems) - MAX_PROBLEMS_SHOWN} more")
    return not problems


# `pennant archive`: fetch the archive of a tournament. `pennant verify` checks archives by this module, too.

ARCHIVE_API_PATH = "tournaments/{slug}/archive/"
ARCHIVED_PAGE = re.compile(r"/tournaments/([\w-]+)/")
TOLERANCE = 1e-6
NAMES_IGNORED_IN_ARCHIVES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Files that file managers leave in folders."""


@click.command("archive")
@click.argument("tournament")
@click.option(
    "--out",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Path of the zip, or of the folder with --unpack. [default: SLUG.zip, or SLUG]",
)
@click.option("--unpack", is_flag=True, help="Write a folder instead of a zip.")
def archive(tournament: str, out: Path | None, unpack: bool) -> None:
    """Download an archive of a finished tournament.

    TOURNAMENT is the address of its page, or its slug on the arena at PENNANT_URL. For a private tournament, set
    PENNANT_TOKEN.

    The archive contains pages for the results, rounds and every match, which you can open offline, and the documents
    and records that `pennant verify` checks. It's verified after the download.
    """
    api, slug = find_arena(tournament)
    out = out or Path(slug if unpack else f"{slug}.zip")
    if out.exists():
        raise click.ClickException(f"{out} already exists. Choose another path with --out")
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
            raise click.ClickException(f"{text!r} is neither a tournament page's address nor a slug")
        return find_api(needs_token=False), text
    scheme, host, path = urlsplit(text)[:3]
    page = ARCHIVED_PAGE.match(path)
    if page is None:
        raise click.ClickException(f"{text} isn't a tournament page's address")
    return Api(f"{scheme}://{host}", _find_token(f"{scheme}://{host}")), page[1]


def _find_token(url: str) -> str:
    """Return the token of PENNANT_TOKEN where it is for this arena."""
    is_same = os.environ.get("PENNANT_URL", "").rstrip("/") == url
    return os.environ.get("PENNANT_TOKEN", "") if is_same else ""


def fetch_archive(api: Api, slug: str, path: Path) -> None:
    """Write the zip to a file. Raise click.ClickException or OSError."""
    found: Any = api.get(ARCHIVE_API_PATH.format(slug=slug))
    if not isinstance(found, dict) or not isinstance(found.get("download_url"), str):
        raise ArenaRequestError(f"{api.url} doesn't offer tournament archives")
    api.save(found["download_url"], path)
    if not is_zipfile(path):
        raise ArenaRequestError(f"The archive from {api.url} was cut off. Try again")


def unpack_archive(path: Path, folder: Path) -> None:
    """Unpack a zip into a folder of another name. Raise OSError or click.ClickException."""
    source = ArchiveFiles(path)
    for name in source.names:
        place = folder / name
        if not place.resolve().is_relative_to(folder.resolve()):
            raise click.ClickException(f"the archive has a file outside its folder: {name}")
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
            raise BadTournamentArchive(f"it can't be read: {error}") from error
        self.prefix = _find_prefix(found)
        found = [name for name in found if PurePosixPath(name).name not in NAMES_IGNORED_IN_ARCHIVES]
        self.names = [name.removeprefix(self.prefix) for name in found]

    def read(self, name: str) -> bytes:
        """Return the content of a file. Raise BadArchive."""
        try:
            if self.packed is None:
                return (self.path / self.prefix / name).read_bytes()
            return self.packed.read(self.prefix + name)
        except (KeyError, OSError, *ZIP_ERRORS) as error:
            raise BadTournamentArchive(f"{name} can't be read: {error}") from error

    def read_json(self, name: str) -> Any:
        """Return the JSON of a file. Raise BadArchive."""
        try:
            return orjson.loads(self.read(name))
        except orjson.JSONDecodeError as error:
            raise BadTournamentArchive(f"{name} is damaged: {error}") from error


def _find_prefix(names: list[str]) -> str:
    """Return the folder in which the manifest lies, with a slash; empty where it is at the top. Raise BadArchive."""
    found = [name for name in names if PurePosixPath(name).name == MANIFEST_PATH and name.count("/") <= 1]
    if not found:
        raise BadTournamentArchive(f"this isn't a tournament archive: it has no {MANIFEST_PATH}")
    return min(found, key=len).removesuffix(MANIFEST_PATH)


def is_archive_path(path: Path) -> bool:
    """Return whether this is a folder or a zip, which can only be the archive of a tournament."""
    return path.is_dir() or (path.is_file() and is_zipfile(path))


def verify_archive(path: Path, commitment: str | None = None) -> int:
    """Check an archive whole and print what was found; return the exit code of `pennant verify`."""
    try:
        checked = CheckedArchive(path, commitment)
    except (BadTournamentArchive, BadTournament) as error:
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
        self.manifest: ArchiveManifest = read_manifest(self.files.read_json(MANIFEST_PATH))
        self.document: TournamentDocument = read_document(self.files.read_json(DOCUMENT_PATH))
        self.season: Json = build_season_document(self.document)
        self.records = 0
        """The number of records that hold."""

    def list_problems(self) -> Iterator[str]:
        """Yield a sentence for each thing that doesn't hold."""
        if self.commitment and self.commitment.lower() != self.document.commitment:
            yield f"its commitment is {self.document.commitment}, not {self.commitment}"
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
            yield f"{name} isn't part of it"

    def _list_record_problems(self) -> Iterator[str]:
        """Replay each record, and compare it with the hash in the document; then each match with its records."""
        there, lost = set(self.files.names), set(self.manifest.missing_records)
        for _round, pairing, match in self.document.matches:
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
                yield from _list_result_problems(match, played, pairing.find_first_seating(match))

    def _read_record(self, name: str, digest: str) -> Json | str:
        """Return a record, or why it doesn't hold."""
        try:
            record: Json = self.files.read_json(name)
            verify(record)
            check_hash(record, digest)
        except (BadTournamentArchive, BadRecord) as error:
            return str(error)
        return record_problem(record, self.season) or record

    def describe(self) -> str:
        """Return the line on an archive that holds."""
        matches = sum(1 for _ in self.document.matches)
        lost = len(self.manifest.missing_records)
        parts = [
            f"{len(self.manifest.files)} files unchanged",
            f"{self.records} records of {matches} matches" + (f", {lost} lost by the arena" if lost else ""),
            describe_origin(self.document),
        ]
        if self.document.season is not None:
            return f"ok {self.path}: {'; '.join([*parts, 'every deal follows from the secret'])}"
        parts.append("the deals' secret isn't published yet")
        return f"not yet {self.path}: {'; '.join(parts)}"


def _list_result_problems(match: StatedMatch, records: Sequence[Json], first_seating: int) -> Iterator[str]:
    """Yield a sentence where the points or scores of a match are not those of its legs."""
    seatings = list_seatings(len(match.points))[first_seating:]
    points, scores = [0.0] * len(match.points), [0.0] * len(match.points)
    for seating, record in zip(seatings, records, strict=False):
        result = record["result"]
        if len(result["places"]) != len(seating):
            yield f"a record of match {match.key} has {len(result['places'])} seats"
            return
        for seat, (won, score) in enumerate(zip(compute_place_points(result["places"]), result["scores"], strict=True)):
            points[seating[seat]] += won / len(records)
            scores[seating[seat]] += score
    for name, stated, computed in (("points", match.points, points), ("scores", match.scores, scores)):
        if any(abs(one - other) > TOLERANCE for one, other in zip(stated, computed, strict=True)):
            yield f"the {name} of match {match.key} are {list(stated)}, but its records give {computed}"


# `pennant verify`: replay records, deal seasons again, compute tournaments again, and check archives.


@click.command("verify")
@click.argument("files", metavar="FILE…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--hash", "record_hash", metavar="HASH", help="The record's hash, as published by the arena.")
@click.option("--season", metavar="SEASON", help="Check a season's deals, and that the files belong to it.")
@click.option(
    "--tournament",
    metavar="TOURNAMENT",
    help="Check a tournament's deals, pairings and places, and that the files belong to it.",
)
@click.option("--commitment", metavar="HASH", help="Hash of the secret, as published at the start.")
@click.option("--save", metavar="FILE", type=click.Path(path_type=Path), help="Write the document to this file.")
def verify_files(
    files: tuple[Path, ...],
    record_hash: str | None,
    season: str | None,
    tournament: str | None,
    commitment: str | None,
    save: Path | None,
) -> None:
    """Replay records, and check the hash of the deal, every action and the result.

    This shows that a record follows the rules. With --hash, it also shows that nothing in it was changed, apart from
    names and notes.

    SEASON is an address, a file, or GAME/EDITION/NUMBER on the arena at PENNANT_URL; for an open ladder it's
    GAME/EDITION/open/NUMBER or GAME/EDITION/slow/NUMBER. Its match numbers are checked for
    gaps. After the season, its secret is published, and every deal is recomputed from it. Each FILE must belong to the
    season and have the hash that the season's document gives for its leg. A FILE can also be a document written by
    --save during the season: its contents must not have changed since. The exit code is 1 if a check fails, and 4 if
    all checks pass but the secret isn't published yet.

    TOURNAMENT is the address of its page, the JSON from that page, or its slug on the arena at PENNANT_URL. All rounds
    are paired again, and results and places are recomputed from the matches. The rest works as for a season.

    A FILE can also be a tournament archive, as a zip or folder: the command checks all its documents and records, and
    that no file is missing or was changed.
    """
    archives = [path for path in files if is_archive_path(path)]
    if archives:
        if record_hash or season or tournament or save or len(archives) != len(files):
            raise click.UsageError("Archives are checked on their own: name only archives (and --commitment).")
        sys.exit(max(verify_archive(path, commitment) for path in archives))
    _check_usage(len(files), record_hash, season, tournament)
    if tournament is not None:
        sys.exit(_verify_tournament(tournament, files, commitment, save))
    if season is None:
        if not files or commitment or save:
            raise click.UsageError("Name files, --season or --tournament; the other options need one of these.")
        sys.exit(any([_check_file(path, None, record_hash) for path in files]))
    sys.exit(_verify_season(season, files, record_hash, commitment, save))


def _check_usage(files: int, record_hash: str | None, season: str | None, tournament: str | None) -> None:
    """Raise click.UsageError where options contradict each other."""
    if record_hash is not None and files != 1:
        raise click.UsageError("--hash is for one record: name one file.")
    if tournament is not None and (season is not None or record_hash is not None):
        raise click.UsageError("Use --tournament without --season and --hash.")


def _verify_season(
    season: str, files: tuple[Path, ...], record_hash: str | None, commitment: str | None, save: Path | None
) -> int:
    """Check a season, and that files belong to it; return the exit code."""
    document = _season(season)
    if save is not None:
        save_document(document, save)
    is_sound = _report_season(season, document, commitment)
    refused = [_check_file(path, document, record_hash) for path in files]
    if is_sound:
        click.echo(f"{'not yet' if document['secret'] is None else 'ok'} {season}: {_summary(document)}")
    return 1 if any(refused) or not is_sound else EXIT_SECRET_UNPUBLISHED if document["secret"] is None else 0


def _verify_tournament(text: str, files: tuple[Path, ...], commitment: str | None, save: Path | None) -> int:
    """Check a tournament, and that files belong to it; return the exit code."""
    checked = CheckedTournament(text, commitment)
    if save is not None:
        save_document(checked.source, save)
    is_sound = report_problems(text, checked.problems)
    refused = [_report(path, checked.find_problem(path)) for path in files]
    if is_sound:
        click.echo(checked.describe())
    return 1 if any(refused) or not is_sound else 0 if checked.is_secret_published else EXIT_SECRET_UNPUBLISHED


def _report_season(season: str, document: dict[str, Any], commitment: str | None) -> bool:
    """Print what doesn't hold of a season, and return whether everything does."""
    problems = list(season_problems(document))
    if commitment and commitment.lower() != document["commitment"]:
        problems.insert(0, f"its commitment is {document['commitment']}, not {commitment}")
    return report_problems(season, problems)


def _season(text: str) -> dict[str, Any]:
    try:
        return find_season(text)
    except (BadSeason, UnreadableRecord) as error:
        click.echo(f"refused {text}: {error}")
        sys.exit(1)


def _check_file(path: Path, document: dict[str, Any] | None, record_hash: str | None) -> bool:
    """Print whether a file holds, and return whether there was a problem. One of many records gets a line for all."""
    if path.name.endswith(DOWNLOAD_SUFFIX):
        return _check_download(path, document)
    try:
        problem = _record_problem(read_record(path), document, record_hash)
    except UnreadableRecord as error:
        problem = str(error)
    return _report(path, problem)


def _check_download(path: Path, document: dict[str, Any] | None) -> bool:
    """Check all records of a download, print those that don't hold, and return whether there are any."""
    count = refused = 0
    try:
        for line in read_download(path):
            count += 1
            problem = _record_problem(line["record"], document, line["record_hash"])
            if problem is not None:
                refused += 1
                click.echo(f"refused {path}: leg {line['leg']} of match {line['match']}: {problem}")
    except UnreadableRecord as error:
        return _report(path, str(error))
    click.echo(f"{'refused' if refused else 'ok'} {path}: {count - refused} of {count} records")
    return bool(refused)


def _record_problem(found: dict[str, Any], document: dict[str, Any] | None, record_hash: str | None) -> str | None:
    """Return why a record doesn't hold, by itself or as one of a season, or None where it does."""
    try:
        if document is not None and record_hash is None and found.get("format") == SEASON_FORMAT:
            check_season(found)
            return next(change_problems(found, document), None)
        verify(found)
        if record_hash is not None:
            check_hash(found, record_hash)
    except (BadRecord, BadSeason) as error:
        return str(error)
    return record_problem(found, document) if document is not None else None


def _report(path: Path, problem: str | None) -> bool:
    """Print whether the file holds, and return whether there was a problem."""
    click.echo(f"ok {path}" if problem is None else f"refused {path}: {problem}")
    return problem is not None


def _summary(document: dict[str, Any]) -> str:
    count = len(document["matches"])
    if document["secret"] is None:
        return f"{count} matches, no gaps; deals can be checked after the season"
    return f"{count} matches, every deal follows from the secret"
