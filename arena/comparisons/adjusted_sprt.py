"""The sequential test on results that a part of the luck was taken off: they are numbers, no longer counts.

Its log-likelihood ratio is that of the mean and the variance alone, in the closed form of fishtest. The question is the
same as without the adjustment: a bound in normalized Elo is first turned into a mean by the deviation of the results
as they were counted. So taking luck off makes the answer come sooner, and asks for no smaller difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, log, sqrt

from arena.comparisons.sprt import (
    LLR_BOUND,
    MIN_PAIRS,
    NELO,
    Z_95,
    Estimate,
    Unit,
    compute_moments,
    convert_score_to_elo,
)


@dataclass(frozen=True, slots=True)
class AdjustedSums:
    """Sums of adjusted results, of which a counted one is from 0 (the worst) to 1, and 0.5 is even."""

    units: int
    total: float
    squares: float

    @property
    def mean(self) -> float:
        """Return the mean of the results. There must be some."""
        return self.total / self.units

    @property
    def variance(self) -> float:
        """Return the variance of the results. There must be some."""
        return max(0.0, self.squares / self.units - self.mean**2)


def adjusted_log_likelihood_ratio(
    sums: AdjustedSums, counts: Sequence[int], unit: Unit, elo0: float, elo1: float
) -> float:
    """Return how much likelier the adjusted results are at `elo1` than at `elo0` normalized Elo.

    `counts` are those of the same units without the adjustment.
    """
    if not sums.units or not sums.variance:
        return 0.0
    games = sums.units * unit.t_per_game**2
    per_game = sqrt(sums.variance) * unit.t_per_game
    _, counted_deviation = compute_moments(counts)
    deviation = max(counted_deviation, sqrt(sums.variance))  # of results that are all alike hardly anything is known
    seen = (sums.mean - 0.5) / per_game
    at0, at1 = (bound / NELO * unit.t_per_game * deviation / per_game for bound in (elo0, elo1))
    return games / 2 * log((1 + (seen - at0) ** 2) / (1 + (seen - at1) ** 2))


def decide_adjusted(
    sums: AdjustedSums, counts: Sequence[int], unit: Unit, elo0: float, elo1: float
) -> tuple[float, bool | None]:
    """Return the log-likelihood ratio, and whether the version is better: None as long as that is open.

    Call this after every unit: the first decision counts.
    """
    ratio = adjusted_log_likelihood_ratio(sums, counts, unit, elo0, elo1)
    if sums.units < MIN_PAIRS or abs(ratio) < LLR_BOUND:
        return ratio, None
    return ratio, ratio > 0


def estimate_adjusted(sums: AdjustedSums, unit: Unit) -> Estimate | None:
    """Return the estimate by adjusted results, as of a test of fixed length; None without any, or if all are alike."""
    if not sums.units or not sums.variance:
        return None
    error = sqrt(sums.variance / sums.units)
    low, elo, high = (unit.elo_factor * convert_score_to_elo(sums.mean + z * error) for z in (-Z_95, 0.0, Z_95))
    return Estimate(elo, low, high, (1 + erf((sums.mean - 0.5) / error / sqrt(2))) / 2)
