"""Hold a game against a second, simple implementation of its rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from engine.contract.errors import require_same
from engine.contract.plays import Subject, choose_any
from engine.core import Json, State

SHARE_WITH_FORFEIT = 0.5


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
    """Compare the game with its oracle before every decision of random plays, some of them with a forfeit."""
    game, options = subject.game, subject.options
    for seed in range(subject.plays):
        seats = game.seats[seed % len(game.seats)]
        rng = Random(seed)
        deal = game.deal(options, seats, Random(seed))
        state = game.start(options, seats, deal)
        actions: list[Json] = []
        stop = rng.randint(0, 3 * seats) if rng.random() < SHARE_WITH_FORFEIT else None
        while True:
            expected = oracle(options, seats, deal, actions)
            require_same(read_expected(subject, state), expected, f"the oracle says otherwise after {actions}")
            if state.to_act is None:
                break
            take_step(state, rng, actions, stop)


def read_expected(subject: Subject, state: State) -> Expected:
    """Return the state of a play by the game itself, to compare it with."""
    counts = subject.game.counts
    return Expected(
        state.to_act,
        frozenset(state.actions()),
        state.view(0)[counts] if counts else None,
        None if state.outcome is None else state.outcome.scores,
    )


def take_step(state: State, rng: Random, actions: list[Json], stop: int | None) -> None:
    """Play any move, or put any seat out after `stop` decisions, and add that to the actions."""
    if state.ply == stop:
        still_in = [seat for seat in range(state.seats) if not state.is_out(seat)]
        seat = still_in[int(rng.random() * len(still_in))]
        actions.append({"seat": seat, "action": "forfeit", "verdict": "crash"})
        state.forfeit(seat, "crash")
        return
    move = choose_any(state, rng)
    actions.append({"seat": state.to_act, "action": state.text(move)})
    state.play(move)
