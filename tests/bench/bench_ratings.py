"""How well ratings tell the truth, in worlds where it is known: the arena's own parts against Elo as is usual.

uv run python -m tests.bench.bench_ratings [cold|living|seats|places] --reps 4 --jobs 2

One thread a job is fastest: OPENBLAS_NUM_THREADS=1. The usual way: a K of 32, pairs at random, single games.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import isinf
from statistics import fmean

from tests.bench.worlds import cold, living, places, seats
from tests.bench.worlds.figures import Figures, first_to_reach, mean_of

Run = Callable[[Callable, int], Iterator]
CHECKED = (16, 32, 64, 128, 256)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["cold", "living", "seats", "places"])
    parser.add_argument("--reps", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="of the first world")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--dispersions", type=float, nargs="*", default=[], help="of pairs on a living ladder, as 0.36 0.82 0.97"
    )
    parser.add_argument("--bots", type=int, nargs="*", default=[50, 500], help="on a cold start")
    parser.add_argument("--ladders", type=int, nargs="*", default=[4, 12, 300], help="bots on ladders with places")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:

        def run(work: Callable, reps: int) -> Iterator:
            return pool.map(work, range(given.seed, given.seed + reps))

        if given.what in (None, "cold"):
            for count in given.bots:
                tell_cold(count, run, given.reps if count < 500 else max(1, given.reps // 4))
        if given.what in (None, "living"):
            tell_living(run, given.reps, given.dispersions)
        if given.what in (None, "seats"):
            tell_seats(run, given.reps * 2)
        if given.what in (None, "places"):
            for count in given.ladders:
                tell_places(count, run, given.reps)


def tell_cold(count: int, run: Run, reps: int) -> None:
    runs = list(run(partial(cold.run, count, 256), reps))
    naive, shipped = ({at: mean_of([getattr(one, way)[at] for one in runs]) for at in runs[0].naive} for way in WAYS)
    title(f"Cold start, {count} bots, {reps} worlds")
    for at in CHECKED:
        print(f"  {at:4} games  naive {words(naive[at])}\n{'':13} arena {words(shipped[at])}")
    reached = [first_to_reach([(at, one.tau) for at, one in figures.items()], 0.8) for figures in (naive, shipped)]
    line("RMSE at 64 games, of naive", shipped[64].rmse / naive[64].rmse, "<= 0.80")
    line("RMSE at 256 games, of naive", shipped[256].rmse / naive[256].rmse, "<= 0.50")
    line("games to tau 0.8, of naive", 0.0 if isinf(reached[0]) else reached[1] / reached[0], "<= 0.70")
    line("tau 0.9 within games", first_to_reach([(at, one.tau) for at, one in shipped.items()], 0.9), "<= 175")
    line("RMSE 30 within games", first_to_reach([(at, -one.rmse) for at, one in shipped.items()], -30), "<= 195")
    line("slope from 128 games on", fmean(one.slope for at, one in shipped.items() if at >= 128), "0.96 to 1.05")
    line("coverage from 64 games on", fmean(one.coverage for at, one in shipped.items() if at >= 64), "0.92 to 0.97")


def tell_living(run: Run, reps: int, dispersions: Sequence[float]) -> None:
    title(f"Living ladder, {living.FULL.bots} bots, {living.FULL.days} days, {reps} worlds")
    naive, arena = [], []
    for watches in run(partial(living.run, dispersions=dispersions), reps):
        for name, way, watch in zip(("naive", "arena"), (naive, arena), watches, strict=True):
            way.append(watch)
            print(f"    {name}  {words(watch.mean)}  leads {watch.leads:.2f}  regret {watch.regret:5.1f}", flush=True)
    for name, watches in (("naive", naive), ("arena", arena)):
        print(f"  {name}  {words(mean_of([watch.mean for watch in watches]))}")
    pairs = {
        key: [fmean(getattr(watch, key) for watch in way) for way in (naive, arena)] for key in ("leads", "regret")
    }
    for key, (usual, own) in pairs.items():
        print(f"  {key}: naive {usual:.3f}, arena {own:.3f}")
    figures = mean_of([watch.mean for watch in arena])
    line("RMSE, of naive", figures.rmse / mean_of([watch.mean for watch in naive]).rmse, "<= 0.35")
    line("strength lost by the shown first, of naive", pairs["regret"][1] / pairs["regret"][0], "<= 0.20")
    line("the best leads, of naive", pairs["leads"][1] / pairs["leads"][0], ">= 1.30")
    line("anchors' drift in 100 days, naive", fmean(abs(watch.drift) for watch in naive), "(not asked)")
    line("anchors' drift in 100 days", max(abs(watch.drift) for watch in arena), "<= 1")
    line("slope", figures.slope, "0.96 to 1.05")
    line("coverage", figures.coverage, "0.92 to 0.97")


def tell_seats(run: Run, reps: int) -> None:
    for count, asked in ((3, "(not asked)"), (4, "<= 0.65")):
        runs = list(run(partial(seats.run, count, 48), reps))
        title(f"Tables of {count}, {seats.COUNT} bots, 48 games of each, {reps} worlds")
        for way in ("naive", "shipped", "online"):
            print(f"  {way:8} {words(mean_of([getattr(one, way) for one in runs]))}")
        arena, naive = (mean_of([getattr(one, way) for one in runs]).rmse for way in ("shipped", "naive"))
        line("RMSE, of naive", arena / naive, asked)


def tell_places(count: int, run: Run, reps: int) -> None:
    found = list(run(partial(places.run, count), reps))
    title(f"Places, {count} bots of which one is far ahead and one far behind, {reps} worlds")

    def share(part: str, whole: str) -> float:
        return sum(getattr(one, part) for one in found) / max(1, sum(getattr(one, whole) for one in found))

    line("pairs in different groups in true order", share("in_order", "pairs"), ">= 0.95")
    line("true place within the range", share("in_range", "bots"), ">= 0.95")
    line("the best has the highest rating from its 20th match", share("led", "fits"), ">= 0.99")
    ranked = [one.ranked_at for one in found if one.ranked_at is not None]
    line("best and worst ranked within 40 matches", len(ranked) / len(found), "(not asked)")
    for name, index in (("best", 0), ("worst", 1)):
        if ranked:
            line(f"matches until the {name} is ranked", fmean(one[index] for one in ranked), "(not asked)")


WAYS = ("naive", "shipped")


def title(text: str) -> None:
    print(f"\n{text}")


def words(figures: Figures) -> str:
    return (
        f"RMSE {figures.rmse:6.1f}  tau {figures.tau:.3f}  slope {figures.slope:.3f}  coverage {figures.coverage:.3f}"
    )


def line(what: str, measured: float, asked: str) -> None:
    print(f"  {what:45} {measured:8.3f}   asked {asked}", flush=True)


if __name__ == "__main__":
    main()
