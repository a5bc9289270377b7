"""What tests of all games have to know of each one. A game says it in `tests/engine/<key>/facts.py` as `FACTS`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from random import Random

from engine.core import Json, State


def write_legal_action(rng: Random, state: State) -> str:
    moves = list(state.moves())
    return state.text(rng.choice(moves)) if moves else "nothing is legal after the end"


@dataclass(frozen=True)
class GameFacts:
    """The facts of a game that says nothing else."""

    explained_texts: tuple[str, ...] = ()
    """Actions to be explained beside the legal ones, legal or not."""
    forfeit_ply: int = 2
    """A ply that nearly every random play reaches."""
    min_starter_points: float = 0.3
    """Points of a match that a starter bot gets at least on the average against `random`."""
    playthrough_seeds: Mapping[tuple[str, int], int] = field(default_factory=dict)
    """By edition and number of seats, the seed of a random play in which much of the game happens."""
    variants: tuple[tuple[str, Json], ...] = ()
    """Editions with changed options, whose records are tampered with in tests."""
    write_any_action: Callable[[Random, State], str] = write_legal_action
    """Write an action in the words of the game that is often refused."""


def find_facts(key: str) -> GameFacts:
    """Return the facts of the game with this key."""
    module = f"tests.engine.{key}.facts"
    if find_spec(f"tests.engine.{key}") is None or find_spec(module) is None:
        return GameFacts()
    facts = import_module(module).FACTS
    assert isinstance(facts, GameFacts)
    return facts
