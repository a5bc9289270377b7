"""How fast Battalion is, in one process: `uv run python -m tests.bench.bench_battalion`."""

from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random
from statistics import median
from time import perf_counter
from typing import cast

from engine.games.battalion.state import BattalionState
from engine.registry import GAMES
from tests.bench.timing import first_states, microseconds, plays_per_second, positions
from tests.engine.plays import any_move

GAME, EDITION = GAMES["battalion"], "standard"


def list_times(seats: int, plays: int = 60) -> list[float]:
    """Seconds that each legal list takes as a play goes on, the first time it is asked for."""
    times = []
    for seed, state in enumerate(first_states(GAME, EDITION, seats, range(plays))):
        rng = Random(seed)
        while state.to_act is not None:
            start = perf_counter()
            state.moves()
            times.append(perf_counter() - start)
            state.play(any_move(state, rng))
    return times


def forget(state: BattalionState) -> BattalionState:
    """Nothing is remembered of earlier questions about this table."""
    state.found = None
    for side in state.sides:
        side.seen = [None, None]
    return state


def measure() -> Iterator[tuple[str, str]]:
    for seats in GAME.seats:
        yield f"{seats} seats: random plays a second", f"{plays_per_second(GAME, EDITION, seats):,.0f}"
    for seats in (2, 4):
        yield f"{seats} seats: legal list, median µs", f"{median(list_times(seats)) * 1e6:.1f}"
    states = cast(list[BattalionState], positions(GAME, EDITION, 4))
    rng, seats_in_turn = Random(0), cycle(range(4))
    calls: tuple[tuple[str, Callable[[BattalionState], object]], ...] = (
        ("legal list, nothing remembered", lambda state: forget(state).moves()),
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
