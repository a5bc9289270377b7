"""Search for a bot that beats `marshal`: `uv run python -m bots.training.best_response found.json`.

The candidate plays as `marshal` does, by other weights: groups of them are scaled or shifted. The cross-entropy method
looks for the best of these changes in mirrored pairs against a cheap `marshal`: each generation draws candidates around
the best of the one before, halves them twice by their points on the same deals, and moves to those that are left. The
best of the last ones then plays fresh deals against `marshal` as it is, at the same budget.

All that was found is in the file, and the same command goes on where it was stopped. The same seed and numbers give
the same results on any machine, however often it was stopped; a compiled engine halves the time (engine/README.md).
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from math import exp
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from time import process_time
from typing import Any

from pennant.local_bots import LocalBot

from arena.contests.comparisons.sprt import HEAD_TO_HEAD, Estimate, estimate
from bots.training.local_legs import play_pairs
from engine.core import Json, State
from engine.games.battleline.value import TACTIC_KINDS, Weights, read_weights_file, win_chance

Change = list[float]
"""What is changed, by the order of SCALED_FLAG_WEIGHTS, SCALED_LINE_WEIGHTS and SHIFTED_HAND_WEIGHTS."""

SCALED_FLAG_WEIGHTS = ("advantage", "worth", "lead", "tempo")
SCALED_LINE_WEIGHTS = {
    "count": (0, 6),
    "row": (1, 7),
    "sum": (2, 8),
    "odds": (3, 9),
    "mover": (4, 10),
    "formation": (5, 11),
}
"""Places of the weights of the whole line that are scaled together: each term, and the same times the fill."""
FIRST_HAND_WEIGHT = 12
SHIFTED_HAND_WEIGHTS = {
    "tactics": (range(TACTIC_KINDS), 0.3),
    "idle tactics": (range(TACTIC_KINDS, TACTIC_KINDS + 1), 0.3),
    "tactics played": (range(TACTIC_KINDS + 1, TACTIC_KINDS + 2), 0.3),
    "cards": (range(TACTIC_KINDS + 2, TACTIC_KINDS + 3), 0.3),
    "troops": (range(TACTIC_KINDS + 3, TACTIC_KINDS + 4), 0.03),
}
"""Places of the weights of the hands that are shifted together, and the first spread of the shift."""
NAMES = (*SCALED_FLAG_WEIGHTS, *SCALED_LINE_WEIGHTS, *SHIFTED_HAND_WEIGHTS)
FIRST_SCALE_SPREAD = 0.5
"""Spread of the logarithms of the scales in the first generation."""
FIRST_SPREADS = [FIRST_SCALE_SPREAD] * (len(SCALED_FLAG_WEIGHTS) + len(SCALED_LINE_WEIGHTS)) + [
    spread for _, spread in SHIFTED_HAND_WEIGHTS.values()
]
SPREAD_FLOOR = 0.1
"""The spread never gets smaller than this share of the first one."""
SMOOTHING = 0.7
"""How far mean and spread move to those of the best candidates."""
POPULATION = 16
PAIRS_BY_STAGE = (4, 8)
"""Mirrored pairs of each candidate before the first and the second halving."""
FINAL_PAIRS = 48
"""Mirrored pairs by which the best of the last generation and their mean are compared."""
CHEAP_BUDGET = {"positions": 1, "rounds": 2, "replies": 0, "temperature": 0.0}
"""One deal for all moves, two more for the better ones: a tenth of the time or less of the strongest level."""
MAX_PAIR_RESULT = 4
"""Results of a pair are counted in half points of its two legs."""
RESULTS = MAX_PAIR_RESULT + 1


class Responder(LocalBot):
    """A `marshal` by changed weights and a budget of its own; it searches the state itself, which saves its texts."""

    def __init__(self, weights: Json, budget: Json | None = None) -> None:
        super().__init__("marshal")
        search: Any = self.modules["search"]
        self.level = ""
        self.budget = search.Level(**budget) if budget else search.LEVELS[""]
        self.search, self.seed = search, 0
        valued = Weights(weights)

        def estimate_chance(state: Any, seat: int) -> float:
            if state.outcome is not None:
                return win_chance(state, seat)
            chance = valued.win_chance(state)
            return chance if seat == 0 else 1 - chance

        search.win_chance = estimate_chance

    def begin(self, options: Json, edition: str, seat: int, seed: int) -> None:
        """Remember the seed of the leg."""
        self.seed = seed

    def decide(self, state: State, seat: int) -> tuple[str, float | None]:
        """Return the action, chosen from what the seat knows: the search redeals all other cards."""
        move, chance = self.search.choose_move(state, seat, Random(f"{self.seed} {state.ply}"), self.budget)
        return state.text(move), 2 * chance - 1


def change_weights(weights: Json, change: Sequence[float]) -> Json:
    """Return the weights with the groups of NAMES scaled or shifted."""
    by_name = dict(zip(NAMES, change, strict=True))
    changed = {name: [exp(by_name[name]) * value for value in weights[name]] for name in SCALED_FLAG_WEIGHTS}
    line = list(weights["line"])
    for name, places in SCALED_LINE_WEIGHTS.items():
        for place in places:
            line[place] *= exp(by_name[name])
    for name, (kinds, _) in SHIFTED_HAND_WEIGHTS.items():
        for kind in kinds:
            line[FIRST_HAND_WEIGHT + kind] += by_name[name]
    return changed | {"line": line}


class Search:
    """The search for the change of weights that wins most against `marshal`; its file has all that was found so far."""

    def __init__(self, path: Path, edition: str, seed: str) -> None:
        self.path = path
        self.found: Json = {
            "edition": edition,
            "seed": seed,
            "generations": 0,
            "mean": [0.0] * len(NAMES),
            "spread": list(FIRST_SPREADS),
            "best": [],
            "chosen": None,
            "pairs": [0] * RESULTS,
            "cpu_s": 0.0,
        }
        if path.exists():
            self.found = json.loads(path.read_text())
        self.weights = read_weights_file()["editions"][self.found["edition"]]
        self.opponent = Responder(self.weights, CHEAP_BUDGET)
        self.cpu_s_before = self.found["cpu_s"] - process_time()

    def save(self) -> None:
        """Write what was found."""
        self.found["cpu_s"] = round(self.cpu_s_before + process_time(), 1)
        self.path.write_text(json.dumps(self.found, indent=1) + "\n")

    def score(self, change: Change, deals: Sequence[str]) -> float:
        """Return the mean points of a leg of the candidate with this change."""
        candidate = Responder(change_weights(self.weights, change), CHEAP_BUDGET)
        return fmean(play_pairs((candidate, self.opponent), self.found["edition"], iter(deals))) / MAX_PAIR_RESULT

    def run_generation(self) -> float:
        """Draw candidates, keep the best quarter and move to them; return their mean points."""
        seed, mean, spread = (
            f"{self.found['seed']} {self.found['generations']}",
            self.found["mean"],
            self.found["spread"],
        )
        rng = Random(seed)
        left = [[rng.gauss(*one) for one in zip(mean, spread, strict=True)] for _ in range(POPULATION)]
        totals = [0.0] * POPULATION
        for stage, pairs in enumerate(PAIRS_BY_STAGE):
            deals = [f"{seed} {stage} {pair}" for pair in range(pairs)]
            totals = [total + pairs * self.score(one, deals) for total, one in zip(totals, left, strict=True)]
            order = sorted(range(len(left)), key=lambda place: -totals[place])[: len(left) // 2]
            left, totals = [left[place] for place in order], [totals[place] for place in order]
        for place, values in enumerate(zip(*left, strict=True)):
            mean[place] += SMOOTHING * (fmean(values) - mean[place])
            wanted = max(SPREAD_FLOOR * FIRST_SPREADS[place], pstdev(values))
            spread[place] += SMOOTHING * (wanted - spread[place])
        self.found |= {"generations": self.found["generations"] + 1, "best": left}
        return fmean(totals) / sum(PAIRS_BY_STAGE)

    def choose(self) -> float:
        """Choose the best of the mean and the last generation's best on fresh deals, and return its points."""
        deals = [f"{self.found['seed']} final {pair}" for pair in range(FINAL_PAIRS)]
        points, self.found["chosen"] = max(
            (self.score(one, deals), one) for one in (self.found["mean"], *self.found["best"])
        )
        return points

    def confirm(self, pairs: int) -> Iterator[Estimate]:
        """Play on until so many fresh pairs are played against `marshal` as it is; yield the estimate so far."""
        counts, edition = self.found["pairs"], self.found["edition"]
        bots = Responder(change_weights(self.weights, self.found["chosen"])), LocalBot("marshal")
        deals = (f"{self.found['seed']} fresh {pair}" for pair in range(sum(counts), pairs))
        for result in play_pairs(bots, edition, deals):
            counts[result] += 1
            self.save()
            found = estimate(counts, HEAD_TO_HEAD)
            assert found is not None
            yield found


