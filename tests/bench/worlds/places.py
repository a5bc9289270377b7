"""Places on a ladder with one bot far ahead and one far behind: do ranks, ranges and groups tell the truth?"""

from dataclasses import dataclass
from random import Random

import numpy as np

from arena.contests.ladders.fit import assign_rank_groups, compute_rank_ranges
from arena.contests.ladders.rating import MIN_RANKED_MATCHES, PairResult
from tests.bench.worlds.strengths import World, draw_strengths
from tests.bench.worlds.systems import Shipped

AHEAD_ELO = 400.0
"""What the best is better than the next, and the worst worse."""
REFIT = 4
MATCHES = 40
"""Of each entry, on average."""


@dataclass(slots=True)
class Places:
    """Counts over the fits of a season, from the one at which anybody is ranked."""

    pairs: int = 0
    in_order: int = 0
    """Pairs of ranked bots in different groups, and those of them in true order."""
    bots: int = 0
    in_range: int = 0
    """Ranked bots, and those of them whose true place among the ranked lies in the range told."""
    fits: int = 0
    led: int = 0
    """Fits after the best bot's 20th match, and those in which it has the highest rating."""
    ranked_at: tuple[int, int] | None = None
    """Number of matches with which the best and the worst were ranked; None where either wasn't."""


def run(count: int, seed: int) -> Places:
    """Return what a season of so many bots tells."""
    rng = Random(f"{seed}: places")
    middle = sorted(draw_strengths(count - 2, rng))
    world = World([middle[-1] + AHEAD_ELO, middle[0] - AHEAD_ELO, *middle], rng)
    truth, shipped, found = world.truth(), Shipped(seed), Places()
    best, worst = int(np.argmax(truth)), int(np.argmin(truth))
    first: dict[int, int] = {}
    for _ in range(count):
        shipped.enter()
    for _ in range(0, MATCHES, REFIT):
        for _ in range(max(1, count * REFIT // 2)):
            one, other = shipped.pick()
            shipped.learn((one, other), [PairResult(0, 1, world.match(one, other), 2)])
        shipped.refit()
        judge(shipped, truth, best, found)
        for entry in (best, worst):
            if shipped.is_ranked(entry):
                first.setdefault(entry, shipped.rows[entry].matches)
    if len(first) == 2:
        found.ranked_at = first[best], first[worst]
    return found


def judge(shipped: Shipped, truth: np.ndarray, best: int, found: Places) -> None:
    """Count what is told after a fit."""
    fitted = shipped.fitted
    assert fitted is not None
    if shipped.rows[best].matches >= MIN_RANKED_MATCHES:
        found.fits += 1
        found.led += int(np.argmax(fitted.rating) == best)
    ranked = [entry for entry in range(len(truth)) if shipped.is_ranked(entry)]
    order = np.array(sorted(ranked, key=lambda entry: -fitted.rating[entry]), dtype=np.int64)
    if len(order) < 2:
        return
    covariance = None if fitted.covariance is None else fitted.covariance[np.ix_(order, order)]
    told = fitted.rating[order], fitted.deviation[order], covariance
    low, high = compute_rank_ranges(*told)
    group = assign_rank_groups(*told)
    place = 1 + np.argsort(np.argsort(-truth[order]))
    found.bots += len(order)
    found.in_range += int(np.count_nonzero((low <= place) & (place <= high)))
    above, below = np.triu_indices(len(order), 1)
    apart = group[above] != group[below]
    found.pairs += int(np.count_nonzero(apart))
    found.in_order += int(np.count_nonzero(apart & (truth[order][above] > truth[order][below])))
