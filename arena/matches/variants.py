"""The rules that somebody has asked for: an edition and changes of its options, and perhaps a series of games."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

from arena.errors import ArenaError
from engine.message import Message, gettext_noop, literal, message
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game
from engine.series import BadSeries, SeriesLength, check_series
from engine.variants import Variant, find_variant


class UnplayableRules(ArenaError):
    """There is no such edition, option or series, or it can't be like that; the message says what is allowed."""


class HasRules(Protocol):
    """A match, tournament or comparison, each played by an edition with changed options."""

    @property
    def game(self) -> str:
        """Return the key of the game."""

    @property
    def edition(self) -> str:
        """Return the key of the edition."""

    @property
    def changed_options(self) -> Mapping[str, Any]:
        """Return the rule options that differ from the edition's."""


def resolve_variant(game: str, edition: str = "", options: Mapping[str, Any] | None = None) -> Variant:
    """Return the rules of an edition, by default the game's first, with these options changed.

    Where the changes make another edition of it, they are that one's. Raises UnplayableRules.
    """
    rules = find_game(game)
    try:
        return find_variant(rules, edition or next(iter(rules.editions)), options)
    except BadOptions as error:
        problem = gettext_noop("These rules can't be played: %(problem)s.")
        raise UnplayableRules(message(problem, problem=error.message)) from error


def parse_series_length(game: str, players: int, series: Mapping[str, Any] | None) -> SeriesLength | None:
    """Return the length of a series from its JSON form; None for none. Raises UnplayableRules."""
    if series is None:
        return None
    try:
        check_series(find_game(game), players)
        return SeriesLength.from_json(series)
    except BadSeries as error:
        raise UnplayableRules(error.message) from error


def name_variant(played: HasRules) -> Message:
    """Return the edition and the changed options by which something is played, as "Medieval, without tactics".

    Of an edition that is gone it is the key.
    """
    try:
        return _name_variant(played.game, played.edition, tuple(played.changed_options.items()))
    except (UnknownGame, BadOptions):
        return literal(played.edition)


@lru_cache(maxsize=1024)
def _name_variant(game: str, edition: str, changes: tuple[tuple[str, Any], ...]) -> Message:
    """Return the name of a variant. Raises UnknownGame and BadOptions, so that only names are cached."""
    return find_variant(find_game(game), edition, dict(changes)).name
