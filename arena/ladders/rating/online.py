"""Update ratings by one match, until the next fit of all matches.

One step of a Kalman filter on the logistic curve: an uncertain rating moves far, a certain one little, and each match
makes both more certain. Two participants: the formulas of Glicko without its growth of uncertainty, for a version never
changes. More: the same step for all pairs of the table at once, so that nobody is moved by each as by the only one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

from arena.ladders.rating.elo import LOGITS_PER_ELO, expected_score
from arena.ladders.rating.table import PairResult, compute_mean_score, count_equivalent_games


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
