"""Random plays at every number of seats: no failure, no leak, every record verified; their lengths and endings.

    uv run python -m tests.engine.battalion.test_random_plays 1000

prints the figures of so many plays at each number of seats.
"""

import sys
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from statistics import median, quantiles

import pytest

from engine.contract.checks import check_redeal
from engine.core import Move, State
from engine.replay import states, verify
from tests.engine.battalion.staging import GAME, any_deployment
from tests.engine.plays import any_move, how_many, random_record

PLAYS = how_many(20)
REDEALT = 0.02
"""Share of the decisions at which what each seat can't know is dealt anew."""


def choose(state: State, rng: Random) -> Move:
    """Any deployment at all, then any move; on the way the state is looked at for leaks."""
    if rng.random() < REDEALT:
        for seat in range(state.seats):
            check_redeal(state, seat, rng)
    if state.view(0)["decision"] == "deploy":
        return state.parse(any_deployment(rng))
    return any_move(state, rng)


def choose_by_kind(state: State, rng: Random) -> Move:
    """A kind of action first: rarer kinds are seen more often, and plays last longer."""
    if state.view(0)["decision"] == "deploy":
        return choose(state, rng)
    kinds: dict[str, list[Move]] = {}
    for move in state.moves():
        kinds.setdefault(state.text(move).split()[0], []).append(move)
    moves = kinds[sorted(kinds)[int(rng.random() * len(kinds))]]
    return moves[int(rng.random() * len(moves))]


@dataclass
class Figures:
    """Of random plays with the same number of seats."""

    plies: list[int] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    shared: int = 0
    """Plays whose first place is shared."""


def play_many(seats: int, plays: int) -> Figures:
    figures = Figures()
    for number in range(plays):
        seed = len(GAME.seats) * number + GAME.seats.index(seats)
        record = random_record(GAME, "standard", seed, choose_by_kind if number % 2 else choose)
        assert len(record["seats"]) == seats
        verify(record)
        *_, last = states(record)
        figures.plies.append(len(record["actions"]))
        figures.rounds.append(last.view(0)["round"])
        figures.endings[record["result"]["reason"]] += 1
        figures.actions.update(entry["action"].split()[0] for entry in record["actions"])
        figures.shared += record["result"]["places"].count(1) > 1
        check_result(record["result"]["places"], record["result"]["scores"])
    return figures


def check_result(places: list[int], scores: list[float]) -> None:
    """Scores are the number placed below, the mean of those places where places are shared."""
    for place, score in zip(places, scores, strict=True):
        below, beside = sum(other > place for other in places), places.count(place)
        assert score == below + (beside - 1) / 2
        assert place == 1 + sum(other < place for other in places)


@pytest.mark.parametrize("seats", GAME.seats)
def test_random_plays_run_to_an_end_leak_nothing_and_verify(seats: int) -> None:
    figures = play_many(seats, PLAYS)
    assert set(figures.endings) <= {"last-standing", "quiet", "limit"} and figures.endings["last-standing"]
    assert set(figures.actions) >= set("deploy move pass attack reinforce modify reform".split())


def print_figures(plays: int) -> None:
    for seats in GAME.seats:
        figures = play_many(seats, plays)
        print(f"{seats} seats, {plays:,} plays: ends {dict(figures.endings)}, first place shared {figures.shared}")
        for name, values in (("plies", figures.plies), ("rounds", figures.rounds)):
            tenths = ", ".join(f"{value:.0f}" for value in quantiles(values, n=10))
            print(f"  {name}: median {median(values):.0f}, from {min(values)} to {max(values)}, by tenths {tenths}")
        print(f"  actions: {', '.join(f'{count:,} {name}' for name, count in figures.actions.most_common())}")


if __name__ == "__main__":
    print_figures(int(sys.argv[1]))
