"""Measure how strong the samples are: `uv run python -m bots.training ratings [battleline/standard …]`.

Neighbours play mirrored pairs in this process, and `bots/samples/ratings.json` gets the counts of their results and the
ratings that follow from them, from which house bots start on ladders. Pairs that the file has are not played again, so
the command goes on where it was stopped; `--refit` only computes the ratings anew.

The ratings are those that a ladder would compute from these results (`arena/contests/ladders/fit.py`). They are
relative to the mean of the game's anchors, which a ladder puts at a number of its own. Bots are called as
`bench_samples.py` calls them: `marshal:3` is a level of the marshal.

The levels that play on no ladder come after the bots that do, and move none of them: they choose at random among the
moves, which is another weakness than those of the simple samples, and no one number is right against all. Each is where
its results against others, as differences in Elo weighted by their intervals, put it.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log, sqrt
from operator import mul
from time import process_time

import numpy as np
from pennant.local_bots import LocalBot

from arena.contests.ladders.fit import Entities, Stats, fit_ratings
from arena.contests.ladders.rating import INITIAL_DEVIATION_ELO, LOGITS_PER_ELO, Z_SCORE_95, expected_score
from arena.runner.data_files import SAMPLES_FOLDER
from arena.runner.program import LADDER_LEVEL
from bots.training.local_legs import list_counts, play_fresh_pairs
from engine.core import Json
from engine.registry import GAMES

RATINGS_PATH = SAMPLES_FOLDER / "ratings.json"
FILE_VERSION = 1
"""Raised by hand when the file's ratings change in a release."""
ABOUT = (
    "How strong the sample bots are: mirrored pairs in one process, by `python -m bots.training ratings`. Ratings are "
    "in Elo, relative to the mean of the game's anchors. Matchups with a source were published before."
)
ANCHORS = {
    "battleline": ("random", "brute", "greedy", "careful"),
    "battalion": ("random", "brute", "greedy", "general"),
}
"""Those whose mean is 0: the bots that `arena.bots.running.list_anchors` lists."""
PLAN = {
    "battleline": (("random", "brute", 300), ("brute", "greedy", 2000), ("greedy", "careful", 200)),
    "battalion": (("random", "brute", 300), ("brute", "greedy", 300), ("greedy", "general", 300)),
}
"""Pairs between neighbours, the weaker one first, in every edition of a game."""
LADDER_PLAN = (("careful", "marshal:ladder", 60),)
MORE_PLANS = {
    "battleline/standard": (
        ("careful", "marshal:ladder", 320),
        ("random", "marshal:1", 100),
        ("brute", "marshal:1", 100),
        ("greedy", "marshal:2", 50),
        ("marshal:3", "careful", 40),
    ),
    "battleline/advanced": LADDER_PLAN,
    "battleline/medieval": LADDER_PLAN,
    "battleline/highlands": (*LADDER_PLAN, ("careful", "marshal", 60)),
}
SAVE_EVERY_PAIRS = 20
INTERACTION_SD_ELO = 30.0
"""What a bot may do better or worse against its neighbours here than against the field of a ladder: one standard
deviation. It is added to the deviation of each rating."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How much stronger one bot was than another, in Elo."""

    worse: str
    better: str
    elo: float
    deviation: float


def list_plan(ladder: str) -> tuple[tuple[str, str, int], ...]:
    """Return who plays how many pairs on a ladder."""
    return PLAN[ladder.partition("/")[0]] + MORE_PLANS.get(ladder, ())


def read_difference(matchup: Json) -> Difference:
    """Return the difference that a matchup of the file shows: measured here, or published before."""
    low, elo, high = (matchup[key] for key in ("low", "elo", "high"))
    return Difference(matchup["worse"], matchup["better"], elo, (high - low) / (2 * Z_SCORE_95))


