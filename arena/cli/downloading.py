"""`pennant download`: fetch the records of many matches into one file."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from arena.cli.api import Api, ArenaError, find_api

EXPORT_PATH = "records/export/"
CUT_OFF = "the arena ended the download early: try again, and it goes on"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a download goes on: after the match `after`, of those that ended at `since` or later."""

    since: str | None = None
    after: int = 0

    @property
    def query(self) -> dict[str, Any]:
        """Return it as parameters of a request."""
        return {} if self.since is None else {"since": self.since, "after": self.after}


@click.command("download")
@click.option("--bot", metavar="BOT", help="Only matches of this bot.")
@click.option("--ladder", metavar="GAME/EDITION", help="Only matches of this edition.")
@click.option("--season", metavar="NUMBER", type=click.IntRange(min=1), help="Only rated matches of this season.")
@click.option("--since", metavar="DATE", type=click.DateTime(), help="Only matches that ended then or later, in UTC.")
@click.option("--until", metavar="DATE", type=click.DateTime(), help="Only matches that ended before, in UTC.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("records.jsonl.gz"),
    show_default=True,
    help="The file to write. If it is there, the download goes on where it ends.",
)
def download(
    bot: str | None,
    ladder: str | None,
    season: int | None,
    since: datetime | None,
    until: datetime | None,
    out: Path,
) -> None:
    """Fetch the public records of an arena as JSON lines, compressed by gzip.

    Set PENNANT_URL to the arena. Each line has a record, its match, leg and hash, and when the match ended; `pennant
    verify` checks the whole file. The same command fetches later what is new.
    """
    api = find_api(needs_token=False)
    query = build_query(bot, ladder, season, until)
    start = Position(f"{since.isoformat()}Z") if since else Position()
    try:
        position = find_end(out) or start
        count = 0
        with Progress(SpinnerColumn(), TextColumn("{task.description}"), console=Console(stderr=True)) as progress:
            task = progress.add_task("asking")
            for content, number in fetch_parts(api, query, position):
                with out.open("ab") as file:
                    file.write(content)
                count += number
                progress.update(task, description=f"{count} records")
    except OSError as error:
        raise click.ClickException(f"{out} can't be written: {error.strerror or error}") from error
    click.echo(f"{out}: {count} new records" if count else f"{out}: nothing new")


def build_query(bot: str | None, ladder: str | None, season: int | None, until: datetime | None) -> dict[str, Any]:
    """Return the filters as parameters of a request. Raises click.UsageError."""
    query: dict[str, Any] = {"bot": bot} if bot else {}
    if ladder is not None:
        game, slash, edition = ladder.partition("/")
        if not slash:
            raise click.UsageError("--ladder is GAME/EDITION, as in battleline/standard")
        query |= {"game": game, "edition": edition}
    if season is not None:
        if ladder is None:
            raise click.UsageError("--season is a season of a ladder: name it by --ladder")
        query["season"] = season
    return query | ({"until": f"{until.isoformat()}Z"} if until else {})


def fetch_parts(api: Api, query: dict[str, Any], position: Position) -> Iterator[tuple[bytes, int]]:
    """Yield compressed lines without the last, which is the arena's own, and their number, a request at a time."""
    while True:
        answer = api.request("GET", EXPORT_PATH, params=query | position.query)
        *lines, last = read_lines(answer.content)
        if lines:
            yield gzip.compress(b"".join(lines)), len(lines)
        following = orjson.loads(last).get("next")
        if following is None:
            return
        position = Position(following["since"], following["after"])


def read_lines(content: bytes) -> list[bytes]:
    """Return the lines of an answer, the last of which says that it is whole. Raises ArenaError."""
    try:
        lines = gzip.decompress(content).splitlines(keepends=True)
    except (OSError, EOFError, zlib.error) as error:
        raise ArenaError(f"{CUT_OFF}: {error}") from error
    if not lines or not lines[-1].startswith(b'{"end":true'):
        raise ArenaError(CUT_OFF)
    return lines


def find_end(file: Path) -> Position | None:
    """Return the position after the last record of a file; None if there is none. Raises click.ClickException."""
    if not file.exists():
        return None
    last = b""
    try:
        with gzip.open(file) as lines:
            for line in lines:
                last = line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise click.ClickException(f"{file} is no download, or was cut off: {error}") from error
    if not last:
        return None
    record = orjson.loads(last)
    return Position(record["finished_at"], record["match"])
