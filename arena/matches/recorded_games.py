"""Read the recorded games that come with the product. They are no matches of this arena."""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

import orjson
from django.conf import settings

from engine.core import Json
from engine.registry import GAMES

# Each file is one that `pennant verify` checks: a line with a record, its hash, and what `tests.tools.recorded_games`
# adds to it. None of them is ever a match in the database, so they count in no standing, list or metric.

RECORDED_GAMES_FOLDER = Path(__file__).with_name("recorded_games_files")
RECORDED_GAME_SUFFIX = ".jsonl.gz"


@dataclass(frozen=True, slots=True, eq=False)
class RecordedGame:
    """A leg between two house bots, with its analysis where its rules have a value function."""

    slug: str
    played_on: date
    record: Json
    record_hash: str
    analysis: Json | None
    why: Json
    """By what it was chosen: `winner` is a seat, and `lowest` how that stood after `turning_point` actions, from 0 to
    1, by the `measure`: the chance to win, or the share of what was still standing."""

    @property
    def names(self) -> list[str]:
        """Return the names of the bots by seat."""
        return [seat["name"] for seat in self.record["seats"]]


def list_recorded_games() -> Sequence[RecordedGame]:
    """Return the recorded games that this arena shows, best first: none where its operator leaves them out."""
    if not settings.RECORDED_GAMES:
        return []
    return [game for game in read_recorded_games() if game.record["game"] in GAMES]


def find_recorded_game(slug: str) -> RecordedGame | None:
    """Return the recorded game with this slug; None where this arena shows none with it."""
    return next((game for game in list_recorded_games() if game.slug == slug), None)


@cache
def read_recorded_games() -> Sequence[RecordedGame]:
    """Return all recorded games that come with the product, in the order in which they are shown.

    Games and editions take turns, so that one who stays sees all of them; of each the best comes first.
    """
    by_rules: dict[tuple[str, str], list[RecordedGame]] = {}
    for game in sorted(
        map(read_recorded_file, RECORDED_GAMES_FOLDER.glob(f"*{RECORDED_GAME_SUFFIX}")), key=lambda game: game.slug
    ):
        by_rules.setdefault((game.record["game"], game.record["edition"]), []).append(game)
    ranked = [sorted(games, key=lambda game: -game.why["score"]) for games in by_rules.values()]
    places = [(place, -game.why["score"], game.slug, game) for games in ranked for place, game in enumerate(games)]
    return [game for *_, game in sorted(places, key=lambda entry: entry[:3])]


def read_recorded_file(path: Path) -> RecordedGame:
    """Return the recorded game of a file."""
    found = orjson.loads(gzip.decompress(path.read_bytes()))
    return RecordedGame(
        slug=path.name.removesuffix(RECORDED_GAME_SUFFIX),
        played_on=date.fromisoformat(found["played_on"]),
        record=found["record"],
        record_hash=found["record_hash"],
        analysis=found["analysis"],
        why=found["why"],
    )
