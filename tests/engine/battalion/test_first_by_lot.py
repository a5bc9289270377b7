"""A first seat that is drawn by lot: the option `start` with the value `lot` (BT-1, BT-42)."""

from random import Random

import pytest

from engine.core import BadDeal
from engine.games.battalion.state import BattalionState
from engine.registry import find_game
from tests.engine.plays import any_move, begin

BATTALION = find_game("battalion")


def test_deals_of_other_options_are_what_they_were() -> None:
    """A lot is drawn after the dice, so that these stay the same, too."""
    plain, lot = BATTALION.options("standard"), BATTALION.options("standard", start="lot")
    for seats in (2, 3, 4):
        deal = BATTALION.deal(plain, seats, Random(5))
        assert set(deal) == {"dice"}
        drawn = BATTALION.deal(lot, seats, Random(5))
        assert drawn == deal | {"first": drawn["first"]}
        firsts = {BATTALION.deal(lot, seats, Random(seed))["first"] for seed in range(60)}
        assert firsts == set(range(seats))


@pytest.mark.parametrize("first", [-1, 3, True, 1.0, "1", None])
def test_a_lot_that_is_no_seat_is_refused(first: object) -> None:
    lot = BATTALION.options("standard", start="lot")
    with pytest.raises(BadDeal, match="the first seat is a whole number from 0 to 2"):
        BATTALION.start(lot, 3, {"dice": [1] * 200, "first": first})
    with pytest.raises(BadDeal, match="the first seat that was drawn"):
        BATTALION.start(lot, 3, {"dice": [1] * 200})


def begin_with_lot(seats: int, first: int, **changes: object) -> BattalionState:
    """All have deployed."""
    options = BATTALION.options("standard", start="lot", **changes)
    state = BATTALION.start(options, seats, {"dice": [1] * 200, "first": first})
    assert isinstance(state, BattalionState)
    for seat in range(seats):
        assert state.to_act == seat, "seats deploy in their order"
        state.play(state.moves()[0])
    return state


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_bt_42_a_round_is_whole_when_the_turn_comes_back_to_the_seat_drawn(seats: int) -> None:
    for first in range(seats):
        state = begin_with_lot(seats, first, quiet_rounds=3)
        order = []
        while state.to_act is not None:
            order.append((state.round, state.to_act))
            state.play(state.parse("pass"))
        assert order == [(round_, (first + step) % seats) for round_ in (1, 2, 3) for step in range(seats)]
        assert state.outcome is not None and state.outcome.reason == "quiet"


def test_bt_42_without_the_seat_drawn_a_round_is_whole_where_its_turn_would_be() -> None:
    state = begin_with_lot(4, 2, quiet_rounds=4)
    state.forfeit(2, "timeout")
    order = []
    while state.to_act is not None:
        order.append((state.round, state.to_act))
        state.play(state.parse("pass"))
    assert order == [(round_, seat) for round_ in (1, 2, 3, 4) for seat in (3, 0, 1)]


def test_who_has_been_drawn_is_not_known_while_seats_deploy() -> None:
    lot = BATTALION.options("standard", start="lot")
    states = [BATTALION.start(lot, 3, {"dice": [1] * 200, "first": first}) for first in range(3)]
    assert states[0].view(0) == states[1].view(0) == states[2].view(0)
    assert {states[0].redeal(0, Random(seed)).first for seed in range(40)} == {0, 1, 2}  # type: ignore[attr-defined]
    begun = begin_with_lot(3, 1)
    assert {begun.redeal(0, Random(seed)).first for seed in range(40)} == {1}


@pytest.mark.parametrize("seed", range(9))
def test_plays_with_a_lot_end_and_are_redealt_like_others(seed: int) -> None:
    state = begin(BATTALION, "standard", seed, start="lot")
    rng = Random(seed)
    while state.to_act is not None:
        for seat in range(state.seats) if state.ply % 7 == 0 else ():
            twin = state.redeal(seat, rng)
            assert twin.view(seat) == state.view(seat)
        state.play(any_move(state, rng))
    assert state.outcome is not None
