"""How fast the engine is, in one process: `uv run python -m tests.bench.bench_engine`."""

import gc
from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random
from time import perf_counter
from typing import cast

from engine.games.battleline.formations import best, read_side
from engine.games.battleline.proof import find_refutation, is_provable
from engine.games.battleline.state import BattleLineState
from engine.registry import GAMES
from tests.engine.plays import begin, play_out, run

GAME = GAMES["battleline"]
PLAYS = 1_000
ROUNDS = 5
"""Each figure is the best of so many: other work on the machine only ever adds."""


def plays_per_second(plays: int = PLAYS) -> float:
    """Whole plays by random moves, first states made beforehand."""
    best_time = float("inf")
    for number in range(ROUNDS):
        firsts = [begin(GAME, "standard", seed) for seed in range(number * plays, (number + 1) * plays)]
        rng = Random(number)
        gc.collect()
        start = perf_counter()
        for state in firsts:
            play_out(state, rng)
        best_time = min(best_time, perf_counter() - start)
    return plays / best_time


def positions() -> list[BattleLineState]:
    """Every ply of thirty plays."""
    found = []
    for seed in range(30):
        for state in run(begin(GAME, "standard", seed), Random(seed)):
            if state.to_act is not None:
                found.append(cast(BattleLineState, state.copy()))
    return found


def microseconds(call: Callable[[BattleLineState], object], states: list[BattleLineState]) -> float:
    best_time = float("inf")
    for _ in range(ROUNDS):
        start = perf_counter()
        for state in states:
            call(state)
        best_time = min(best_time, perf_counter() - start)
    return best_time / len(states) * 1e6


def claims(states: list[BattleLineState]) -> list[tuple[BattleLineState, int, int]]:
    """Complete sides at open flags whose other side is not complete: those that need a proof."""
    return [
        (state, seat, flag)
        for state in states
        for seat in (0, 1)
        for flag, owner in enumerate(state.owner)
        if owner is None and len(state.sides[seat][flag]) == state.slots[seat][flag] > len(state.sides[1 - seat][flag])
    ]


def forget(state: BattleLineState) -> BattleLineState:
    """Nothing is remembered of earlier questions."""
    state.found = None
    for flag in range(state.rules.flags):
        state.forget_proofs(flag)
    return state


def measure() -> Iterator[tuple[str, str]]:
    yield "random plays a second", f"{plays_per_second():,.0f}"
    states = positions()
    sides = cycle([cards for state in states for side in state.sets for cards in side if cards.bit_count() == 3])
    rng = Random(0)
    seats = cycle((0, 1))

    def strength_anew(state: BattleLineState) -> None:
        best(next(sides), 0, 0)

    def fresh_side(state: BattleLineState) -> None:
        read_side.__wrapped__(next(sides))

    questions = cycle(claims(states))

    def prove(state: BattleLineState) -> None:
        table, seat, flag = next(questions)
        find_refutation(table, seat, flag)

    def ask_again(state: BattleLineState) -> None:
        is_provable(*next(questions))

    yield from (
        (f"{name}, µs", f"{microseconds(call, states):.2f}")
        for name, call in (
            ("strength of a side", strength_anew),
            ("reading a side's cards", fresh_side),
            ("proof of a claim", prove),
            ("proof of a claim, remembered", ask_again),
            ("legal list, nothing remembered", lambda state: forget(state).moves()),
            ("legal list as texts", lambda state: [state.text(move) for move in state.moves()]),
            ("view", lambda state: state.view(next(seats))),
            ("copy", lambda state: state.copy()),
            ("redeal", lambda state: state.redeal(next(seats), rng)),
        )
    )


if __name__ == "__main__":
    for name, figure in measure():
        print(f"{name:<36}{figure:>10}")
