"""Whether the value function's chances come true: `uv run python -m tests.bench.bench_value [--legs 2000]`.

Of eight legs `careful` plays three against itself, a cheap `marshal` (its search on three deals, without replies) two
against itself, and these two play three against each other. At a share of the decisions the chance of the seat to act
is noted with all cards open, and at a part of them also as the seat could know (the mean over some redeals) and as
`careful` states it in its `eval`. The first table compares the first with the results of the legs in ten bins; all
decisions of a leg have one result, so the standard errors are over legs. Then come the Brier scores of all three.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from random import Random
from statistics import mean
from time import process_time
from typing import cast

from pennant.local_bots import LocalBot

from bots.training.best_response import CHEAP_BUDGET, Responder
from bots.training.local_legs import GAME
from engine.games.battleline.position import PLAY
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import VALUE_VERSION, read_weights_file, value_hash, win_chance

DECISION_SHARE = 0.25
JUDGED_SHARE = 0.25
"""Share of these at which all three chances are noted; elsewhere it is only that with open cards, which is cheap."""
REDEALS = 8
BINS = 10
PROGRESS_LEGS = 100
SEATS_OF_LEGS = ("cc", "mc", "mm", "cm", "cc", "mm", "cc", "mc")
"""Who plays leg after leg by seat: `careful` or a cheap `marshal`. Sixteen legs give each the first seat as often."""


@dataclass(frozen=True, slots=True)
class Note:
    """The chances of a seat that were stated at a decision, and what it got in the end."""

    leg: str
    result: float
    with_open_cards: float
    from_the_seat: float | None
    of_careful: float | None


@dataclass(frozen=True, slots=True)
class Bin:
    decisions: int
    legs: int
    stated: float
    won: float
    standard_error: float
    """Of the difference, over legs."""


def play_leg(bots: tuple[LocalBot, LocalBot], judge: LocalBot, edition: str, seed: str) -> Iterator[Note]:
    """Play a leg, and yield what was noted at its decisions, with the result of the seat."""
    options, rng = GAME.options(edition), Random(seed)
    state = cast(BattleLineState, GAME.start(options, 2, GAME.deal(options, 2, rng)))
    for seat, bot in enumerate(bots):
        bot.begin(options, edition, seat, rng.getrandbits(50))
    judge.begin(options, edition, 0, 0)
    notes = []
    while (to_act := state.to_act) is not None:
        forced = state.forced()
        if forced is None and state.decision == PLAY and rng.random() < DECISION_SHARE:
            notes.append(note_chances(state, to_act, judge, rng))
        state.play(state.parse(bots[to_act].decide(state, to_act)[0]) if forced is None else forced)
    for seat, *chances in notes:
        yield Note(seed, win_chance(state, seat), *chances)


def note_chances(
    state: BattleLineState, seat: int, judge: LocalBot, rng: Random
) -> tuple[int, float, float | None, float | None]:
    """The seat and the chances stated now. Careful says nothing where a flag is claimed."""
    _, told = judge.decide(state, seat) if rng.random() < JUDGED_SHARE else ("", None)
    if told is None:
        return seat, win_chance(state, seat), None, None
    known = mean(win_chance(state.redeal(seat, rng), seat) for _ in range(REDEALS))
    return seat, win_chance(state, seat), known, (told + 1) / 2


def collect(edition: str, legs: int, seed: str, keep: Path | None) -> list[Note]:
    """Play the legs and return all notes; go on from those that were kept."""
    careful, judge = [LocalBot("careful") for _ in range(2)], LocalBot("careful")
    marshal = [Responder(read_weights_file()["editions"][edition], CHEAP_BUDGET) for _ in range(2)]
    kept = json.loads(keep.read_text()) if keep and keep.exists() else {"legs": 0, "notes": []}
    found = [Note(**note) for note in kept["notes"]]
    for number in range(kept["legs"], legs):
        names = SEATS_OF_LEGS[number % len(SEATS_OF_LEGS)]
        first, second = ((careful if name == "c" else marshal)[seat] for seat, name in enumerate(names))
        bots = (second, first) if number // len(SEATS_OF_LEGS) % 2 else (first, second)
        found += play_leg(bots, judge, edition, f"{seed}-{number}")
        if (number + 1) % PROGRESS_LEGS == 0 or number + 1 == legs:
            brier = compute_brier([(note.with_open_cards, note.result) for note in found])
            print(f"{number + 1} legs, Brier score {brier:.4f}, {process_time():.0f} s of CPU", flush=True)
            if keep:
                keep.write_text(json.dumps({"legs": number + 1, "notes": [asdict(note) for note in found]}))
    return found


def compute_bins(sides: list[tuple[str, float, float]]) -> list[Bin]:
    """Return what came of the stated chances, by bin."""
    bins: list[list[tuple[str, float, float]]] = [[] for _ in range(BINS)]
    for side in sides:
        bins[min(BINS - 1, int(side[1] * BINS))].append(side)
    return [compute_bin(one) for one in bins if one]


def compute_bin(sides: list[tuple[str, float, float]]) -> Bin:
    by_leg: defaultdict[str, float] = defaultdict(float)
    for leg, stated, result in sides:
        by_leg[leg] += result - stated
    error = sqrt(sum(total**2 for total in by_leg.values())) / len(sides)
    return Bin(len(sides), len(by_leg), mean(one for _, one, _ in sides), mean(one for *_, one in sides), error)


def compute_brier(pairs: list[tuple[float, float]]) -> float:
    """Return the mean square of the differences."""
    return mean((stated - result) ** 2 for stated, result in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edition", default="standard")
    parser.add_argument("--legs", type=int, default=2000)
    parser.add_argument("--seed", default="value")
    parser.add_argument("--keep", type=Path, help="file of what was noted; goes on from it where it is there")
    chosen = parser.parse_args()
    found = collect(chosen.edition, chosen.legs, chosen.seed, chosen.keep)
    print(f"{chosen.edition}, {chosen.legs} legs, version {VALUE_VERSION}, weights {value_hash(chosen.edition)[:12]}")
    print("stated    decisions   legs   mean    won   difference (standard error)")
    # Both seats of a decision, since the chances of the two add up to 1.
    sides = [(note.leg, note.with_open_cards, note.result) for note in found]
    sides += [(leg, 1 - stated, 1 - result) for leg, stated, result in sides]
    for one in compute_bins(sides):
        low = int(one.stated * BINS) * 100 // BINS
        print(
            f"{low:3}-{low + 100 // BINS:3} % {one.decisions:9} {one.legs:6} {100 * one.stated:6.1f}"
            f" {100 * one.won:6.1f} {100 * (one.won - one.stated):+12.1f} ({100 * one.standard_error:.1f})"
        )
    judged = [note for note in found if note.of_careful is not None and note.from_the_seat is not None]
    for name, pairs in (
        ("all cards open", [(note.with_open_cards, note.result) for note in judged]),
        ("as the seat could know", [(note.from_the_seat or 0.0, note.result) for note in judged]),
        ("`eval` of careful", [(note.of_careful or 0.0, note.result) for note in judged]),
        ("always one half", [(0.5, note.result) for note in judged]),
    ):
        print(f"Brier score of {len(judged)} decisions, {name:24}{compute_brier(pairs):.4f}")


if __name__ == "__main__":
    main()
