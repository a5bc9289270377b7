"""Whether the value function's chances come true: `uv run python -m tests.bench.bench_value [--legs 2000]`.

In seven legs of eight `careful` plays against itself, in the eighth a fast level of `marshal` against `careful`. At a
share of the decisions the chance of the seat to act is noted three times: with all cards open, as the seat could know
(the mean over some redeals), and as `careful` states it in its `eval`. The first table compares the first with the
results of the legs in ten bins; the second has the Brier scores of all three at the same decisions.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from statistics import mean
from typing import cast

from pennant.local_bots import LocalBot

from bots.training.local_legs import GAME
from engine.games.battleline.position import PLAY
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import VALUE_VERSION, value_hash, win_chance

DECISION_SHARE = 0.25
REDEALS = 8
BINS = 10
FAST_LEVEL = 3
PROGRESS_LEGS = 200


@dataclass(frozen=True, slots=True)
class Note:
    """The chances of a seat that were stated at a decision."""

    seat: int
    with_open_cards: float
    from_the_seat: float
    of_careful: float


def play_leg(bots: tuple[LocalBot, LocalBot], judge: LocalBot, edition: str, seed: str) -> Iterator[tuple[Note, float]]:
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
            notes += note_chances(state, to_act, judge, rng)
        state.play(state.parse(bots[to_act].decide(state, to_act)[0]) if forced is None else forced)
    for note in notes:
        yield note, win_chance(state, note.seat)


def note_chances(state: BattleLineState, seat: int, judge: LocalBot, rng: Random) -> Iterator[Note]:
    """Yield the chances that are stated now; nothing where a flag is claimed, which careful states nothing about."""
    _, told = judge.decide(state, seat)
    if told is not None:
        known = mean(win_chance(state.redeal(seat, rng), seat) for _ in range(REDEALS))
        yield Note(seat, win_chance(state, seat), known, (told + 1) / 2)


def collect(edition: str, legs: int, seed: str) -> list[tuple[Note, float]]:
    """Play the legs and return all notes with their results."""
    careful, other, judge, marshal = (*(LocalBot("careful") for _ in range(3)), LocalBot("marshal", FAST_LEVEL))
    found = []
    for number in range(legs):
        with_marshal = (marshal, careful) if number % 16 else (careful, marshal)
        bots = (careful, other) if number % 8 else with_marshal
        if number and number % PROGRESS_LEGS == 0:
            print(
                f"{number} legs, Brier score {compute_brier([(n.with_open_cards, r) for n, r in found]):.4f}",
                flush=True,
            )
        found += play_leg(bots, judge, edition, f"{seed}-{number}")
    return found


def compute_bins(pairs: list[tuple[float, float]]) -> list[tuple[int, float, float]]:
    """Return by bin of stated chances their number, their mean and the mean of the results."""
    bins: list[list[tuple[float, float]]] = [[] for _ in range(BINS)]
    for stated, result in pairs:
        bins[min(BINS - 1, int(stated * BINS))].append((stated, result))
    return [(len(one), mean(s for s, _ in one), mean(r for _, r in one)) if one else (0, 0.0, 0.0) for one in bins]


def compute_brier(pairs: list[tuple[float, float]]) -> float:
    """Return the mean square of the differences."""
    return mean((stated - result) ** 2 for stated, result in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edition", default="standard")
    parser.add_argument("--legs", type=int, default=2000)
    parser.add_argument("--seed", default="value")
    chosen = parser.parse_args()
    found = collect(chosen.edition, chosen.legs, chosen.seed)
    print(f"{chosen.edition}, {chosen.legs} legs, version {VALUE_VERSION}, weights {value_hash()[:12]}")
    print("stated      decisions   mean   won   difference")
    # Both seats of a decision, since the chances of the two add up to 1.
    sides = [(note.with_open_cards, result) for note, result in found]
    sides += [(1 - note.with_open_cards, 1 - result) for note, result in found]
    for number, (count, stated, won) in enumerate(compute_bins(sides)):
        low, high = 100 * number // BINS, 100 * (number + 1) // BINS
        print(f"{low:3}-{high:3} %   {count:9} {100 * stated:6.1f} {100 * won:5.1f} {100 * (won - stated):+8.1f}")
    for name, pairs in (
        ("all cards open", [(note.with_open_cards, result) for note, result in found]),
        ("as the seat could know", [(note.from_the_seat, result) for note, result in found]),
        ("`eval` of careful", [(note.of_careful, result) for note, result in found]),
        ("always one half", [(0.5, result) for _, result in found]),
    ):
        print(f"Brier score, {name:24}{compute_brier(pairs):.4f}")


if __name__ == "__main__":
    main()
