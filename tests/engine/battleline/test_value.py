"""The value function: a chance that depends on both hands and the set of unseen cards alone."""

import hashlib
import json
from collections.abc import Iterator
from random import Random
from typing import cast

import pytest

from engine.deal import shuffle
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import WEIGHTS_PATH, has_value, value_hash, win_chance
from engine.registry import GAMES
from tests.engine.plays import begin, run

GAME = GAMES["battleline"]
EDITIONS = [edition for edition in GAME.editions if has_value(edition)]
MAX_WEIGHTS_BYTES = 100_000


def positions(edition: str, seeds: int = 3) -> Iterator[BattleLineState]:
    for seed in range(seeds):
        yield from cast(Iterator[BattleLineState], run(begin(GAME, edition, seed), Random(seed)))


def exchange_seats(state: BattleLineState) -> BattleLineState:
    """The same table with the seats exchanged, and the other one to act."""
    twin = state.copy()
    for name in ("hands", "sides", "stamps", "sets", "slots", "grounds", "tactics_played", "leader_played", "discards"):
        setattr(twin, name, getattr(twin, name)[::-1])
    twin.owner = tuple(None if owner is None else 1 - owner for owner in twin.owner)
    twin.to_act = None if twin.to_act is None else 1 - twin.to_act
    for flag in range(twin.rules.flags):
        twin.forget_proofs(flag)
    return twin


@pytest.mark.parametrize("edition", EDITIONS)
def test_chances_are_from_0_to_1_and_add_up_to_1(edition: str) -> None:
    for state in positions(edition):
        first = win_chance(state, 0)
        assert 0 <= first <= 1 and first + win_chance(state, 1) == 1


@pytest.mark.parametrize("edition", EDITIONS)
def test_exchanged_seats_have_exchanged_chances(edition: str) -> None:
    for state in positions(edition):
        if state.to_act is not None:
            assert win_chance(exchange_seats(state), 1) == pytest.approx(win_chance(state, 0), abs=1e-12)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_order_of_unseen_cards_makes_no_difference(edition: str) -> None:
    rng = Random(edition)
    for state in positions(edition):
        twin = state.copy()
        for cards in (*twin.decks, *twin.hands):
            shuffle(cards, rng)
        assert win_chance(twin, 0) == win_chance(state, 0)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_chance_is_sure_once_the_play_is_over(edition: str) -> None:
    for seed in range(4):
        *_, state = run(begin(GAME, edition, seed), Random(seed))
        outcome = state.outcome
        assert outcome is not None
        expected = 0.5 if outcome.places[0] == outcome.places[1] else float(outcome.places[0] == 1)
        assert win_chance(cast(BattleLineState, state), 0) == expected


def test_rules_without_a_value_function_are_refused() -> None:
    assert not has_value("terrain") and not has_value("no such edition")
    with pytest.raises(ValueError, match="no value function"):
        win_chance(cast(BattleLineState, begin(GAME, "terrain", 0)), 0)


def test_weights_are_small_and_known_by_their_hash() -> None:
    content = WEIGHTS_PATH.read_bytes()
    assert len(content) <= MAX_WEIGHTS_BYTES
    assert value_hash() == hashlib.sha256(content).hexdigest()
    assert {"version", "editions", "training"} <= set(json.loads(content))
