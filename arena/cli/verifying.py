"""`pennant verify`: replay records, and deal seasons again."""

import sys
from pathlib import Path
from typing import Any

import click

from arena.cli.files import UnreadableRecord, read_record
from arena.cli.seasons import find_season, save_season
from engine.checking import BadSeason, change_problems, check_season, record_problem, season_problems
from engine.replay import BadRecord, verify
from engine.season import FORMAT

EXIT_SECRET_UNPUBLISHED = 3
"""The exit code where nothing is wrong and the deals can't be checked yet."""
MAX_PROBLEMS_SHOWN = 20


@click.command("verify")
@click.argument("files", metavar="FILE…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--season", metavar="SEASON", help="Check the deals of a season, and that the files belong to it.")
@click.option("--commitment", metavar="HASH", help="Hash of the season's secret, as published when it began.")
@click.option(
    "--save", metavar="FILE", type=click.Path(path_type=Path), help="Write the season's document to this file."
)
def verify_files(files: tuple[Path, ...], season: str | None, commitment: str | None, save: Path | None) -> None:
    """Replay records, and check the hash of the deal, every action and the result.

    SEASON is an address, a file, or GAME/EDITION/NUMBER at PENNANT_URL. The numbers of its matches are checked for
    gaps at any time. Once a season is over its secret is published, and every deal is computed again from it. A FILE
    may then also be one that --save wrote while the season ran: nothing in it may have changed since. The exit code is
    1 if a check fails, and 3 if all checks pass but the secret is not published yet.
    """
    if season is None:
        if not files or commitment or save:
            raise click.UsageError("Name files, or a season by --season; --commitment and --save need a season.")
        sys.exit(any([_report(path, _record_problem(path, None)) for path in files]))
    document = _season(season)
    if save is not None:
        save_season(document, save)
    problems = list(season_problems(document))
    if commitment and commitment.lower() != document["commitment"]:
        problems.insert(0, f"it is committed to {document['commitment']}, not to {commitment}")
    for problem in problems[:MAX_PROBLEMS_SHOWN]:
        click.echo(f"refused {season}: {problem}")
    if len(problems) > MAX_PROBLEMS_SHOWN:
        click.echo(f"and {len(problems) - MAX_PROBLEMS_SHOWN} more")
    refused = any([bool(problems), *[_report(path, _record_problem(path, document)) for path in files]])
    if not problems:
        click.echo(f"{'not yet' if document['secret'] is None else 'ok'} {season}: {_summary(document)}")
    sys.exit(1 if refused else EXIT_SECRET_UNPUBLISHED if document["secret"] is None else 0)


def _season(text: str) -> dict[str, Any]:
    try:
        return find_season(text)
    except (BadSeason, UnreadableRecord) as error:
        click.echo(f"refused {text}: {error}")
        sys.exit(1)


def _record_problem(path: Path, document: dict[str, Any] | None) -> str | None:
    """Return why a file doesn't hold, by itself or as one of a season, or None where it does."""
    try:
        found = read_record(path)
        if document is not None and found.get("format") == FORMAT:
            check_season(found)
            return next(change_problems(found, document), None)
        verify(found)
    except (UnreadableRecord, BadRecord, BadSeason) as error:
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
