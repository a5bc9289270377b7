"""Estimate shares of points and differences in Elo, with 95 % intervals, from the results of mirrored matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10, sqrt
from statistics import fmean, stdev

from arena.comparisons.sprt import HEAD_TO_HEAD, MIN_PAIRS, Z_95, estimate

RULE_OF_THREE = 3.0
"""An event that never happened in n tries has a probability below 3/n, with 95 % certainty."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """A difference in Elo with its 95 % interval; a value or bound that the results don't give is None."""

    elo: float | None
    low: float | None
    high: float | None
    likelihood: float
    """The probability of being better at all."""


def estimate_share(points: Sequence[float]) -> Interval:
    """Return the mean of the points of matches, each from 0 to 1, with its interval. Raises ValueError if none."""
    mean = fmean(points)
    margin = RULE_OF_THREE / len(points)
    if len(set(points)) > 1:
        margin = Z_95 * stdev(points) / sqrt(len(points))
    return Interval(mean, max(0.0, mean - margin), min(1.0, mean + margin))


def count_pairs(points: Sequence[float]) -> list[int]:
    """Return how many mirrored pairs gave 0, ½, 1, 1½ and 2 points; `points` are those of matches, from 0 to 1."""
    counts = [0] * HEAD_TO_HEAD.results
    for point in points:
        counts[round(point * (HEAD_TO_HEAD.results - 1))] += 1
    return counts


def estimate_elo(counts: Sequence[int]) -> EloEstimate | None:
    """Return the difference in Elo that mirrored pairs show, or None while they are too few to tell.

    It is the arena's own estimate. Where all pairs gave the same result, only bounds are known.
    """
    pairs = sum(counts)
    if pairs < MIN_PAIRS:
        return None
    found = estimate(counts, HEAD_TO_HEAD)
    assert found is not None
    if max(counts) < pairs:
        return EloEstimate(found.elo, found.low, found.high, found.likelihood)
    share = list(counts).index(pairs) / (HEAD_TO_HEAD.results - 1)
    low, high = share - RULE_OF_THREE / pairs, share + RULE_OF_THREE / pairs
    value = convert_share_to_elo(share)
    return EloEstimate(value, convert_share_to_elo(low), convert_share_to_elo(high), found.likelihood)


def convert_share_to_elo(share: float) -> float | None:
    """Return the difference in Elo at which this share of the points is expected; None at 0 and 1 and beyond."""
    return 400 * log10(share / (1 - share)) if 0 < share < 1 else None


def format_elo(found: EloEstimate | None) -> str:
    """Return an estimate as it is printed: `+69 ± 41`, or `above +478` where only a bound is known."""
    if found is None:
        return f"not known before {MIN_PAIRS} matches"
    if found.low is None and found.high is None:
        return "not known"
    if found.elo is None or found.low is None or found.high is None:
        return f"above {found.low:+.0f}" if found.low is not None else f"below {found.high:+.0f}"
    return f"{found.elo:+.0f} ± {(found.high - found.low) / 2:.0f}"


def format_share(share: Interval) -> str:
    """Return a share of points in percent, with its interval if that says anything: `59.8 % (52.7–66.9)`."""
    if (share.low, share.high) == (0, 1):
        return f"{100 * share.value:.1f} %"
    return f"{100 * share.value:.1f} % ({100 * share.low:.1f}–{100 * share.high:.1f})"
