"""A ladder of tables of three or four, whose luck is Plackett and Luce's."""

from dataclasses import dataclass
from random import Random

import numpy as np

from arena.contests.ladders.rating import compute_pair_results
from tests.bench.worlds.figures import Figures, compare
from tests.bench.worlds.strengths import draw_strengths, legs_of_table
from tests.bench.worlds.systems import Naive, Shipped

COUNT = 60
REFIT = 4


@dataclass(frozen=True, slots=True)
class Seats:
    naive: Figures
    shipped: Figures
    online: Figures
    """Without any fit."""


def run(seats: int, games: int, seed: int, count: int = COUNT) -> Seats:
    """Return the figures of `count` bots that play `games` legs each in matches of `seats` seats."""
    rng = Random(f"{seed}: world")
    strengths = draw_strengths(count, rng)
    return Seats(
        _naive(strengths, seats, games, rng),
        _shipped(strengths, seats, games, seed, fits=True),
        _shipped(strengths, seats, games, seed, fits=False),
    )


def _naive(strengths: list[float], seats: int, games: int, rng: Random) -> Figures:
    naive, everybody = Naive(), range(len(strengths))
    for entry in everybody:
        naive.enter(entry)
    for _ in range(len(strengths) * games // seats):
        table = naive.pick(everybody, rng, seats)
        [places] = legs_of_table([strengths[entry] for entry in table], rng, 1)
        naive.learn_places(table, places)
    return compare(np.array([naive.ratings[entry] for entry in everybody]), np.array(strengths))


def _shipped(strengths: list[float], seats: int, games: int, seed: int, *, fits: bool) -> Figures:
    shipped, rng = Shipped(seed), Random(f"{seed}: games")
    for _ in strengths:
        shipped.enter()
    for played in range(len(strengths) * games // seats**2):
        table = shipped.pick(seats)
        shipped.learn(table, compute_pair_results(legs_of_table([strengths[entry] for entry in table], rng, seats)))
        if fits and played % len(strengths) == 0:
            shipped.refit()
    if fits:
        shipped.refit()
    ratings = np.array([row.rating for row in shipped.rows])
    return compare(ratings, np.array(strengths), np.array([row.deviation for row in shipped.rows]))
