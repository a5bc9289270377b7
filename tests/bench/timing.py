"""What every benchmark of a game measures with."""

import gc
from collections.abc import Callable
from random import Random
from statistics import median
from time import perf_counter
from typing import TypeVar

from engine.core import Game, State
from tests.engine.plays import play_out, run

T = TypeVar("T")
ROUNDS = 5
"""Each figure is the best of so many: other work on the machine only ever adds."""


def first_states(game: Game, edition: str, seats: int, seeds: range) -> list[State]:
    options = game.options(edition)
    return [game.start(options, seats, game.deal(options, seats, Random(seed))) for seed in seeds]


def plays_per_second(game: Game, edition: str, seats: int = 2, plays: int = 1_000) -> float:
    """Whole plays by random moves, first states made beforehand."""
    best = float("inf")
    for number in range(ROUNDS):
        states = first_states(game, edition, seats, range(number * plays, (number + 1) * plays))
        rng = Random(number)
        gc.collect()
        start = perf_counter()
        for state in states:
            play_out(state, rng)
        best = min(best, perf_counter() - start)
    return plays / best


def positions(game: Game, edition: str, seats: int = 2) -> list[State]:
    """Every ply of thirty plays, as they were asked for."""
    found = []
    for seed, first in enumerate(first_states(game, edition, seats, range(30))):
        for state in run(first, Random(seed)):
            if state.to_act is not None:
                found.append(state.copy())
    return found


def microseconds(call: Callable[[T], object], states: list[T]) -> float:
    """The median over the states, each at its best of some rounds."""
    times = [float("inf")] * len(states)
    for _ in range(ROUNDS):
        for number, state in enumerate(states):
            start = perf_counter()
            call(state)
            times[number] = min(times[number], perf_counter() - start)
    return median(times) * 1e6
