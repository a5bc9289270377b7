"""What a match says of each two of its participants: all a rating is made of.

A match is a set of legs with one deal, as many as seats, each participant once in every seat. It is counted in half
points: of two participants, who has the better place in a leg takes 2, and each takes 1 where they share it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

WEIGHT = {2: 1.0, 3: 7 / 9, 4: 23 / 36}
"""What one of the pairs of a table of so many seats counts. They don't tell independent things: this is the information
in a whole ranking over that of its pairs taken each for itself, among equals (Plackett and Luce's model against Bradley
and Terry's)."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two participants of a match, `one` < `other`: their indices."""

    one: int
    other: int
    halves: int
    """Half points of `one` over all legs, from 0 to 2 * seats."""
    seats: int
    """Of the table, so legs of the match, too."""


def pair_results(legs: Sequence[Sequence[int]]) -> list[PairResult]:
    """Of each two participants, from the places (1 is the best) by participant in each leg; a leg for each of them."""
    seats = len(legs)
    if seats not in WEIGHT or any(len(places) != seats for places in legs):
        raise ValueError("a match has as many legs as participants, from 2 to 4")
    return [
        PairResult(one, other, sum(half_points(places[one], places[other]) for places in legs), seats)
        for one, other in combinations(range(seats), 2)
    ]


def half_points(own: int, others: int) -> int:
    """2, 1 or 0: what a place is worth against another."""
    return (own < others) + (own <= others)


def score(result: PairResult) -> float:
    """Of `one`, from 0 to 1: the mean over the legs."""
    return result.halves / (2 * result.seats)


def games(seats: int) -> float:
    """How many games of two a match says as much as, about each two of its participants."""
    return seats * WEIGHT[seats]
