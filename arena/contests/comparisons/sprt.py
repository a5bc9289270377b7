"""A sequential test of "is it better?" on mirrored pairs: the generalized SPRT that Stockfish's fishtest runs.

What is tested is the t-value of a unit of play: how far its mean is from even, in its own standard deviations. Bounds
are in normalized Elo: near even, where games are independent and never drawn, that is Elo (M. Van den Bergh,
"Normalized Elo"; fishtest's `LLRcalc`). Likelihoods are the exact maxima over all distributions with that t-value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, log, log10, sqrt

NELO = 800 / log(10)
"""Normalized Elo of a mean that is one standard deviation of a game above even."""
UNSEEN_RESULT_COUNT = 1e-3
"""A result that never came counts as this many, so that none is impossible."""
ERROR_RATE = 0.05
"""The probability of a wrong answer for a version that is exactly at `elo0` or `elo1`."""
LLR_BOUND = log((1 - ERROR_RATE) / ERROR_RATE)
"""The log-likelihood ratio that decides, either way: 2.944439."""
MIN_PAIRS = 16
"""Nothing is decided before."""
MAX_PAIRS = 5000
"""The test ends without an answer then."""
Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit counted as one result. Results are numbered from the worst, evenly spaced, with a draw in the middle."""

    results: int
    t_per_game: float
    """The t-value of a unit where that of a single game is 1."""
    elo_factor: float


HEAD_TO_HEAD = Unit(results=5, t_per_game=sqrt(2), elo_factor=1)
"""The two play a mirrored pair: 0, ½, 1, 1½ or 2 points of its two legs."""
FIELD = Unit(results=9, t_per_game=1, elo_factor=2)
"""Each plays a mirrored pair against the same third bot on the same deal: the difference of their points, -2 to 2.
Such a difference is as noisy as a single game between the two."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The bounds of a test, in normalized Elo: at `elo0` a version is not better, at `elo1` it is."""

    elo0: float
    elo1: float


PRESETS = {
    "quick": Preset(0, 30),
    "default": Preset(0, 20),
    "strict": Preset(0, 10),
    "non-regression": Preset(-10, 10),
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated difference in Elo, with its 95 % interval and the probability that the version is better at all."""

    elo: float
    low: float
    high: float
    likelihood: float

    @property
    def margin_95(self) -> float:
        """Return half of the interval's width, in Elo."""
        return (self.high - self.low) / 2


def log_likelihood_ratio(counts: Sequence[int], unit: Unit, elo0: float, elo1: float) -> float:
    """Return how much likelier the results are at `elo1` than at `elo0` normalized Elo. Counts are by result."""
    if not any(counts):
        return 0.0
    shares = _shares(counts)
    at = [fit_t_value(shares, bound / NELO * unit.t_per_game) for bound in (elo0, elo1)]
    return _seen(counts) * _mean_log_ratio(shares, *at)


def decide(counts: Sequence[int], unit: Unit, elo0: float, elo1: float) -> tuple[float, bool | None]:
    """Return the log-likelihood ratio, and whether the version is better: None as long as that is open.

    Call this after every unit: the first decision counts.
    """
    ratio = log_likelihood_ratio(counts, unit, elo0, elo1)
    if sum(counts) < MIN_PAIRS or abs(ratio) < LLR_BOUND:
        return ratio, None
    return ratio, ratio > 0


def estimate(counts: Sequence[int], unit: Unit) -> Estimate | None:
    """Return the estimate of a test of fixed length. A test that stopped early makes it look larger than it is."""
    if not any(counts):
        return None
    shares = _shares(counts)
    mean, deviation = _moments(shares)
    error = deviation / sqrt(_seen(counts))
    low, elo, high = (unit.elo_factor * convert_score_to_elo(mean + z * error) for z in (-Z_95, 0.0, Z_95))
    return Estimate(elo, low, high, (1 + erf((mean - 0.5) / error / sqrt(2))) / 2)


def compute_moments(counts: Sequence[int]) -> tuple[float, float]:
    """Return mean and standard deviation of counted results, which are from 0, the worst, to 1."""
    return _moments(_shares(counts))


def fit_t_value(shares: Sequence[float], t: float) -> list[float]:
    """Return the likeliest distribution whose mean is `t` standard deviations above even, given the observed shares.

    Each round solves the problem made linear at the last solution, as fishtest does, from an even distribution on.
    """
    values = _values(len(shares))
    fitted = [1 / len(shares)] * len(shares)
    for _ in range(MAX_FIT_ITERATIONS):
        mean, deviation = _moments(fitted)
        steps = [value - 0.5 - t * deviation * (1 + ((mean - value) / deviation) ** 2) / 2 for value in values]
        if not min(steps) < 0 < max(steps):
            break
        tilt = _tilt(shares, steps)
        before, fitted = fitted, [share / (1 + tilt * step) for share, step in zip(shares, steps, strict=True)]
        if max(abs(new - old) for new, old in zip(fitted, before, strict=True)) < FIT_TOLERANCE:
            break
    return fitted


MAX_FIT_ITERATIONS = 10
FIT_TOLERANCE = 1e-9


def _tilt(shares: Sequence[float], steps: Sequence[float]) -> float:
    """Find the x where the sum of share * step / (1 + x * step) is 0, between the poles, where it only falls."""
    low, high = -1 / max(steps), -1 / min(steps)
    x = 0.0
    for _ in range(100):
        slope = value = 0.0
        for share, step in zip(shares, steps, strict=True):
            part = step / (1 + x * step)
            value += share * part
            slope += share * part * part
        if value > 0:
            low = x
        else:
            high = x
        change = value / slope
        if abs(change) < 1e-13 * (1 + abs(x)):
            break
        x = x + change if low < x + change < high else (low + high) / 2
    return x


def _values(results: int) -> list[float]:
    return [number / (results - 1) for number in range(results)]


def _seen(counts: Sequence[int]) -> float:
    return sum(count or UNSEEN_RESULT_COUNT for count in counts)


def _shares(counts: Sequence[int]) -> list[float]:
    seen = _seen(counts)
    return [(count or UNSEEN_RESULT_COUNT) / seen for count in counts]


def _moments(shares: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation."""
    values = _values(len(shares))
    mean = sum(share * value for share, value in zip(shares, values, strict=True))
    variance = sum(share * (value - mean) ** 2 for share, value in zip(shares, values, strict=True))
    return mean, sqrt(variance)


def _mean_log_ratio(shares: Sequence[float], lower: Sequence[float], upper: Sequence[float]) -> float:
    return sum(share * log(high / low) for share, low, high in zip(shares, lower, upper, strict=True))


def convert_score_to_elo(score: float) -> float:
    """Return the difference in Elo of a mean score from 0 to 1, of which the ends are clipped."""
    score = min(max(score, 1e-3), 1 - 1e-3)
    return 400 * log10(score / (1 - score))


# The sequential test on results that a part of the luck was taken off: they are numbers, no longer counts.
#
# Its log-likelihood ratio is that of the mean and the variance alone, in the closed form of fishtest. The question is
# the same as without the adjustment: a bound in normalized Elo is first turned into a mean by the deviation of the
# results as they were counted. So taking luck off makes the answer come sooner, and asks for no smaller difference.


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
