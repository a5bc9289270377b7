"""Rate one match after another on the Elo scale, and say which ranks ratings support."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, pi, sqrt

# The Elo scale: its logistic curve and initial values.

LOGITS_PER_ELO = log(10) / 400
"""Logits per Elo point: Glicko's q."""
INITIAL_RATING_ELO = 1500.0
INITIAL_DEVIATION_ELO = 300.0
"""Standard deviation of a new bot's rating, in Elo."""
VERSION_CHANGE_SD_ELO = 80.0
"""Standard deviation of the difference between a version and the one before it, in Elo."""
INITIAL_DISPERSION = 0.95
"""Dispersion assumed of the matches of a new ladder, whose legs cancel some luck of the deal."""
DISPERSION_OF_ONE_LEG = 1.0
"""The same where a match has one leg, which cancels none."""
RATING_METHOD_VERSION = 1
"""Version of the method (`fit.py`): raised when the same ledger gets other ratings by it."""
Z_SCORE_95 = 1.96
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


def expected_score(rating_difference: float) -> float:
    """Return the expected score, from 0 to 1, of a player stronger by `difference` Elo."""
    odds: float = 10.0 ** (-rating_difference / 400.0)
    return 1.0 / (1.0 + odds)


def find_upset_chance(winner_rating: float, loser_rating: float) -> float | None:
    """Return the expected score of a winner who was the weaker by its rating; None for one who was not."""
    return expected_score(winner_rating - loser_rating) if winner_rating < loser_rating else None


# Turn the legs of a match into pairwise results, the only input of ratings.
#
# A match is a set of legs with one deal, as many as seats, each participant once in every seat. It is counted in half
# points: of two participants the better one in a leg gets 2, and each gets 1 where they share a place. A single leg of
# two, as on open ladders, counts as one game: where numbers of seats stand for numbers of legs it has 1.

PAIR_WEIGHT_BY_SEATS = {1: 1.0, 2: 1.0, 3: 7 / 9, 4: 23 / 36}
"""Weight of each pair by number of seats; 1 is a single leg of two. The pairs of a match depend on each other: this is
the information in a ranking of equals over that of its pairs taken separately (Plackett–Luce against Bradley–Terry)."""


DUEL = 2
"""Participants of a match with a single leg."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """The result between two participants of a match, given by index, `first` < `second`."""

    first: int
    second: int
    halves: int
    """Half points of `first` over all legs, from 0 to 2 * seats."""
    seats: int
    """Number of seats, which is also the number of legs; 1 is a single leg of two."""


def compute_pair_results(legs: Sequence[Sequence[int]]) -> list[PairResult]:
    """Return the result of each two participants, from the places (1 is the best) by participant in each leg.

    Raise ValueError unless there are as many legs as participants, from 2 to 4, or one leg of two.
    """
    seats = len(legs)
    participants = DUEL if seats == 1 else seats
    if seats not in PAIR_WEIGHT_BY_SEATS or any(len(places) != participants for places in legs):
        raise ValueError("a match has as many legs as participants, from 2 to 4, or one leg of two")
    return [
        PairResult(one, other, sum(count_half_points(places[one], places[other]) for places in legs), seats)
        for one, other in combinations(range(participants), 2)
    ]


def count_half_points(own_place: int, other_place: int) -> int:
    """Return the half points, 2, 1 or 0, of a place against another."""
    return (own_place < other_place) + (own_place <= other_place)


def compute_mean_score(result: PairResult) -> float:
    """Return the mean score of `first` over the legs, from 0 to 1."""
    return result.halves / (2 * result.seats)


def count_equivalent_games(seats: int) -> float:
    """Return the number of two-player games that a match is worth for each two of its participants; 1 for one leg."""
    return seats * PAIR_WEIGHT_BY_SEATS[seats]


# Update ratings by one match, until the next fit of all matches.
#
# One step of a Kalman filter on the logistic curve: an uncertain rating moves far, a certain one little, and each
# match makes both more certain. Two participants: the formulas of Glicko without its growth of uncertainty, for a
# version never changes. More: the same step for all pairs of the table at once, so that nobody is moved by each as by
# the only one.


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating and its standard deviation, in Elo."""

    rating: float
    deviation: float