def run(search: Search, generations: int, pairs: int) -> None:
    """Search as far as these numbers, and print each step."""
    found = search.found
    while found["generations"] < generations:
        points = search.run_generation()
        search.save()
        print(
            f"generation {found['generations']}: the best have {points:.3f}, {found['cpu_s']:.0f} s of CPU", flush=True
        )
    if not pairs:
        return
    if found["chosen"] is None:
        print(f"chosen: {search.choose():.3f} against the cheap marshal", flush=True)
        print(json.dumps(dict(zip(NAMES, [round(one, 3) for one in found["chosen"]], strict=True))), flush=True)
    for told in search.confirm(pairs):
        counts = found["pairs"]
        points = sum(result * count for result, count in enumerate(counts)) / MAX_PAIR_RESULT / sum(counts)
        interval = f"{told.elo:+.0f} [{told.low:+.0f}, {told.high:+.0f}] Elo"
        print(f"pairs {counts}, points {points:.3f}, {interval}, {found['cpu_s']:.0f} s of CPU", flush=True)


def main() -> None:
    """Search for a candidate, and confirm it."""
    parser = argparse.ArgumentParser(prog="python -m bots.training.best_response", description=__doc__)
    parser.add_argument("file", type=Path, help="what was found; goes on from it where it is there")
    parser.add_argument("--edition", default="standard")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--pairs", type=int, default=100, help="pairs that confirm the candidate; 0 only searches")
    chosen = parser.parse_args()
    run(Search(chosen.file, chosen.edition, chosen.seed), chosen.generations, chosen.pairs)


if __name__ == "__main__":
    main()
