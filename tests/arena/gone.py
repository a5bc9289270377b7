"""A game that is not installed for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from engine.core import Game
from engine.registry import GAMES


@contextmanager
def game_gone(key: str) -> Iterator[None]:
    """Take a game away; it comes back to its place in the list."""
    games = cast(dict[str, Game], GAMES)
    kept = dict(games)
    del games[key]
    try:
        yield
    finally:
        games.clear()
        games.update(kept)
