"""Whole random plays, and legal lists as they go on: `uv run pytest tests/bench --benchmark-only`.

How long they take is printed, and never asserted; `bench_engine` and `bench_battalion` say more.
"""

from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.core import Game, State
from engine.registry import GAMES
from tests.engine.plays import any_move

PLAYS = 40
EVERY_TABLE = [(game, edition, seats) for game in GAMES.values() for edition in game.editions for seats in game.seats]


@pytest.mark.parametrize(
    ("game", "edition", "seats"), EVERY_TABLE, ids=[f"{game.key}-{edition}-{n}" for game, edition, n in EVERY_TABLE]
)
def test_forty_random_plays(benchmark: BenchmarkFixture, game: Game, edition: str, seats: int) -> None:
    def first_states() -> tuple[tuple[list[State], Random], dict[str, object]]:
        rng = Random(0)
        options = game.options(edition)
        return ([game.start(options, seats, game.deal(options, seats, rng)) for _ in range(PLAYS)], rng), {}

    def play_all(states: list[State], rng: Random) -> list[State]:
        for state in states:
            while state.to_act is not None:
                state.play(any_move(state, rng))
        return states

    ended = benchmark.pedantic(play_all, setup=first_states, rounds=3)
    assert all(state.outcome is not None for state in ended)
