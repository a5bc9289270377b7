"""`pennant record`: fetch the records of matches on an arena."""

from pathlib import Path
from typing import Any

import click
import orjson

from arena.cli.api import Api, find_api


@click.command()
@click.argument("match", type=click.IntRange(min=1))
@click.argument("leg", type=click.IntRange(min=1), required=False)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Write MATCH-LEG.json for each leg to this folder."
)
def record(match: int, leg: int | None, out: Path | None) -> None:
    """Fetch the records of a finished match, or of one of its legs, one JSON object per line.

    Set PENNANT_URL to the arena. `pennant verify` checks records.
    """
    api = find_api(needs_token=False)
    for number in [leg] if leg else _legs(api, match):
        found = orjson.dumps(api.get(f"matches/{match}/legs/{number}/record/"))
        if out is None:
            click.echo(found)
        else:
            click.echo(_write(out, f"{match}-{number}.json", found))


def _legs(api: Api, match: int) -> list[int]:
    """Return the numbers of the match's legs. Raises click.ClickException if it isn't finished."""
    details: dict[str, Any] = api.get(f"matches/{match}/")
    if details["state"] != "finished":
        raise click.ClickException(
            f"Match {match} is {details['state']}, so it has no records. {details['state_reason']}".strip()
        )
    return [leg["number"] for leg in details["legs"]]


def _write(folder: Path, name: str, content: bytes) -> str:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content + b"\n")
    except OSError as error:
        raise click.ClickException(f"{folder / name} can't be written: {error.strerror or error}") from error
    return str(folder / name)
