"""Hold a game against a second, simple implementation of its rules."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from engine.contract.errors import require_same
from engine.contract.plays import Subject, allows, choose_any, list_changes
from engine.core import Json, State

SHARE_WITH_FORFEIT = 0.5
PLAYS_PER_CHECK = 4
"""The oracle is compared in so many times the plays of a check: each is one quick play, and a mistake may be rare."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The state of a play after some actions, by the second implementation."""

    to_act: int | None
    actions: frozenset[str]
    """Every legal action."""
    count: int | None
    """The turn or round; None in a game that counts neither."""
    scores: tuple[float, ...] | None
    """None while the play goes on."""


Oracle = Callable[[Json, int, Json, Sequence[Json]], Expected]
"""Says what is expected for the options, the seats, the deal and the actions so far.

An action is `{"seat": 0, "action": "…"}`, and a forfeit as in a record.
"""


def check_oracle(subject: Subject, oracle: Oracle) -> None:
    """Compare the game with its oracle before every decision of random plays, many of them with forfeits.

    Of four plays one has another value of some option, and one has other values of two.
    """
    changes: list[Json] = list_changes(subject.game, subject.edition) or [{}]
    for seed in range(PLAYS_PER_CHECK * subject.plays):
        rng = Random(seed)
        one, other = (changes[int(rng.random() * len(changes))] for _ in range(2))
        change = ({}, one, {}, one | other)[seed % 4]
        if allows(subject.game, subject.edition, change):
            compare_play(replace(subject, changes=change), oracle, rng)


def compare_play(subject: Subject, oracle: Oracle, rng: Random) -> None:
    """Compare one random play before every decision."""
    game, options = subject.game, subject.options
    seats = game.seats[int(rng.random() * len(game.seats))]
    deal = game.deal(options, seats, rng)
    state = game.start(options, seats, deal)
    actions: list[Json] = []
    stops = draw_stops(game.max_plies(options, seats), seats, rng) if rng.random() < SHARE_WITH_FORFEIT else []
    while True:
        expected = oracle(options, seats, deal, actions)
        text = f"the oracle says otherwise after {actions}"
        if subject.changes:
            text = f"with {json.dumps(subject.changes)} {text}"
        require_same(read_expected(subject, state), expected, text)
        if state.to_act is None:
            break
        take_step(state, rng, actions, stops)


def draw_stops(plies: int, seats: int, rng: Random) -> list[int]:
    """Return after how many decisions some seats go out: early ones, as most plays are shorter than they can be."""
    return [int(plies * rng.random() ** 3) for _ in range(1 + int(rng.random() * (seats - 1)))]


def read_expected(subject: Subject, state: State) -> Expected:
    """Return the state of a play by the game itself, to compare it with."""
    counts = subject.game.counts
    return Expected(
        state.to_act,
        frozenset(state.actions()),
        state.view(0)[counts] if counts else None,
        None if state.outcome is None else state.outcome.scores,
    )


def take_step(state: State, rng: Random, actions: list[Json], stops: Sequence[int]) -> None:
    """Play any move, or put any seat out after as many decisions as `stops` say, and add that to the actions."""
    if state.ply in stops:
        still_in = [seat for seat in range(state.seats) if not state.is_out(seat)]
        seat = still_in[int(rng.random() * len(still_in))]
        actions.append({"seat": seat, "action": "forfeit", "verdict": "crash"})
        state.forfeit(seat, "crash")
        return
    move = choose_any(state, rng)
    actions.append({"seat": state.to_act, "action": state.text(move)})
    state.play(move)
