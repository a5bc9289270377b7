"""Whole random plays, and legal lists as they go on: `uv run pytest tests/bench --benchmark-only`.

How long they take is printed, and never asserted; `bench_battleline` and `bench_battalion` say more.
"""

from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.core import Game, State
from engine.registry import GAMES
from tests.bench.timing import first_states
from tests.engine.plays import play_out

PLAYS = 40
EVERY_TABLE = [(game, edition, seats) for game in GAMES.values() for edition in game.editions for seats in game.seats]


@pytest.mark.parametrize(
    ("game", "edition", "seats"), EVERY_TABLE, ids=[f"{game.key}-{edition}-{n}" for game, edition, n in EVERY_TABLE]
)
def test_forty_random_plays(benchmark: BenchmarkFixture, game: Game, edition: str, seats: int) -> None:
    def deal() -> tuple[tuple[list[State], Random], dict[str, object]]:
        return (first_states(game, edition, seats, range(PLAYS)), Random(0)), {}

    def play_all(states: list[State], rng: Random) -> list[State]:
        for state in states:
            play_out(state, rng)
        return states

    ended = benchmark.pedantic(play_all, setup=deal, rounds=3)
    assert all(state.outcome is not None for state in ended)
