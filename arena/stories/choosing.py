"""Choose the stories of a day from its results. Pure: no database."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from arena.ladders.rating.elo import find_upset_chance
from engine.core import CloseCall

Told = TypeVar("Told")
MAX_RIVALRY_LEAD = 4.0
"""A pair is a rivalry while neither is further ahead than by this many matches."""
MIN_RIVALRY_MATCHES = 10
MIN_CLIMB_ELO = 10.0
"""Less than this is noise."""
MAX_MATCHES_REPLAYED = 100
"""The narrowest claim is looked for in so many matches of a day, those that the match of the day is chosen from first:
two legs take some 25 ms."""


@dataclass(frozen=True, slots=True)
class Side:
    """A bot in a rated match."""

    entry: int
    rating: float
    """Before the match, in Elo."""
    points: float
    """From 0 to 1."""


@dataclass(frozen=True, slots=True)
class Played:
    """A rated match between two without a fault."""

    match: int
    sides: tuple[Side, Side]
    leg: int
    """Number of its longest leg."""
    decisions: int
    """Number of decisions in that leg."""

    @property
    def winner(self) -> Side | None:
        """Return who has more points; None if they have the same."""
        one, other = self.sides
        return None if one.points == other.points else max(self.sides, key=lambda side: side.points)

    @property
    def loser(self) -> Side:
        """Return who has fewer points, or the second."""
        one, other = self.sides
        return one if one.points < other.points else other

    @property
    def upset_chance(self) -> float | None:
        """Return the expected score of the winner if it was below a half; else None."""
        return None if self.winner is None else find_upset_chance(self.winner.rating, self.loser.rating)

    @property
    def quality(self) -> float:
        """Return the mean rating less the difference of the ratings, in Elo: a match of the best that is close."""
        one, other = (side.rating for side in self.sides)
        return (one + other) / 2 - abs(one - other)


@dataclass(frozen=True, slots=True)
class Call:
    """The close call of a leg of a match."""

    played: Played
    leg: int
    claimant: int
    """The entry that claimed."""
    closest: CloseCall


@dataclass(frozen=True, slots=True)
class Pair:
    """All rated matches of two entries."""

    first: int
    second: int
    matches: int
    points: float
    """Points of the first, one a match."""

    @property
    def lead(self) -> float:
        """Return by how many matches one is ahead."""
        return abs(2 * self.points - self.matches)


@dataclass(frozen=True, slots=True)
class Climb:
    """The change of an entry's rating within a week, in Elo."""

    entry: int
    before: float
    after: float
    by_day: tuple[float, ...] = ()
    """Its ratings from the first day to the last."""


def choose_match_of_the_day(played: Iterable[Played]) -> Played | None:
    """Return the close match of the highest rated."""
    return find_highest(played, lambda one: one.quality)


def choose_matches_to_replay(played: Iterable[Played]) -> list[Played]:
    """Return the close matches of the highest rated, the best one first; of equal ones the earlier."""
    return sorted(played, key=lambda one: (-one.quality, one.match))[:MAX_MATCHES_REPLAYED]


def choose_narrowest_claim(calls: Iterable[Call]) -> Call | None:
    """Return the claim that was nearest to being refuted, of equal ones the first."""
    return min(calls, key=lambda one: one.closest.margin, default=None)


def choose_upset(played: Iterable[Played]) -> Played | None:
    """Return the match whose winner was the least likely."""
    return find_highest(played, lambda one: None if one.upset_chance is None else -one.upset_chance)


def choose_longest(played: Iterable[Played]) -> Played | None:
    """Return the match with the leg of the most decisions."""
    return find_highest(played, lambda one: float(one.decisions))


def choose_rivalry(pairs: Iterable[Pair]) -> Pair | None:
    """Return the pair with the most matches of which neither is far ahead."""
    return find_highest(
        pairs,
        lambda one: float(one.matches) if one.matches >= MIN_RIVALRY_MATCHES and one.lead <= MAX_RIVALRY_LEAD else None,
    )


def choose_climber(climbs: Iterable[Climb]) -> Climb | None:
    """Return the highest climb."""
    return find_highest(climbs, lambda one: rise if (rise := one.after - one.before) >= MIN_CLIMB_ELO else None)


def find_highest(found: Iterable[Told], value_of: Callable[[Told], float | None]) -> Told | None:
    """Return the one of the highest value, of equal ones the first; None where none has a value."""
    best, highest = None, float("-inf")
    for one in found:
        value = value_of(one)
        if value is not None and value > highest:
            best, highest = one, value
    return best