def update_ratings(ratings: Sequence[Rating], results: Sequence[PairResult], dispersion: float) -> list[Rating]:
    """Return the ratings after a match, by participant.

    `dispersion` is that of a match's score: below 1 where its legs cancel the luck of the deal.
    """
    if len(ratings) == 2 and len(results) == 1:
        return _update_two_ratings(ratings[0], ratings[1], results[0], dispersion)
    seats = range(len(ratings))
    covariance = [[one.deviation**2 if row == column else 0.0 for column in seats] for row, one in enumerate(ratings)]
    pulls = [0.0 for _ in seats]
    for result in results:
        pull, information = _differentiate_likelihood(ratings[result.first], ratings[result.second], result, dispersion)
        pulls[result.first] += pull
        pulls[result.second] -= pull
        _reduce_covariance(covariance, result.first, result.second, information)
    return [
        Rating(
            one.rating + sum(share * pull for share, pull in zip(row, pulls, strict=True)),
            sqrt(row[seat]),
        )
        for seat, (one, row) in enumerate(zip(ratings, covariance, strict=True))
    ]


def _update_two_ratings(first: Rating, second: Rating, result: PairResult, dispersion: float) -> list[Rating]:
    """Return the ratings after a match of two: the general update written out, as most of a ledger is such matches."""
    pull, information = _differentiate_likelihood(first, second, result, dispersion)
    own, others = first.deviation**2, second.deviation**2
    growth = 1 + information * (own + others)
    return [
        Rating(first.rating + own * pull / growth, sqrt(own * (1 - information * own / growth))),
        Rating(second.rating - others * pull / growth, sqrt(others * (1 - information * others / growth))),
    ]


def _differentiate_likelihood(
    first: Rating, second: Rating, result: PairResult, dispersion: float
) -> tuple[float, float]:
    """Return the slope of the log-likelihood in the rating of `first` (1/Elo), and its information (1/Elo²)."""
    variance = first.deviation**2 + second.deviation**2
    damping = LOGITS_PER_ELO / sqrt(1 + 3 * LOGITS_PER_ELO * LOGITS_PER_ELO * variance / (pi * pi))
    chance = expected_score(damping / LOGITS_PER_ELO * (first.rating - second.rating))
    weight = count_equivalent_games(result.seats) * damping / dispersion
    return weight * (compute_mean_score(result) - chance), weight * damping * chance * (1 - chance)


def _reduce_covariance(covariance: list[list[float]], first: int, second: int, information: float) -> None:
    """Update the covariance, in place, by an observation of the difference of two (Sherman and Morrison's formula)."""
    spread = [row[first] - row[second] for row in covariance]
    gain = information / (1 + information * (spread[first] - spread[second]))
    for row, own in zip(covariance, spread, strict=True):
        step = gain * own
        for column, others in enumerate(spread):
            row[column] -= step * others


# Decide whether a rating is certain enough for a rank.

MAX_RANKED_DEVIATION_ELO = 60.0
"""Standard deviation of a rating that is always certain enough."""
MAX_RANKED_DEVIATION_SHARE = 0.2
"""The same as a part of the spread of a ladder's ratings. Where bots are far apart, the results of the best and of the
worst are one-sided and tell little of their ratings, while their places are plain."""
MIN_RANKED_MATCHES = 20
MIN_RANKED_OPPONENTS = 8
MATCHES_WAIVING_OPPONENTS = 60
"""With so many matches the number of opponents is waived: an entry far stronger than all others finds few."""


def find_max_deviation(spread: float) -> float:
    """Return the standard deviation that a rating on a ladder of this spread may have for a rank, in Elo."""
    return max(MAX_RANKED_DEVIATION_ELO, MAX_RANKED_DEVIATION_SHARE * spread)


def find_min_opponents(others: int) -> int:
    """Return the number of opponents that a rank needs, given the number of entries that one can meet."""
    return min(MIN_RANKED_OPPONENTS, others)


def is_certain(deviation: float, spread: float, *, has_sure_place: bool = False) -> bool:
    """Return whether a rating on a ladder of this spread is certain enough for a rank.

    An entry that `has_sure_place`, far ahead of the next and far behind the one before, needs no certain rating.
    """
    return has_sure_place or deviation <= find_max_deviation(spread)


def is_ranked(is_certain: bool, matches: int, opponents: int, others: int, *, was_ranked: bool = False) -> bool:
    """Return whether an entry, whose rating `is_certain` or not, gets or keeps a rank.

    `others` is the number of entries that it can meet. An entry that `was_ranked` before has met enough, however many
    newcomers there are: only a rating that is no longer certain takes the rank away.
    """
    has_met_enough = was_ranked or opponents >= find_min_opponents(others) or matches >= MATCHES_WAIVING_OPPONENTS
    return is_certain and matches >= MIN_RANKED_MATCHES and has_met_enough