def summarize(counts: Sequence[int]) -> Json:
    """Return the pairs, their counts, and the difference with its 95 % interval.

    Half a leg is added to either side, so that a bot that loses next to none has an interval as wide as its few losses
    make it. Legs are taken as independent, which makes intervals rather too wide than too narrow.
    """
    won = sum(halves * count for halves, count in enumerate(counts)) / 2 + 0.5
    lost = 2 * sum(counts) + 1 - won
    elo, margin = log(won / lost) / LOGITS_PER_ELO, Z_SCORE_95 * sqrt(1 / won + 1 / lost) / LOGITS_PER_ELO
    interval = {"elo": round(elo, 1), "low": round(elo - margin, 1), "high": round(elo + margin, 1)}
    return {"pairs": sum(counts), "counts": list(counts), **interval}


def fit_on_ladder(matchups: Sequence[Json], anchors: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return rating and deviation by bot, by the method of the ladders, relative to the mean of the anchors.

    Legs are taken as independent. A bot that never lost to another has no greater lead than the ladders would give it.
    """
    names = sorted({one[side] for one in matchups for side in ("worse", "better")})
    count, is_anchor = len(names), np.isin(names, anchors)
    entities = Entities(
        rating0=np.zeros(count),
        deviation0=np.full(count, INITIAL_DEVIATION_ELO),
        parent=np.full(count, -1),
        is_root=np.ones(count, dtype=np.bool_),
        is_active=is_anchor,
        is_anchor=is_anchor,
    )
    rows = []
    for one in matchups:
        sides = names.index(one["worse"]), names.index(one["better"])
        halves, squares = sum_halves(one, of_worse=sides[0] < sides[1])
        rows.append((min(sides), max(sides), 2, one["pairs"], halves, squares))
    fitted = fit_ratings(entities, Stats(*np.array(rows, dtype=np.int64).T), anchor_mean=0.0, dispersion=1.0)
    numbers = zip(fitted.rating.tolist(), fitted.deviation.tolist(), strict=True)
    return dict(zip(names, numbers, strict=True))


def sum_halves(matchup: Json, *, of_worse: bool) -> tuple[int, int]:
    """Return the half points of a bot over all pairs, and the sum of their squares. Published ones are nearly so."""
    counts = matchup.get("counts")
    if counts is None:
        share = expected_score(matchup["elo"])
        pairs = matchup["pairs"]
        counts = [round(pairs * (1 - share) ** 2), 0, 0, 0, round(pairs * share**2)]
        counts[2] = pairs - sum(counts)
    halves = [4 - number if of_worse else number for number in range(5)]
    return sum(map(mul, halves, counts)), sum(map(mul, map(mul, halves, halves), counts))


def fit_levels(matchups: Sequence[Json], known: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Return rating and deviation of each level, given the ratings of the bots on ladders: weighted least squares."""
    differences = [read_difference(one) for one in matchups]
    names = sorted({name for one in differences for name in (one.worse, one.better)} - known.keys())
    rows, target = np.zeros((len(differences), len(names))), np.zeros(len(differences))
    for row, one in enumerate(differences):
        target[row] = one.elo / one.deviation
        for name, sign in ((one.better, 1), (one.worse, -1)):
            if name in known:
                target[row] -= sign * known[name] / one.deviation
            else:
                rows[row, names.index(name)] = sign / one.deviation
    covariance = np.linalg.inv(rows.T @ rows)
    numbers = zip((covariance @ rows.T @ target).tolist(), np.sqrt(np.diag(covariance)).tolist(), strict=True)
    return dict(zip(names, numbers, strict=True))


def compute_ratings(matchups: Sequence[Json], anchors: Sequence[str]) -> Json:
    """Return the ratings of a ladder as the file has them, the weakest first."""
    of_levels = [one for one in matchups if is_level(one["worse"]) or is_level(one["better"])]
    fitted = fit_on_ladder([one for one in matchups if one not in of_levels], anchors)
    if of_levels:
        fitted |= fit_levels(of_levels, {name: rating for name, (rating, _) in fitted.items()})
    return {
        name: {"rating": round(rating, 1), "deviation": round(sqrt(deviation**2 + INTERACTION_SD_ELO**2), 1)}
        for name, (rating, deviation) in sorted(fitted.items(), key=lambda item: item[1][0])
    }


def is_level(name: str) -> bool:
    """Return whether this is a level that plays on no ladder."""
    return ":" in name and not name.endswith(f":{LADDER_LEVEL}")


def measure(matchup: Json, edition: str, game: str, pairs: int) -> Json:
    """Play the pairs that a matchup still lacks, some at a time, and return it with their results."""
    done = matchup.get("pairs", 0)
    better, worse = (partial(LocalBot, *name.split(":"), game=game) for name in (matchup["better"], matchup["worse"]))
    more = min(pairs - done, SAVE_EVERY_PAIRS)
    results: Counter[int] = Counter(dict(enumerate(matchup.get("counts", ()))))
    start = process_time()
    results.update(
        play_fresh_pairs((better, worse), edition, (f"{matchup['seed']}-{done + number}" for number in range(more)))
    )
    cpu_s = (matchup.get("match_cpu_s", 0.0) * done + process_time() - start) / (done + more)
    return matchup | summarize(list_counts(results)) | {"match_cpu_s": round(cpu_s, 3)}


def read_file() -> Json:
    """Return the content of the file, or that of an empty one."""
    if RATINGS_PATH.exists():
        content: Json = json.loads(RATINGS_PATH.read_text())
        return content
    return {"version": FILE_VERSION, "ladders": {}}


def write_file(content: Json) -> None:
    """Write the file, with the ratings that its matchups give."""
    for ladder, found in content["ladders"].items():
        for one in found["matchups"]:
            one |= summarize(one["counts"]) if "counts" in one else {}
        found["ratings"] = compute_ratings(found["matchups"], ANCHORS[ladder.partition("/")[0]])
    content |= {"about": ABOUT, "interaction_sd": INTERACTION_SD_ELO, "ladders": content.pop("ladders")}
    RATINGS_PATH.write_text(format_file(content))


def format_file(content: Json) -> str:
    """Return the file's text, with a line for each matchup and each rating."""
    blocks = []
    for ladder, found in sorted(content["ladders"].items()):
        matchups = ",\n    ".join(json.dumps(one) for one in found["matchups"])
        rated = ",\n    ".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found["ratings"].items())
        blocks.append(f'  {json.dumps(ladder)}: {{\n   "matchups": [\n    {matchups}\n   ],')
        blocks[-1] += f'\n   "ratings": {{\n    {rated}\n   }}\n  }}'
    head = json.dumps({name: part for name, part in content.items() if name != "ladders"}, indent=1)
    return head.removesuffix("\n}") + ',\n "ladders": {\n' + ",\n".join(blocks) + "\n }\n}\n"


