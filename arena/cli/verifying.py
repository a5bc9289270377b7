"""`pennant verify`: replay records, deal seasons again, compute tournaments again, and check archives."""

import sys
from pathlib import Path
from typing import Any

import click

from arena.cli.archives import is_archive_path, verify_archive
from arena.cli.files import DOWNLOAD_SUFFIX, UnreadableRecord, read_download, read_record
from arena.cli.problems import EXIT_SECRET_UNPUBLISHED, report_problems
from arena.cli.seasons import find_season, save_document
from arena.cli.tournament_documents import CheckedTournament
from engine.checking import BadSeason, change_problems, check_season, record_problem, season_problems
from engine.replay import BadRecord, check_hash, verify
from engine.season import FORMAT


@click.command("verify")
@click.argument("files", metavar="FILE…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--hash", "record_hash", metavar="HASH", help="Hash of the record, as the arena published it.")
@click.option("--season", metavar="SEASON", help="Check the deals of a season, and that the files belong to it.")
@click.option(
    "--tournament", metavar="TOURNAMENT", help="Check deals, pairings and places, and that the files belong to it."
)
@click.option("--commitment", metavar="HASH", help="Hash of the secret, as published when it began.")
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

    That shows that a record keeps to the rules. With --hash it must also be the record with this hash: nothing in it
    was changed, except for names and notes.

    SEASON is an address, a file, or GAME/EDITION/NUMBER at PENNANT_URL. The numbers of its matches are checked for
    gaps at any time. Once a season is over its secret is published, and every deal is computed again from it. A FILE
    must belong to the season, and have the hash that the season's document gives for its leg. It may also be a document
    that --save wrote while the season ran: nothing in it may have changed since. The exit code is 1 if a check fails,
    and 4 if all checks pass but the secret is not published yet.

    TOURNAMENT is the address of its page, the JSON that the page offers, or its slug at PENNANT_URL. All rounds are
    paired again, and results and places are computed again from the matches; the rest is as with a season.

    A FILE may also be the archive of a tournament, as a zip or a folder: its documents and all its records are checked,
    and that no file of it is missing or was changed.
    """
    archives = [path for path in files if is_archive_path(path)]
    if archives:
        if record_hash or season or tournament or save or len(archives) != len(files):
            raise click.UsageError("An archive is checked by itself: name nothing but archives, and --commitment.")
        sys.exit(max(verify_archive(path, commitment) for path in archives))
    _check_usage(len(files), record_hash, season, tournament)
    if tournament is not None:
        sys.exit(_verify_tournament(tournament, files, commitment, save))
    if season is None:
        if not files or commitment or save:
            raise click.UsageError(
                "Name files, or a season by --season, or a tournament by --tournament; the other options need one."
            )
        sys.exit(any([_check_file(path, None, record_hash) for path in files]))
    sys.exit(_verify_season(season, files, record_hash, commitment, save))


def _check_usage(files: int, record_hash: str | None, season: str | None, tournament: str | None) -> None:
    """Raise click.UsageError where options contradict each other."""
    if record_hash is not None and files != 1:
        raise click.UsageError("--hash is the hash of one record: name one file.")
    if tournament is not None and (season is not None or record_hash is not None):
        raise click.UsageError("--tournament goes without --season and --hash.")


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
        problems.insert(0, f"it is committed to {document['commitment']}, not to {commitment}")
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
        if document is not None and record_hash is None and found.get("format") == FORMAT:
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
        return f"{count} matches, numbers without gaps; their deals can be checked when the season is over"
    return f"{count} matches, every deal from the secret"
