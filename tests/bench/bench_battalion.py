"""How fast Battalion is, in one process: `uv run python -m tests.bench.bench_battalion`."""

import gc
from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random
from statistics import median
from time import perf_counter
from typing import cast

from engine.core import State
from engine.games.battalion.state import BattalionState
from engine.registry import GAMES
from tests.engine.plays import any_move, play_out, run

GAME = GAMES["battalion"]
PLAYS = 1_000
ROUNDS = 5
"""Each figure is the best of so many: other work on the machine only ever adds."""


def begin(seats: int, seed: int) -> State:
    options = GAME.options("standard")
    return GAME.start(options, seats, GAME.deal(options, seats, Random(seed)))


def plays_per_second(seats: int = 2, plays: int = PLAYS) -> float:
    """Whole plays by random moves, first states made beforehand."""
    best = float("inf")
    for number in range(ROUNDS):
        firsts = [begin(seats, seed) for seed in range(number * plays, (number + 1) * plays)]
        rng = Random(number)
        gc.collect()
        start = perf_counter()
        for state in firsts:
            play_out(state, rng)
        best = min(best, perf_counter() - start)
    return plays / best


def list_times(seats: int, plays: int = 60) -> list[float]:
    """Seconds that each legal list takes as a play goes on, the first time it is asked for."""
    times = []
    for seed in range(plays):
        rng, state = Random(seed), begin(seats, seed)
        while state.to_act is not None:
            start = perf_counter()
            state.moves()
            times.append(perf_counter() - start)
            state.play(any_move(state, rng))
    return times


def positions(seats: int) -> list[BattalionState]:
    """Every ply of thirty plays."""
    found = []
    for seed in range(30):
        for state in run(begin(seats, seed), Random(seed)):
            if state.to_act is not None:
                found.append(cast(BattalionState, state.copy()))
    return found


def microseconds(call: Callable[[BattalionState], object], states: list[BattalionState]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = perf_counter()
        for state in states:
            call(state)
        best = min(best, perf_counter() - start)
    return best / len(states) * 1e6


def forget(state: BattalionState) -> BattalionState:
    """Nothing is remembered of earlier questions about this table."""
    state.found = None
    for side in state.sides:
        side.seen = [None, None]
    return state


def measure() -> Iterator[tuple[str, str]]:
    for seats in (2, 4):
        yield f"{seats} seats: random plays a second", f"{plays_per_second(seats):,.0f}"
    for seats in (2, 4):
        yield f"{seats} seats: legal list, median µs", f"{median(list_times(seats)) * 1e6:.1f}"
    states = positions(4)
    rng, seats_in_turn = Random(0), cycle(range(4))
    calls: tuple[tuple[str, Callable[[BattalionState], object]], ...] = (
        ("legal list, mean", lambda state: forget(state).moves()),
        ("legal list as texts", lambda state: [state.text(move) for move in state.moves()]),
        ("view, nothing remembered", lambda state: forget(state).view(next(seats_in_turn))),
        ("view", lambda state: state.view(next(seats_in_turn))),
        ("copy", lambda state: state.copy()),
        ("redeal", lambda state: state.redeal(next(seats_in_turn), rng)),
    )
    yield from ((f"4 seats: {name}, µs", f"{microseconds(call, states):.1f}") for name, call in calls)


if __name__ == "__main__":
    for name, figure in measure():
        print(f"{name:<40}{figure:>10}")
