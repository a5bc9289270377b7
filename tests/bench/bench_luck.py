"""What taking luck off is worth: `uv run python -m tests.bench.bench_luck [test|legs|samples] [--pairs N] [--runs N]`.

`legs` plays mirrored pairs of samples and measures their luck: the best share to take off, the variance of a pair less
luck over that of the pair, how far the mean luck is from 0, and the cost of measuring. `test` draws results whose luck
is known and asks how often the adjusted test errs, and how many pairs it takes beside the usual one. `samples`, which
runs only where it is asked for, plays `--legs` legs of each of `--names` against `greedy`, and says how far the mean of
its luck is from 0; a name like `marshal:3` is that of a level.
"""

import argparse
from dataclasses import dataclass
from functools import partial
from math import sqrt
from random import Random
from statistics import NormalDist, fmean, pvariance
from time import process_time

from pennant.local_bots import LocalBot

from arena.contests.comparisons.sprt import HEAD_TO_HEAD, MAX_PAIRS, NELO, AdjustedSums, decide, decide_adjusted
from bots.training.local_legs import GAME
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import LUCK_SHARE, SeatLuck, measure_luck
from tests.engine.analysis.luck_of_bots import compute_z, measure_luck_of, play_record

NORMAL = NormalDist()
LUCK_OF_LATENT = 0.38
"""Share of what decides a simulated leg that its draws bring: they explain a quarter of the variance of results."""
ASKED = 0.065
BOUNDS = (0.0, 20.0)
SAMPLES = ("random", "brute", "greedy", "careful", "searcher", "marshal")
LEGS_OF_PART = 250
MATCH_UPS = (("greedy", "careful", "standard"), ("greedy", "careful", "advanced"), ("greedy", "careful", "medieval"))


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg as the first bot sees it."""

    points: float
    luck: float


@dataclass(frozen=True, slots=True)
class End:
    """How a test ended."""

    pairs: int
    is_better: bool | None


def draw_leg(nelo: float, rng: Random) -> Leg:
    """Draw a leg without draws between two of whom one is so much better, and the luck of its draws."""
    chance = 0.5 + nelo / NELO / 2
    ahead = NORMAL.inv_cdf(chance) + sqrt(LUCK_OF_LATENT) * rng.gauss(0, 1)
    known = NORMAL.cdf(ahead / sqrt(1 - LUCK_OF_LATENT))
    return Leg(float(rng.random() < known), known - chance)


def run_tests(nelo: float, seed: str, *, only_adjusted: bool = False) -> tuple[End, End]:
    """Return how the test of the results less luck ends, and how the usual one does by the same legs."""
    rng, counts, total, squares = Random(seed), [0] * 5, 0.0, 0.0
    ends: list[End | None] = [None, End(0, None) if only_adjusted else None]
    for pair in range(1, MAX_PAIRS + 1):
        legs = [draw_leg(nelo, rng) for _ in range(2)]
        points = sum(leg.points for leg in legs) / 2
        adjusted = points - LUCK_SHARE * sum(leg.luck for leg in legs) / 2
        counts[round(4 * points)] += 1
        total, squares = total + adjusted, squares + adjusted**2
        asked = (
            partial(decide_adjusted, AdjustedSums(pair, total, squares), counts, HEAD_TO_HEAD, *BOUNDS),
            partial(decide, counts, HEAD_TO_HEAD, *BOUNDS),
        )
        for number, ask in enumerate(asked):
            if ends[number] is None and (answer := ask()[1]) is not None:
                ends[number] = End(pair, answer)
        if None not in ends:
            break
    adjusted_end, usual = (end or End(MAX_PAIRS, None) for end in ends)
    return adjusted_end, usual


def tell_tests(runs: int) -> None:
    print("true nElo   less luck: pairs, better   as counted: pairs, better   pairs less luck / as counted")
    for nelo in (0.0, 20.0, 50.0):
        ends = [run_tests(nelo, f"{nelo} {run}") for run in range(runs)]
        pairs = [fmean(end[way].pairs for end in ends) for way in (0, 1)]
        better = [fmean(end[way].is_better is True for end in ends) for way in (0, 1)]
        print(
            f"{nelo:9.0f}   {pairs[0]:16.0f}  {better[0]:6.3f}   {pairs[1]:17.0f}  {better[1]:6.3f}"
            f"   {pairs[0] / pairs[1]:.2f}",
            flush=True,
        )


def tell_legs(names: tuple[str, str, str], pairs: int) -> None:
    first, second, edition = names
    bots, evaluator = (LocalBot(first), LocalBot(second)), find_evaluator("battleline", edition)
    assert evaluator is not None
    played, seconds = [], 0.0
    for number in range(pairs):
        deal = GAME.deal(GAME.options(edition), 2, Random(f"{edition} {number}"))
        for own in (0, 1):
            record = play_record((bots[own], bots[1 - own]), edition, deal, f"{number}")
            begin = process_time()
            luck = measure_luck(record, evaluator)
            seconds += process_time() - begin
            places = record["result"]["places"]
            points = 0.5 + (places[1 - own] - places[own]) / 2
            played.append(Leg(points, luck[own].luck - luck[1 - own].luck))
    points, lucks = ([fmean(pair) for pair in zip(one[::2], one[1::2], strict=True)] for one in split(played))
    best = covariance(points, lucks) / pvariance(lucks)
    less = [point - LUCK_SHARE * luck for point, luck in zip(points, lucks, strict=True)]
    all_luck = [leg.luck for leg in played]
    z = fmean(all_luck) / sqrt(pvariance(all_luck) / len(all_luck))
    print(
        f"{first} and {second}, {edition}, {pairs} pairs: best share {best:.2f}, variance of a pair x "
        f"{pvariance(less) / pvariance(points):.2f}, mean luck z {z:+.1f}, {1000 * seconds / len(played):.0f} ms a leg",
        flush=True,
    )


def tell_sample(name: str, legs: int) -> None:
    """The z of a sample's mean luck, again after each part of the legs."""
    sample, _, level = name.partition(":")
    bot, opponent, total = LocalBot(sample, level), LocalBot("greedy"), SeatLuck()
    for first in range(0, legs, LEGS_OF_PART):
        total += measure_luck_of(bot, opponent, min(LEGS_OF_PART, legs - first), first)
        print(
            f"{bot.name}: {min(legs, first + LEGS_OF_PART)} legs, {total.draws} draws, mean luck "
            f"{100 * total.luck / total.draws:+.3f} points, z {compute_z(total):+.2f}, {process_time():.0f} s of CPU",
            flush=True,
        )


def split(legs: list[Leg]) -> tuple[list[float], list[float]]:
    return [leg.points for leg in legs], [leg.luck for leg in legs]


def covariance(one: list[float], other: list[float]) -> float:
    return fmean(a * b for a, b in zip(one, other, strict=True)) - fmean(one) * fmean(other)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["test", "legs", "samples"])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--legs", type=int, default=5_000)
    parser.add_argument("--names", nargs="*", default=SAMPLES)
    given = parser.parse_args()
    if given.what == "samples":
        for name in given.names:
            tell_sample(name, given.legs)
    if given.what in (None, "legs"):
        for names in MATCH_UPS:
            tell_legs(names, given.pairs)
    if given.what in (None, "test"):
        tell_tests(given.runs)


if __name__ == "__main__":
    main()
