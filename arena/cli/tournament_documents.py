"""Check tournaments of an arena for `pennant verify --tournament`."""

import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from arena.cli.api import Api, ArenaError, Refused, find_api
from arena.cli.files import UnreadableRecord, read_record
from arena.tournaments.document import (
    BadTournament,
    TournamentDocument,
    build_season_document,
    is_document,
    list_changes,
    list_problems,
    read_document,
)
from engine.checking import record_problem
from engine.core import Json
from engine.replay import BadRecord, verify

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
PAGE = re.compile(r"/tournaments/([\w-]+)/(tournament\.json)?")
JSON_PATH = "/tournaments/{slug}/tournament.json"
NOT_FOUND = 404


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
            self.problems.insert(0, f"it is committed to {self.document.commitment}, not to {commitment}")
        self.matches = build_season_document(self.document)

    @property
    def is_secret_published(self) -> bool:
        """Return whether all deals could be checked."""
        return self.document.season is not None

    def describe(self) -> str:
        """Return the line on a tournament that holds."""
        matches = sum(1 for _ in self.document.matches)
        rounds = sum(each.is_latest_attempt and each.is_over for each in self.document.rounds)
        sentence = f"{matches} matches; pairings, results and places of {rounds} rounds follow from them"
        if given := self.document.given_count:
            sentence += f" and from {given} result{'s' if given > 1 else ''} that an organiser gave"
        if self.is_secret_published:
            return f"ok {self.text}: {sentence}; every deal from the secret"
        return f"not yet {self.text}: {sentence}; their deals can be checked when the tournament is over"

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


def find_document(text: str) -> Json:
    """Return the JSON of a file, of an address, or of the tournament with this slug at PENNANT_URL.

    Raise UnreadableRecord and click.ClickException.
    """
    if text.startswith(("http://", "https://")):
        scheme, host, path = urlsplit(text)[:3]
        page = PAGE.fullmatch(path)
        return _ask(Api(f"{scheme}://{host}"), JSON_PATH.format(slug=page[1]) if page else path)
    if not Path(text).exists() and SLUG.fullmatch(text):
        return _ask(find_api(needs_token=False), JSON_PATH.format(slug=text))
    return read_record(Path(text))


def _ask(api: Api, path: str) -> Json:
    try:
        found: Any = api.get(path)
    except Refused as refused:
        if refused.status != NOT_FOUND:
            raise
        found = None
    if not isinstance(found, dict):
        raise ArenaError(
            f"{api.url} has no tournament at {path} that everybody may see. `pennant archive` fetches and checks one "
            "that is over with your PENNANT_TOKEN"
        )
    return found
