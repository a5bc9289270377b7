"""How often the test of versions errs, and how long it takes: `uv run python -m tests.bench.bench_sprt [--runs N]`.

The first table asks `decide` after every pair, as the arena does. Of the second, where it is about lengths only, pairs
are passed over as long as a closed form of the ratio, some 1 % off, is nowhere near a bound.
"""

import argparse
from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from math import asin, log, pi, sqrt
from random import Random
from statistics import NormalDist, mean

from arena.contests.comparisons.sprt import (
    FIELD,
    HEAD_TO_HEAD,
    LLR_BOUND,
    MAX_PAIRS,
    MIN_PAIRS,
    NELO,
    PRESETS,
    UNSEEN_RESULT_COUNT,
    Unit,
    decide,
)

RHO = 0.1
"""What the two legs of a deal have of the same luck, with opposite signs: measured pairs are correlated by -0.064."""
NEAR = 0.6
"""So far from a bound the closed form is trusted."""
ASKED = 0.065

Draw = Callable[[Random], int]


def chance_of_leg(nelo: float) -> tuple[float, float]:
    """Chance of a leg, and the correlation of a pair's legs, for a true normalized Elo of pairs without draws."""
    correlation = 2 / pi * asin(-RHO)
    k = (nelo / NELO) ** 2 * (1 + correlation)
    away = sqrt(k / (1 + k)) / 2
    return 0.5 + (away if nelo >= 0 else -away), correlation


def head_to_head(nelo: float) -> Draw:
    """Draws results of pairs: both legs lost, one each, both won."""
    p, correlation = chance_of_leg(nelo)
    common = correlation * p * (1 - p)
    bounds = list(accumulate([(1 - p) ** 2 + common, 2 * p * (1 - p) - 2 * common]))
    return lambda rng: (0, 2, 4)[bisect(bounds, rng.random())]


def field(nelo: float, opponents: int = 16, spread: float = 100.0) -> Draw:
    """Draws differences of two pairs on the same deal, against opponents of different strength. Near even Elo and
    normalized Elo are nearly the same."""
    normal = NormalDist()
    strengths = [spread * normal.inv_cdf((number + 0.5) / opponents) for number in range(opponents)]
    needed = [[normal.inv_cdf(1 / (1 + 10 ** ((them - us) / 400))) for us in (nelo, 0.0)] for them in strengths]

    def draw(rng: Random) -> int:
        thresholds = needed[rng.randrange(opponents)]
        luck = rng.gauss(0, 1)
        points = [
            sum(sqrt(RHO) * sign * luck + sqrt(1 - RHO) * rng.gauss(0, 1) < threshold for sign in (1, -1))
            for threshold in thresholds
        ]
        return 4 + 2 * (points[0] - points[1])

    return draw


def closed_form(counts: list[int], unit: Unit, elo0: float, elo1: float) -> float:
    """The ratio of two normal distributions, as fishtest's documentation has it."""
    total = sum(count or UNSEEN_RESULT_COUNT for count in counts)
    shares = [(count or UNSEEN_RESULT_COUNT) / total for count in counts]
    values = [number / (len(counts) - 1) for number in range(len(counts))]
    middle = sum(share * value for share, value in zip(shares, values, strict=True))
    variance = sum(share * (value - middle) ** 2 for share, value in zip(shares, values, strict=True))
    n, low, high = (middle - 0.5) / sqrt(variance) / unit.t_per_game, elo0 / NELO, elo1 / NELO
    return total * unit.t_per_game**2 / 2 * log((1 + (n - low) ** 2) / (1 + (n - high) ** 2))


def run(draw: Draw, rng: Random, unit: Unit, bounds: tuple[float, float], *, exact: bool) -> tuple[bool | None, int]:
    """The decision, None where there is none, and the units it took."""
    counts = [0] * unit.results
    for number in range(1, MAX_PAIRS + 1):
        counts[draw(rng)] += 1
        if number < MIN_PAIRS or not exact and abs(closed_form(counts, unit, *bounds)) < LLR_BOUND - NEAR:
            continue
        _, decision = decide(counts, unit, *bounds)
        if decision is not None:
            return decision, number
    return None, MAX_PAIRS


def repeat(draw: Draw, unit: Unit, bounds: tuple[float, float], runs: int, *, exact: bool = False) -> tuple[float, ...]:
    """The shares of better and of no decision, and the mean number of games, two a unit and two more in a field."""
    ends = [run(draw, Random(seed), unit, bounds, exact=exact) for seed in range(runs)]
    better, open_ = (mean(decision is answer for decision, _ in ends) for answer in (True, None))
    return better, open_, mean(units for _, units in ends) * (4 if unit is FIELD else 2)


def errors(runs: int) -> None:
    print(f"errors at [0, 20], {runs} runs, asked of false acceptance: at most {ASKED}")
    for title, unit, draw in (("head_to_head", HEAD_TO_HEAD, head_to_head), ("field", FIELD, field)):
        accepted, open_, games = repeat(draw(0), unit, (0, 20), runs, exact=True)
        print(f"  {title:13} true   0: better {accepted:.4f}  undecided {open_:.4f}  games {games:.0f}", flush=True)
        accepted, open_, games = repeat(draw(20), unit, (0, 20), runs, exact=True)
        print(f"  {title:13} true +20: better {accepted:.4f}  undecided {open_:.4f}  games {games:.0f}", flush=True)


def lengths(runs: int) -> None:
    truths = (0, 10, 20, 30, 50, 100, -20)
    print(f"mean games (share of better), {runs} runs, at most {2 * MAX_PAIRS} games head to head")
    print(" " * 28 + "".join(f"{truth:+14d}" for truth in truths))
    rows = [(key, HEAD_TO_HEAD, head_to_head, preset) for key, preset in PRESETS.items()]
    rows.append(("default, field", FIELD, field, PRESETS["default"]))
    for title, unit, draw, preset in rows:
        bounds = preset.elo0, preset.elo1
        cells = (repeat(draw(truth), unit, bounds, runs) for truth in truths)
        name = f"{title} [{bounds[0]:.0f}, {bounds[1]:.0f}]"
        print(f"{name:28}", end="")
        for better, _, games in cells:
            print(f"{games:7.0f} ({better:.3f})"[:14].rjust(14), end="", flush=True)
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=600)
    parser.add_argument("--only", choices=["errors", "lengths"])
    chosen = parser.parse_args()
    if chosen.only != "lengths":
        errors(chosen.runs)
    if chosen.only != "errors":
        lengths(chosen.runs // 2)


if __name__ == "__main__":
    main()
