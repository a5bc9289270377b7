"""How long ratings take: a fit of 1,000 bots and a million games from their sums, cold and warm, and the online step.

OPENBLAS_NUM_THREADS=1 uv run python -m tests.bench.bench_fit

Seconds of one core, so a busy machine shows no more than what it does to the caches.
"""

from functools import partial
from time import process_time
from timeit import repeat

import numpy as np

from arena.contests.ladders.fit import Stats, fit_ratings
from arena.contests.ladders.rating import LOGITS_PER_ELO, PairResult, Rating, compute_pair_results, update_ratings
from tests.bench.worlds.strengths import newcomers

BOTS, MATCHES = 1_000, 500_000
WIDTH = 180.0
SINCE = 100
"""Matches since the last fit, where one begins warm: what 1,000 bots play in a quarter of an hour at 20 games a day."""
TIMES = 7


def main() -> None:
    for bots, matches in ((100, MATCHES // 10), (BOTS, MATCHES), (2 * BOTS, MATCHES), (5 * BOTS, MATCHES)):
        tell_fits(bots, matches)
    tell_steps()


def tell_fits(bots: int, matches: int) -> None:
    one, other, halves = play(bots, matches)
    whole, before = sums(bots, one, other, halves), sums(bots, one[SINCE:], other[SINCE:], halves[SINCE:])
    known = fit_ratings(newcomers(bots), before).rating
    print(f"{bots} bots, {2 * matches} games, {len(whole.first)} pairs")
    for name, asked, start in (("cold", 0.5, None), ("warm", 0.1, known)):
        seconds = []
        for _ in range(TIMES):
            begin = process_time()
            fitted = fit_ratings(newcomers(bots), whole, start=start)
            seconds.append(process_time() - begin)
        wish = f"asked <= {asked:.1f}" if bots == BOTS else ""
        print(
            f"  {name}: {min(seconds):.3f} s at best, {sorted(seconds)[TIMES // 2]:.3f} s in the middle, "
            f"{fitted.steps} steps, dispersion {fitted.dispersion:.4f}   {wish}"
        )


def tell_steps() -> None:
    rating = Rating(1500, 100)
    for seats in (2, 3, 4):
        table, results = [rating] * seats, compute_pair_results([list(range(1, seats + 1))] * seats)
        if seats == 2:
            results = [PairResult(0, 1, 3, 2)]
        step = partial(update_ratings, table, results, 0.95)
        seconds = min(repeat(step, number=2000, repeat=9, timer=process_time))
        print(f"online step, {seats} seats: {seconds / 2000 / len(results) * 1e6:.2f} us a pair   asked <= 5")


def play(bots: int, matches: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two entities and the half points of the first, by match. Opponents are those of matchmaking's kernel."""
    rng = np.random.default_rng(1)
    strength = np.sort(rng.normal(0, 200, bots))
    one = rng.integers(0, bots, matches)
    aim = strength[one] + rng.normal(0, WIDTH, matches)
    other = np.clip(np.searchsorted(strength, aim) + rng.integers(-3, 3, matches), 0, bots - 1)
    apart = one != other
    one, other = np.minimum(one, other)[apart], np.maximum(one, other)[apart]
    chance = 1 / (1 + np.exp((strength[other] - strength[one]) * LOGITS_PER_ELO))
    return one, other, 2 * ((rng.random(len(one)) < chance).astype(np.int64) + (rng.random(len(one)) < chance))


def sums(bots: int, one: np.ndarray, other: np.ndarray, halves: np.ndarray) -> Stats:
    pairs, row = np.unique(one * bots + other, return_inverse=True)
    return Stats(
        first=pairs // bots,
        second=pairs % bots,
        seats=np.full(len(pairs), 2),
        matches=np.bincount(row),
        halves=np.bincount(row, halves).astype(np.int64),
        squares=np.bincount(row, halves**2).astype(np.int64),
    )


if __name__ == "__main__":
    main()