def main(arguments: Sequence[str]) -> None:
    """Measure the ratings of some ladders, or of all."""
    ladders = [f"{key}/{edition}" for key, game in GAMES.items() if key in PLAN for edition in game.editions]
    parser = argparse.ArgumentParser(prog="python -m bots.training ratings", description=__doc__)
    parser.add_argument("ladders", nargs="*", default=ladders, metavar="GAME/EDITION")
    parser.add_argument("--seed", default="ratings")
    parser.add_argument("--refit", action="store_true", help="play nothing")
    chosen = parser.parse_args(arguments)
    content = read_file()
    for ladder in [] if chosen.refit else chosen.ladders:
        game, _, edition = ladder.partition("/")
        matchups = content["ladders"].setdefault(ladder, {"matchups": []})["matchups"]
        for worse, better, pairs in list_plan(ladder):
            place = next((n for n, one in enumerate(matchups) if (one["worse"], one["better"]) == (worse, better)), -1)
            if place < 0:
                matchups.append({"worse": worse, "better": better, "seed": chosen.seed})
            while matchups[place].get("pairs", 0) < pairs:
                matchups[place] = measure(matchups[place], edition, game, pairs)
                if matchups[place]["pairs"] >= pairs:
                    print(ladder, json.dumps(matchups[place]), flush=True)
                    write_file(content)
    write_file(content)
