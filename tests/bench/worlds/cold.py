"""A ladder on which all begin at once: how many games until its ratings tell the truth."""

from dataclasses import dataclass
from random import Random

import numpy as np

from arena.contests.ladders.rating import PairResult
from tests.bench.worlds.figures import Figures, compare
from tests.bench.worlds.strengths import World, draw_strengths
from tests.bench.worlds.systems import Naive, Shipped

REFIT = 4
"""A fit after so many games of each."""


@dataclass(frozen=True, slots=True)
class Cold:
    naive: dict[int, Figures]
    """By games of each."""
    shipped: dict[int, Figures]


def run(count: int, games: int, seed: int) -> Cold:
    """Return the figures after every fit, for `count` bots that play `games` games each."""
    rng = Random(f"{seed}: world")
    world = World(draw_strengths(count, rng), rng)
    truth = world.truth()
    return Cold(_naive(world, truth, games, rng), _shipped(world, truth, games, seed))


def _naive(world: World, truth: np.ndarray, games: int, rng: Random) -> dict[int, Figures]:
    count, naive, figures = len(truth), Naive(), {}
    everybody = range(count)
    for entry in everybody:
        naive.enter(entry)
    for played in range(REFIT, games + 1, REFIT):
        for _ in range(count * REFIT // 2):
            one, other = naive.pick(everybody, rng)
            naive.learn(one, other, world.single(one, other))
        figures[played] = compare(np.array([naive.ratings[entry] for entry in everybody]), truth)
    return figures


def _shipped(world: World, truth: np.ndarray, games: int, seed: int) -> dict[int, Figures]:
    count, shipped, figures = len(truth), Shipped(seed), {}
    for _ in range(count):
        shipped.enter()
    for played in range(REFIT, games + 1, REFIT):
        for _ in range(count * REFIT // 4):
            one, other = shipped.pick()
            shipped.learn((one, other), [PairResult(0, 1, world.match(one, other), 2)])
        shipped.refit()
        fitted = shipped.fitted
        figures[played] = compare(fitted.rating, truth, fitted.deviation)
    return figures
