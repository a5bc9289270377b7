"""Read the document of a season from a file or an arena."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import orjson

from arena.cli.api import ROOT, Api, find_api
from arena.cli.files import read_record
from engine.checking import BadSeason, check_season

NAMED = re.compile(r"([\w-]+)/([\w-]+)/(\d+)")
PAGE = re.compile(r"/((?:groups/[\w-]+/)?ladders/[\w-]+/[\w-]+/seasons/\d+)/?")
PATH_OF_GROUP = f"{ROOT}groups/"


def find_season(text: str) -> dict[str, Any]:
    """Return the season of a file, an address, or GAME/EDITION/NUMBER at PENNANT_URL.

    A season of a group's ladder is read with the token of PENNANT_TOKEN, at PENNANT_URL alone.
    Raises BadSeason, UnreadableRecord and click.ClickException.
    """
    if text.startswith(("http://", "https://")):
        document = _ask(_arena(text, _path(text)), _path(text))
    elif not Path(text).exists() and (named := NAMED.fullmatch(text)):
        game, edition, number = named.groups()
        document = _ask(find_api(needs_token=False), f"ladders/{game}/{edition}/seasons/{number}/")
    else:
        document = read_record(Path(text))
    check_season(document)
    return document


def save_document(document: dict[str, Any], path: Path) -> None:
    """Write the document to a file."""
    try:
        path.write_bytes(orjson.dumps(document) + b"\n")
    except OSError as error:
        raise click.ClickException(f"{path} can't be written: {error.strerror or error}") from error


def _ask(api: Api, path: str) -> dict[str, Any]:
    """Return the document with all its matches, which the API gives in pages."""
    document = api.get(path)
    if not isinstance(document, dict) or not isinstance(document.get("deals"), str):
        raise BadSeason(f"{api.url} tells of no season at {path}")
    matches = list(api.pages(document.pop("deals"), limit=200))
    return document | {"matches": matches}


def _arena(address: str, path: str) -> Api:
    scheme, host = urlsplit(address)[:2]
    if not path.startswith(PATH_OF_GROUP):
        return Api(f"{scheme}://{host}")
    arena = find_api()
    if urlsplit(arena.url)[:2] != (scheme, host):
        raise click.ClickException(f"Only members read this season, and PENNANT_TOKEN is for {arena.url} alone.")
    return arena


def _path(address: str) -> str:
    """Return the path of a season in the API, also for the address of its page."""
    path = urlsplit(address).path
    named = PAGE.fullmatch(path)
    return f"{ROOT}{named[1]}/" if named else path
