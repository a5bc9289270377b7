"""Update ratings by one match, until the next fit of all matches.

One step of a Kalman filter on the logistic curve: an uncertain rating moves far, a certain one little, and each match
makes both more certain. Two participants: the formulas of Glicko without its growth of uncertainty, for a version never
changes. More: the same step for all pairs of the table at once, so that nobody is moved by each as by the only one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

from arena.ladders.rating.elo import Q, expected_score
from arena.ladders.rating.table import PairResult, equivalent_games, score


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating and its standard deviation, in Elo."""

    rating: float
    deviation: float


def update(ratings: Sequence[Rating], results: Sequence[PairResult], dispersion: float) -> list[Rating]:
    """Return the ratings after a match, by participant.

    `dispersion` is that of a match's score: below 1 where its legs cancel the luck of the deal.
    """
    if len(ratings) == 2 and len(results) == 1:
        return _update_two(ratings[0], ratings[1], results[0], dispersion)
    seats = range(len(ratings))
    covariance = [[one.deviation**2 if row == column else 0.0 for column in seats] for row, one in enumerate(ratings)]
    pulls = [0.0 for _ in seats]
    for result in results:
        pull, information = _lesson(ratings[result.one], ratings[result.other], result, dispersion)
        pulls[result.one] += pull
        pulls[result.other] -= pull
        _learn(covariance, result.one, result.other, information)
    return [
        Rating(
            one.rating + sum(share * pull for share, pull in zip(row, pulls, strict=True)),
            sqrt(row[seat]),
        )
        for seat, (one, row) in enumerate(zip(ratings, covariance, strict=True))
    ]


def _update_two(one: Rating, other: Rating, result: PairResult, dispersion: float) -> list[Rating]:
    """Return the ratings after a match of two: the general update written out, as most of a ledger is such matches."""
    pull, information = _lesson(one, other, result, dispersion)
    own, others = one.deviation**2, other.deviation**2
    room = 1 + information * (own + others)
    return [
        Rating(one.rating + own * pull / room, sqrt(own * (1 - information * own / room))),
        Rating(other.rating - others * pull / room, sqrt(others * (1 - information * others / room))),
    ]


def _lesson(one: Rating, other: Rating, result: PairResult, dispersion: float) -> tuple[float, float]:
    """Return the slope of the log-likelihood in the rating of `one` (1/Elo), and its information (1/Elo²)."""
    variance = one.deviation**2 + other.deviation**2
    damping = Q / sqrt(1 + 3 * Q * Q * variance / (pi * pi))
    chance = expected_score(damping / Q * (one.rating - other.rating))
    weight = equivalent_games(result.seats) * damping / dispersion
    return weight * (score(result) - chance), weight * damping * chance * (1 - chance)


def _learn(covariance: list[list[float]], one: int, other: int, information: float) -> None:
    """Take in an observation of the difference of two: Sherman and Morrison's formula, in place."""
    spread = [row[one] - row[other] for row in covariance]
    gain = information / (1 + information * (spread[one] - spread[other]))
    for row, own in zip(covariance, spread, strict=True):
        step = gain * own
        for column, others in enumerate(spread):
            row[column] -= step * others
