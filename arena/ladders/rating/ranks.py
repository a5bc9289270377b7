"""Ranks that ratings support: plausible ranges, and groups that can't be told apart."""

import numpy as np
import numpy.typing as npt

from arena.ladders.rating.elo import Z_SCORE_95

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

COMPARISON_BLOCK_ROWS = 512
"""Rows compared with all others at once, which bounds the memory used."""


def compute_rank_ranges(rating: Floats, deviation: Floats, covariance: Floats | None) -> tuple[Ints, Ints]:
    """Return the best and the worst plausible rank of each, from 1. Ratings are sorted, highest first.

    A rank above an entry that is stronger, or below one that is weaker, at a confidence of 95 %, is not plausible.
    """
    count = len(rating)
    best, worst = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for begin in range(0, count, COMPARISON_BLOCK_ROWS):
        rows = slice(begin, min(begin + COMPARISON_BLOCK_ROWS, count))
        lead, margin = _compare_rows(rating, deviation, covariance, rows)
        best[rows] = 1 + np.count_nonzero(lead < -margin, axis=1)
        worst[rows] = count - np.count_nonzero(lead > margin, axis=1)
    return best, worst


def assign_rank_groups(rating: Floats, deviation: Floats, covariance: Floats | None) -> Ints:
    """Return the number of each one's group; 1 is the best. Ratings are sorted, highest first.

    No member of a group differs from its first at a confidence of 95 %.
    """
    count = len(rating)
    group, first, number = np.empty(count, dtype=np.int64), 0, 1
    while first < count:
        lead, margin = _compare_rows(rating, deviation, covariance, slice(first, first + 1))
        weaker = np.flatnonzero((lead > margin)[0, first:])
        after = first + int(weaker[0]) if len(weaker) else count
        group[first:after] = number
        first, number = after, number + 1
    return group


def _compare_rows(rating: Floats, deviation: Floats, covariance: Floats | None, rows: slice) -> tuple[Floats, Floats]:
    """Return the lead of each of the rows over all others, and the leads that chance explains, in Elo."""
    variance = deviation[rows, None] ** 2 + deviation[None, :] ** 2
    if covariance is not None:
        variance -= 2 * covariance[rows]
    lead = rating[rows, None] - rating[None, :]
    return lead, Z_SCORE_95 * np.sqrt(np.maximum(variance, 0.0))
