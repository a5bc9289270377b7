"""How strong the samples are: `uv run python -m tests.bench.bench_samples [--edition standard] [--pairs 200] A B ...`.

Each two neighbours of the chain play mirrored pairs in this process until the arena's own test of versions decides
between `--elo0` and `--elo1`, the differences at which the second is not better and is, or until all pairs are played.
Write `marshal:2` for a level of the marshal, `marshal:ladder` for the one that it plays at on ladders.
"""

import argparse
from collections import Counter
from itertools import pairwise
from time import process_time

from pennant.local_bots import LocalBot

from arena.contests.comparisons.sprt import HEAD_TO_HEAD, decide, estimate
from bots.training.local_legs import list_counts, play_pairs

CHAIN = ("random", "brute", "greedy", "careful", "marshal")


def load(name: str) -> LocalBot:
    sample, _, level = name.partition(":")
    return LocalBot(sample, level)


def compare(worse: str, better: str, edition: str, most: int, bounds: tuple[float, float], seed: str) -> str:
    """The line of the table for two bots."""
    bots = load(better), load(worse)
    results: Counter[int] = Counter()
    start, decision = process_time(), None
    for result in play_pairs(bots, edition, (f"{seed}-{number}" for number in range(most))):
        results[result] += 1
        ratio, decision = decide(list_counts(results), HEAD_TO_HEAD, *bounds)
        if decision is not None:
            break
    counts = list_counts(results)
    found = estimate(counts, HEAD_TO_HEAD)
    assert found is not None
    verdict = {True: "better", False: "not better", None: "open"}[decision]
    cpu_s = (process_time() - start) / (2 * sum(counts))
    tested = f"{verdict} by [{bounds[0]:.0f}, {bounds[1]:.0f}], ratio {ratio:+.2f}"
    return (
        f"{edition:10}{worse:>10} < {better:10}{found.elo:+6.0f} [{found.low:+.0f}, {found.high:+.0f}] Elo  "
        f"{sum(counts)} pairs {counts}  {tested}  {cpu_s:.2f} s a leg"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chain", nargs="*", default=CHAIN)
    parser.add_argument("--edition", default="standard")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--elo0", type=float, default=0.0)
    parser.add_argument("--elo1", type=float, default=20.0)
    parser.add_argument("--seed", default="chain")
    chosen = parser.parse_args()
    for worse, better in pairwise(chosen.chain):
        print(compare(worse, better, chosen.edition, chosen.pairs, (chosen.elo0, chosen.elo1), chosen.seed), flush=True)


if __name__ == "__main__":
    main()
