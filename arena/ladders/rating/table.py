"""Turn the legs of a match into pairwise results, the only input of ratings.

A match is a set of legs with one deal, as many as seats, each participant once in every seat. It is counted in half
points: of two participants the better one in a leg gets 2, and each gets 1 where they share a place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

PAIR_WEIGHT_BY_SEATS = {2: 1.0, 3: 7 / 9, 4: 23 / 36}
"""Weight of each pair by number of seats. The pairs of a match depend on each other: this is the information in a
ranking of equals over that of its pairs taken separately (Plackett–Luce against Bradley–Terry)."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """The result between two participants of a match, given by index, `first` < `second`."""

    first: int
    second: int
    halves: int
    """Half points of `first` over all legs, from 0 to 2 * seats."""
    seats: int
    """Number of seats, which is also the number of legs."""


def compute_pair_results(legs: Sequence[Sequence[int]]) -> list[PairResult]:
    """Return the result of each two participants, from the places (1 is the best) by participant in each leg.

    Raise ValueError unless there are as many legs as participants, from 2 to 4.
    """
    seats = len(legs)
    if seats not in PAIR_WEIGHT_BY_SEATS or any(len(places) != seats for places in legs):
        raise ValueError("a match has as many legs as participants, from 2 to 4")
    return [
        PairResult(one, other, sum(count_half_points(places[one], places[other]) for places in legs), seats)
        for one, other in combinations(range(seats), 2)
    ]


def count_half_points(own_place: int, other_place: int) -> int:
    """Return the half points, 2, 1 or 0, of a place against another."""
    return (own_place < other_place) + (own_place <= other_place)


def compute_mean_score(result: PairResult) -> float:
    """Return the mean score of `first` over the legs, from 0 to 1."""
    return result.halves / (2 * result.seats)


def count_equivalent_games(seats: int) -> float:
    """Return the number of two-player games that a match is worth for each two of its participants."""
    return seats * PAIR_WEIGHT_BY_SEATS[seats]
