"""What a standing may say of ranks: which are plausible, and who can't be told apart."""

import numpy as np
import numpy.typing as npt

from arena.ladders.rating.elo import INTERVAL

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

ROWS_PER_BLOCK = 512
"""Rows compared with all others at once, which bounds the memory used."""


def rank_ranges(rating: Floats, deviation: Floats, covariance: Floats | None) -> tuple[Ints, Ints]:
    """The best and the worst plausible rank of each, from 1. Sorted: the highest rating first.

    Not plausible is a rank above somebody who is stronger, or below somebody who is weaker, at a confidence of 95 %.
    """
    count = len(rating)
    best, worst = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    for begin in range(0, count, ROWS_PER_BLOCK):
        rows = slice(begin, min(begin + ROWS_PER_BLOCK, count))
        lead, margin = _compare(rating, deviation, covariance, rows)
        best[rows] = 1 + np.count_nonzero(lead < -margin, axis=1)
        worst[rows] = count - np.count_nonzero(lead > margin, axis=1)
    return best, worst


def groups(rating: Floats, deviation: Floats, covariance: Floats | None) -> Ints:
    """The number of each one's group; 1 is the best. Sorted: the highest rating first.

    Of the others in a group nobody can be told from its first at a confidence of 95 %.
    """
    count = len(rating)
    group, first, number = np.empty(count, dtype=np.int64), 0, 1
    while first < count:
        lead, margin = _compare(rating, deviation, covariance, slice(first, first + 1))
        weaker = np.flatnonzero((lead > margin)[0, first:])
        after = first + int(weaker[0]) if len(weaker) else count
        group[first:after] = number
        first, number = after, number + 1
    return group


def _compare(rating: Floats, deviation: Floats, covariance: Floats | None, rows: slice) -> tuple[Floats, Floats]:
    """Of each of the rows on all: the lead, and how large a lead may come by chance. Elo."""
    variance = deviation[rows, None] ** 2 + deviation[None, :] ** 2
    if covariance is not None:
        variance -= 2 * covariance[rows]
    lead = rating[rows, None] - rating[None, :]
    return lead, INTERVAL * np.sqrt(np.maximum(variance, 0.0))
