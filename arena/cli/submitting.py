"""`pennant submit` and `pennant status`: bots on an arena."""

import json
import re
import secrets
import sys
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import orjson
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from arena.cli.api import Api, Refused, find_api, follow
from arena.runner.program import BadProgramError, read_program
from engine.registry import GAMES

CREATED, NOT_FOUND = 201, 404
SLUG_PATTERN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--bot", metavar="SLUG", help="Slug of the bot, the end of its page's address. [default: PATH's name]")
@click.option("--game", metavar="KEY", help=f"Create the bot for this game if it doesn't exist: {', '.join(GAMES)}.")
@click.option("--hold", is_flag=True, help="Keep the accepted version off all ladders until it is promoted.")
@click.option("--wait", is_flag=True, help="Wait for the trial. The exit code is 1 if the version is rejected.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def submit(path: Path, bot: str | None, game: str | None, hold: bool, wait: bool, as_json: bool) -> None:
    """Upload a version of a bot: a file, a folder or a zip file.

    Set PENNANT_URL to the arena and PENNANT_TOKEN to your token. Uploading the same files again creates no new version.
    """
    name, content = _read(path)
    api = find_api()
    bot = bot or _make_slug(_find_name(path.resolve()))
    _ensure_bot_exists(api, bot, game)
    answer = api.request(
        "POST",
        f"bots/{bot}/versions/",
        files={"program": (name, content)},
        data={"hold": "true" if hold else "false"},
        headers={"Idempotency-Key": secrets.token_hex(16)},
    )
    version = orjson.loads(answer.content)
    if answer.status_code != CREATED:
        click.echo(f"Unchanged: these are the files of version {version['number']}, so nothing was uploaded.", err=True)
    if wait:
        version = follow(api, version["url"], lambda seen: seen["is_final"], _progress)
    click.echo(json.dumps(version) if as_json else _sentence(version))
    sys.exit(1 if wait and version["state"] != "accepted" else 0)


@click.command()
@click.argument("bot", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def status(bot: str | None, as_json: bool) -> None:
    """Show the versions and ratings of your bots on an arena, or of BOT, named by its slug.

    Set PENNANT_URL to the arena and PENNANT_TOKEN to your token.
    """
    api = find_api(needs_token=bot is None)
    bots = [_show_bot(api, bot)] if bot else [api.get(f"bots/{slug}/") for slug in api.get("me/")["bots"]]
    if as_json:
        click.echo(json.dumps(bots))
    else:
        Console(highlight=False, markup=False).print(_table(bots))


def _show_bot(api: Api, bot: str) -> dict[str, Any]:
    """Return a bot. Raise Refused, with the names of one's own bots where there is none."""
    try:
        found: dict[str, Any] = api.get(f"bots/{bot}/")
    except Refused as refused:
        if refused.status != NOT_FOUND:
            raise
        raise Refused(NOT_FOUND, refused.message + _list_own_bots(api)) from refused
    return found


def _list_own_bots(api: Api) -> str:
    """Return a sentence with the slugs of one's own bots; an empty text without a token, or without bots."""
    own = api.get("me/")["bots"] if api.token else []
    return f" Your bots: {', '.join(own)}." if own else ""


def _find_name(path: Path) -> str:
    """Return the name of a bot at an absolute path: that of its folder, or of a file that isn't just called bot."""
    return path.parent.name if path.is_file() and path.stem == "bot" else path.stem


def _make_slug(text: str) -> str:
    return "-".join(re.findall("[a-z0-9]+", text.lower()))


def _ensure_bot_exists(api: Api, bot: str, game: str | None) -> None:
    """Create the bot if it doesn't exist. Raises click.ClickException."""
    if not SLUG_PATTERN.fullmatch(bot):
        near = _make_slug(bot)
        hint = f": --bot {near}?" if near else ""
        raise click.ClickException(f"{bot!r} is no slug, which has small letters, digits and single hyphens{hint}")
    try:
        known = api.get(f"bots/{bot}/")
    except Refused as refused:
        if refused.status != NOT_FOUND:
            raise
        if game is None:
            hint = f" To make it, say what it plays: --game {next(iter(GAMES))}"
            raise click.ClickException(refused.message + _list_own_bots(api) + hint) from refused
        made = api.post("bots/", json={"name": bot, "game": game})["slug"]
        if made != bot:
            raise click.ClickException(f"The bot is made, and its slug is {made}: --bot {made}") from refused
    else:
        if game is not None and known["game"] != game:
            raise click.ClickException(f"{bot} plays {known['game']}, not {game}. Nothing was changed.")


def _read(path: Path) -> tuple[str, bytes]:
    """Return the name and content of what is uploaded. Raises click.ClickException."""
    try:
        if path.suffix.lower() == ".zip":
            return path.name, path.read_bytes()
        files = read_program(path).files
    except OSError as error:
        raise click.ClickException(f"{path} can't be read: {error.strerror or error}") from error
    except BadProgramError as error:
        raise click.ClickException(str(error)) from error
    if len(files) == 1:
        return next(iter(files.items()))
    return "bot.zip", _zipped(files)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name in sorted(files):
            zipped.writestr(name, files[name])
    return buffer.getvalue()


def _progress(version: dict[str, Any]) -> str:
    waiting = (version["trial"] or {}).get("waiting")
    return f"{version['bot']} v{version['number']}: {version['state']}" + (f". {waiting['reason']}" if waiting else "")


def _sentence(version: dict[str, Any]) -> str:
    parts = [
        f"{version['bot']} v{version['number']} is {_state(version)}.",
        version["state_reason"],
        version["state_detail"],
        version["html_url"],
    ]
    return "\n".join(filter(None, parts))


def _state(version: dict[str, Any]) -> str:
    return "accepted and on hold" if version["state"] == "accepted" and version["is_on_hold"] else version["state"]


def _table(bots: list[dict[str, Any]]) -> Table:
    """Return a table with a row for each ladder entry, or one row for a bot on no ladder. Uncertain ranks are `?`."""
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for heading in ("bot", "latest", "edition", "plays"):
        table.add_column(heading, overflow="fold")
    for heading in ("rating", "ranks", "matches"):
        table.add_column(heading, justify="right", no_wrap=True)
    for bot in bots:
        newest = bot["latest_version"] and f"v{bot['latest_version']['number']} {bot['latest_version']['state']}"
        rows = [_entry_row(entry) for entry in bot["entries"]] or [()]
        table.add_row(bot["slug"], newest or "none", *rows[0])
        for row in rows[1:]:
            table.add_row("", "", *row)
    return table


def _entry_row(entry: dict[str, Any]) -> tuple[str, ...]:
    state = "" if entry["state"] == "active" else f" {entry['state']}"
    ranks = f"{entry['rank_low']}–{entry['rank_high']}" if entry["rank_low"] else "?"
    return (
        entry["edition"],
        f"v{entry['version']}{state}",
        f"{entry['rating']:.0f} ± {entry['margin_95']:.0f}",
        ranks,
        str(entry["matches"]),
    )
