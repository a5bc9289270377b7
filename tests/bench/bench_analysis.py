"""What a coarse analysis costs and finds: `uv run python -m tests.bench.bench_analysis [--legs 16]`.

`careful` and `greedy` play legs of `standard`, and each leg is analysed by a full and by a coarse pass. Told are the
processor time of both, how many of the full pass's mistakes and blunders (10 points or more) and of all its judgements
(5 points or more) the coarse pass judges too, how many of its own the full pass does not judge at all, how far accuracy
and luck are off in points, and in how many legs the worst decision is the same, or among the coarse pass's worst three.
"""

import argparse
from collections import Counter
from random import Random
from statistics import fmean
from time import process_time

from pennant.local_bots import LocalBot

from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import analyse, analyse_coarsely
from engine.core import Json
from engine.games.battleline import value
from tests.engine.analysis.luck_of_bots import EDITION, GAME, play_record

PAIRS = (("careful", "greedy"), ("greedy", "careful"), ("careful", "careful"), ("greedy", "greedy"))
MISTAKE, INACCURACY = 0.10, 0.05
WORST = 3


def compare(full: Json, coarse: Json) -> Counter[str]:
    """Return how the judgements of both passes agree."""
    losses = [{one["number"]: one["loss"] for one in analysis["decisions"]} for analysis in (full, coarse)]
    true, told = losses
    worst = max(true, key=lambda number: true[number])
    ranked = sorted(told, key=lambda number: -told[number])
    counts = Counter(same_worst=int(worst == ranked[0]), near_worst=int(worst in ranked[:WORST]))
    for number, loss in true.items():
        counts["mistakes"] += loss >= MISTAKE
        counts["mistakes_found"] += loss >= MISTAKE and told[number] >= INACCURACY
        counts["mistakes_told"] += told[number] >= MISTAKE
        counts["mistakes_false"] += told[number] >= MISTAKE and loss < INACCURACY
        counts["all"] += loss >= INACCURACY
        counts["all_found"] += loss >= INACCURACY and told[number] >= INACCURACY
        counts["all_told"] += told[number] >= INACCURACY
        counts["all_false"] += told[number] >= INACCURACY and loss < INACCURACY
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--legs", type=int, default=16)
    chosen = parser.parse_args()
    evaluator = find_evaluator("battleline", EDITION)
    assert evaluator is not None
    spent, counts = [0.0, 0.0], Counter[str]()
    accuracy, luck = [], []
    for number in range(chosen.legs):
        bots = [LocalBot(name) for name in PAIRS[number % len(PAIRS)]]
        deal = GAME.deal(GAME.options(EDITION), 2, Random(f"coarse {number}"))
        record = play_record(bots, EDITION, deal, f"coarse {number}")
        found = []
        for which, make in enumerate((analyse, analyse_coarsely)):
            for remembered in vars(value).values():  # or the second pass would profit from the first
                if hasattr(remembered, "cache_clear"):
                    remembered.cache_clear()
            began = process_time()
            found.append(make(record, evaluator))
            spent[which] += process_time() - began
        counts += compare(*found)
        for one, other in zip(*(analysis["seats"] for analysis in found), strict=True):
            accuracy.append(abs(one["accuracy"] - other["accuracy"]))
            luck.append(100 * abs(one["luck"] - other["luck"]))
    legs = chosen.legs
    print(f"{legs} legs: full {spent[0] / legs:.2f} s, coarse {spent[1] / legs:.2f} s, {spent[1] / spent[0]:.3f} of it")
    for kind in ("mistakes", "all"):
        found_of = f"{counts[f'{kind}_found']} of {counts[kind]} found"
        print(f"{kind}: {found_of}, {counts[f'{kind}_false']} of {counts[f'{kind}_told']} false")
    print(f"accuracy off by {fmean(accuracy):.1f} points, at most {max(accuracy):.1f}")
    print(f"luck off by {fmean(luck):.1f} points, at most {max(luck):.1f}")
    print(f"worst decision: the same in {counts['same_worst']}, among the worst {WORST} in {counts['near_worst']}")


if __name__ == "__main__":
    main()
