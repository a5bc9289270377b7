"""How many legs reach an endgame that can be solved: `uv run python -m tests.bench.bench_endgames [--legs 100]`.

`careful` plays half of the legs against itself, and the other half against `marshal` as it plays on ladders, each
first as often. Told are, by edition: the share of legs that reach a position in which nothing is hidden (both decks are
empty); the turns from there to the end; in how many of these legs a budget of positions solves them all, going back
from the end, and how many turns at the median; the processor time of the longest search; and the share of legs that
reach a turn at which at most 120 cases of hidden cards are left, and at which the mean over them is found in time.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import cast

from pennant.local_bots import LocalBot

from bots.training.local_legs import GAME
from engine.games.battleline.endgame import MAX_CASES, OutOfBudgetError, Solver, count_cases, expect, is_open
from engine.games.battleline.options import PRESETS
from engine.games.battleline.position import PLAY
from engine.games.battleline.state import BattleLineState

BUDGETS = (10_000, 20_000, 200_000)
"""Positions: what an analysis takes, and about 1 s and 10 s of a core."""
SEATS_OF_LEGS = ("cc", "cm", "mc", "cc")
"""Who plays leg after leg, by seat: `careful` or `marshal`."""


@dataclass
class Counts:
    """What was found in the legs of an edition."""

    legs: int = 0
    turns: int = 0
    open_turns: list[int] = field(default_factory=list)
    """Of each leg that reaches an open position: the turns from there to the end."""
    solved_turns: dict[int, list[int]] = field(default_factory=lambda: {budget: [] for budget in BUDGETS})
    """By budget: how many of them are solved, in each of these legs."""
    longest_s: dict[int, float] = field(default_factory=lambda: dict.fromkeys(BUDGETS, 0.0))
    few_cases: int = 0
    """Legs that reach a turn with few cases of hidden cards."""
    expected: int = 0
    """Legs in which the mean over them is found at one of these turns."""


def play_leg(bots: Sequence[LocalBot], edition: str, seed: str) -> list[int]:
    """Return the moves of a leg."""
    options, moves = GAME.options(edition), []
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(seed)))
    for seat, bot in enumerate(bots):
        bot.begin(options, edition, seat, Random(f"{seed} {seat}").getrandbits(50))
    while (seat_to_act := state.to_act) is not None:
        forced = state.forced()
        moves.append(state.parse(bots[seat_to_act].decide(state, seat_to_act)[0]) if forced is None else forced)
        state.play(moves[-1])
    return moves


def list_turns(edition: str, seed: str, moves: Sequence[int]) -> list[BattleLineState]:
    """Return the state at the start of each turn."""
    options = GAME.options(edition)
    turns: list[BattleLineState] = []
    state = cast(BattleLineState, GAME.start(options, 2, GAME.deal(options, 2, Random(seed))))
    for move in moves:
        if state.decision == PLAY and (not turns or turns[-1].turn != state.turn):
            turns.append(state.copy())
        state.play(move)
    return turns


def count_solved(turns: Sequence[BattleLineState], budget: int, counts: Counts) -> int:
    """Return how many of these turns are solved, the last one first, each within the budget."""
    solver = Solver(turns[-1], budget)
    for solved, state in enumerate(reversed(turns)):
        solver.left, began = budget, process_time()
        try:
            solver.find_value(state)
        except OutOfBudgetError:
            return solved
        finally:
            counts.longest_s[budget] = max(counts.longest_s[budget], process_time() - began)
    return len(turns)


def count_leg(turns: Sequence[BattleLineState], counts: Counts, has_means: bool) -> None:
    """Add what is found in a leg."""
    counts.legs += 1
    counts.turns += len(turns)
    open_turns = [state for state in turns if is_open(state)]
    if open_turns:
        counts.open_turns.append(len(open_turns))
        for budget in BUDGETS:
            counts.solved_turns[budget].append(count_solved(open_turns, budget, counts))
    few = [state for state in turns if not is_open(state) and count_cases(state, state.to_act or 0) <= MAX_CASES]
    counts.few_cases += bool(few)
    # The later it is, the cheaper: where the last one takes too long, the others do, too.
    counts.expected += bool(has_means and few and expect(few[-1]) is not None)


def report(edition: str, counts: Counts) -> None:
    """Print what was found in an edition."""
    legs, reached = counts.legs, len(counts.open_turns)
    print(f"{edition}: {legs} legs of {counts.turns / legs:.1f} turns")
    line = f"  nothing hidden in {100 * reached / legs:.0f}% of legs"
    if reached:
        line += f", {median(counts.open_turns):.0f} turns from the end (median; at most {max(counts.open_turns)})"
    print(line)
    for budget in BUDGETS if reached else ():
        solved = counts.solved_turns[budget]
        whole = sum(one == all_ for one, all_ in zip(solved, counts.open_turns, strict=True))
        print(
            f"  {budget} positions: all of them solved in {whole} of {reached}, {median(solved):.0f} turns at the"
            f" median, at least {min(solved)}; {counts.longest_s[budget]:.2f} s at most"
        )
    print(f"  at most {MAX_CASES} cases in {100 * counts.few_cases / legs:.0f}% of legs, mean found in ", end="")
    print(f"{100 * counts.expected / legs:.0f}%", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--editions", nargs="*", default=list(PRESETS))
    parser.add_argument("--legs", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="file of the legs played; goes on from it where it is there")
    parser.add_argument("--no-means", action="store_true", help="leave out the means over hidden cards")
    chosen = parser.parse_args()
    bots = {"c": [LocalBot("careful") for _ in range(2)], "m": [LocalBot("marshal", "ladder") for _ in range(2)]}
    kept: dict[str, list[list[int]]] = (
        json.loads(chosen.keep.read_text()) if chosen.keep and chosen.keep.exists() else {}
    )
    for edition in chosen.editions:
        counts, legs = Counts(), kept.setdefault(edition, [])
        for number in range(chosen.legs):
            seed = f"endgames-{edition}-{number}"
            if number == len(legs):
                names = SEATS_OF_LEGS[number % len(SEATS_OF_LEGS)]
                legs.append(play_leg([bots[name][seat] for seat, name in enumerate(names)], edition, seed))
                if chosen.keep:
                    chosen.keep.write_text(json.dumps(kept))
            count_leg(list_turns(edition, seed, legs[number]), counts, not chosen.no_means)
        report(edition, counts)


if __name__ == "__main__":
    main()
