"""Play games in a series: how long it is, who starts each game, and how it stands (BL-25).

A series is of two players. Each game has a deal of its own; the winner of a game starts the next one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.core import Game
from engine.message import MessageError, gettext_noop, message

GAMES_RANGE = range(1, 16)
POINTS_RANGE = range(5, 51)
WINNER_SCORE = 5
"""What the winner of a game scores; used to bound the games of a series to a number of points."""
EXTRA_GAMES = 3
"""Games beyond those that decide a series to a number of points without draws, where anything may be scored."""
FIRST_SEATING = (0, 1)
"""The player at each seat in the first game."""

Games = Iterable[tuple[Sequence[int], Sequence[float]]]
"""Of each game the player at each seat, and the score of each seat."""


class BadSeries(MessageError, ValueError):
    """No series can have this length, or none is played of this game. The message says why."""


@dataclass(frozen=True, slots=True)
class SeriesLength:
    """The length of a series: a number of games, or the number of points at which a player ends it."""

    games: int | None = None
    points: int | None = None

    def __post_init__(self) -> None:
        """Raise BadSeries where there is not exactly one of the two, or it is out of range."""
        if (self.games is None) == (self.points is None):
            raise BadSeries(
                message(gettext_noop("A series ends after a set number of games or at a set score: choose one."))
            )
        for value, allowed, template in (
            (self.games, GAMES_RANGE, gettext_noop("A series has %(low)s to %(high)s games, not %(value)s.")),
            (
                self.points,
                POINTS_RANGE,
                gettext_noop("The target score of a series is %(low)s to %(high)s points, not %(value)s."),
            ),
        ):
            if value is not None and (type(value) is not int or value not in allowed):
                raise BadSeries(message(template, low=allowed[0], high=allowed[-1], value=str(value)))

    @property
    def max_games(self) -> int:
        """The number of games after which the series ends in any case, and the standing decides."""
        if self.games is not None:
            return self.games
        assert self.points is not None
        return 2 * -(-self.points // WINNER_SCORE) + EXTRA_GAMES

    def is_over(self, games: int, scores: Sequence[float]) -> bool:
        """Return whether the series ends with this number of games played and these series scores."""
        return games >= self.max_games or (self.points is not None and max(scores) >= self.points)

    def to_json(self) -> dict[str, int]:
        """Return `{"games": …}` or `{"points": …}`."""
        return {name: value for name, value in (("games", self.games), ("points", self.points)) if value is not None}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "SeriesLength":
        """Return the length that `to_json` turned into `data`. Raises BadSeries."""
        return cls(data.get("games"), data.get("points"))


def check_series(game: Game, players: int) -> None:
    """Raise BadSeries where so many players can't play this game in a series."""
    if not game.has_series or players != len(FIRST_SEATING):
        raise BadSeries(
            message(
                gettext_noop("%(game)s can't be played as a series by this number of players: %(players)s."),
                game=game.title,
                players=players,
            )
        )


def add_series_scores(games: Games, players: int = 2) -> tuple[float, ...]:
    """Return the series score of each player: the sum of its scores, wherever it sat.

    In Battle Line the winner of a game scores 5, the loser its flags, and in a draw each its flags.
    """
    totals = [0.0] * players
    for seating, scores in games:
        for player, score in zip(seating, scores, strict=True):
            totals[player] += score
    return tuple(totals)


def next_seating(seating: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """Return the seating of the next game: the winner at seat 0, or after a draw the same seating again."""
    if places[0] <= places[1]:
        return tuple(seating)
    return (seating[1], seating[0])


def series_points(scores: Sequence[float]) -> tuple[float, ...]:
    """Return 1 for the player who is ahead and 0 for the other, or ½ for each where they are level."""
    own, other = scores
    ahead = (own > other) + (own == other) / 2
    return (ahead, 1.0 - ahead)
