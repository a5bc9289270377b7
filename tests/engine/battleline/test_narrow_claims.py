"""The narrowest claim of a leg, against its definition."""

from collections.abc import Iterator
from random import Random

import pytest

from engine.core import CloseCall, Json
from engine.games.battleline.cards import add_card
from engine.games.battleline.legal import is_claim_provable
from engine.games.battleline.narrow_claims import list_refuters
from engine.games.battleline.state import BattleLineState
from engine.registry import GAMES
from engine.replay import find_close_call, states
from tests.engine.plays import random_record

GAME = GAMES["battleline"]
SEEDS = range(30)
EDITIONS = ("standard", "long", "terrain")


def claim_first(state: BattleLineState, rng: Random) -> int:
    """Claims whatever can be claimed, and otherwise plays at random."""
    claims = [move for move in state.moves() if state.text(move).startswith("claim")]
    return rng.choice(claims or list(state.moves()))


def list_claims(record: Json) -> Iterator[tuple[int, BattleLineState, int, int]]:
    """Decisions that claim a flag, each with the table before it, the seat and the flag, from 0."""
    for number, (state, entry) in enumerate(zip(states(record), record["actions"], strict=False)):
        if entry["action"].startswith("claim"):
            yield number, state, entry["seat"], int(entry["action"].split()[1]) - 1


def refuters_by_definition(state: BattleLineState, seat: int, flag: int) -> set[str]:
    """Troops that are not unseen and lie not at the flag, with one of which unseen the claim can't be proven."""
    found = set()
    sides = [*state.sides[0][flag], *state.sides[1][flag]]
    for card in range(10 * len(state.rules.colours)):
        unseen = (state.unseen >> card & 1) + (state.unseen >> card + 64 & 1)
        if state.rules.copies - unseen - sides.count(card) <= 0:
            continue
        twin = state.copy()
        twin.unseen = add_card(twin.unseen, card)
        twin.forget_proofs(flag)
        if not is_claim_provable(twin, seat, flag):
            found.add(state.names.of[card])
    return found


@pytest.mark.parametrize("edition", EDITIONS)
def test_refuters_and_the_narrowest_claim_are_those_of_the_definition(edition):
    calls = 0
    for seed in SEEDS:
        record = random_record(GAME, edition, seed, claim_first)
        counts = {}
        for number, state, seat, flag in list_claims(record):
            is_open = len(state.sides[1 - seat][flag]) < state.slots[1 - seat][flag]
            expected = refuters_by_definition(state, seat, flag) if is_open else set()
            assert {state.names.of[card] for card in list_refuters(state, seat, flag)} == expected
            if expected:
                counts[number + 1] = expected
        call = find_close_call(record)
        if not counts:
            assert call is None
            continue
        calls += 1
        assert call.facts["refuters"] == call.margin[0] == min(map(len, counts.values()))
        assert call.facts["card"] in counts[call.step]
        assert record["actions"][call.step - 1]["seat"] == call.seat
        assert record["actions"][call.step - 1]["action"].split()[1] == str(call.facts["flag"])
        check_when_seen(record, call)
    assert calls


def check_when_seen(record: Json, call: CloseCall) -> None:
    """Check the turn in which the last refuter was seen, by the words of the record: it was played then."""
    card, turn_of_claim, played_in, player = call.facts["card"], 0, None, None
    for number, (state, entry) in enumerate(zip(states(record), record["actions"], strict=False)):
        if number == call.step - 1:
            turn_of_claim = state.turn
            break
        if entry["action"].split()[:2] == ["play", card]:
            played_in, player = state.turn, entry["seat"]
    assert (call.facts["turns"], call.facts["player"]) == (turn_of_claim - played_in, player)


def test_a_leg_without_a_claim_has_none():
    record = random_record(GAME, "standard", 1, verdict="start")
    assert find_close_call(record) is None


def test_a_game_that_measures_nothing_has_none():
    battalion = GAMES["battalion"]
    assert find_close_call(random_record(battalion, next(iter(battalion.editions)), 1)) is None
