"""Random plays of any game."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engine.core import PUBLIC_ONLOOKER, BadOptions, Game, Json, Move, State

Choose = Callable[[State, Random], Move]


@dataclass(frozen=True, slots=True)
class Subject:
    """A game under one of its editions, perhaps with changed options, and how thoroughly it is checked."""

    game: Game
    edition: str
    plays: int = 20
    """Random plays of each check."""
    texts: tuple[str, ...] = ()
    """Words of the game, to be read and explained beside the legal actions."""
    changes: Json = field(default_factory=dict)
    """Options that differ from the edition's."""

    @property
    def options(self) -> Json:
        """Return the options of the edition, with the changes, as they come out of a record."""
        return read_options(self.game, self.edition, self.changes)

    def begin(self, seed: int) -> State:
        """Return the first state of a play; `seed` decides the deal and the number of seats."""
        return begin_play(self.game, self.edition, seed, **self.changes)

    def play(self, seed: int, plies: int) -> State:
        """Return a random play after so many decisions, or at its end."""
        rng, state = Random(seed), self.begin(seed)
        for _ in range(plies):
            if state.to_act is not None:
                state.play(choose_any(state, rng))
        return state


def read_options(game: Game, edition: str, changes: Json) -> Json:
    """Return the options of an edition with these changes, as they come out of a record."""
    options: Json = json.loads(json.dumps(game.options(edition, **changes)))
    return options


def list_changes(game: Game, edition: str) -> list[Json]:
    """Return the changes of one option that an edition allows, to each other value that is tried."""
    unchanged = game.options(edition)
    changes = [{option.key: value} for option in game.rule_options for value in option.list_samples()]
    return [change for change in changes if not change.items() <= unchanged.items() and allows(game, edition, change)]


def allows(game: Game, edition: str, change: Json) -> bool:
    """Return whether an edition can be played with this change."""
    try:
        game.options(edition, **change)
    except BadOptions:
        return False
    return True


def begin_play(game: Game, edition: str, seed: int, **changes: Any) -> State:
    """Return the first state of a play; `seed` decides the deal and the number of seats."""
    options = read_options(game, edition, changes)
    seats = game.seats[seed % len(game.seats)]
    return game.start(options, seats, game.deal(options, seats, Random(seed)))


def choose_any(state: State, rng: Random) -> Move:
    """Return any of the moves that the game lists."""
    moves = state.moves()
    return moves[int(rng.random() * len(moves))]


def run(state: State, rng: Random, choose: Choose = choose_any) -> Iterator[State]:
    """Yield the same state before each decision, then at the end."""
    while state.to_act is not None:
        yield state
        state.play(choose(state, rng))
    yield state


def play_out(state: State, rng: Random, choose: Choose = choose_any) -> State:
    """Play to the end, and return the state."""
    for _ in run(state, rng, choose):
        pass
    return state


def portray(state: State) -> str:
    """Return all that can be asked of a state, as text."""
    seats = range(state.seats)
    asked = [
        [state.view(seat) for seat in seats],
        [state.events(seat) for seat in (None, PUBLIC_ONLOOKER, *seats)],
        [state.text(move) for move in state.moves()],
        [state.to_act, state.ply, state.log_length, str(state.outcome), state.open_grammar],
        [state.is_out(seat) for seat in seats],
    ]
    return json.dumps(asked, sort_keys=True)
