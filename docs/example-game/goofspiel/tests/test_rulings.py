"""The rulings GS-1 to GS-6, each by a small example."""

from random import Random

import pytest

from engine.core import BadDeal, IllegalAction, Json, MalformedAction
from goofspiel.rules import GAME
from goofspiel.rules.state import GoofspielState


def begin(prizes: list[int], seats: int = 2, **changes: object) -> GoofspielState:
    return GAME.start(GAME.options("standard", cards=len(prizes), **changes), seats, {"prizes": prizes})


def play(state: GoofspielState, *cards: int) -> GoofspielState:
    for card in cards:
        state.play(state.parse(f"bid {card}"))
    return state


def name_events(state: GoofspielState, seat: int | None) -> list[str]:
    return [event.get("event") or event["action"] for event in state.events(seat)]


def test_gs_1_the_prizes_are_a_suit_in_any_order() -> None:
    options = GAME.options("standard")
    assert sorted(GAME.deal(options, 2, Random(1))["prizes"]) == list(range(1, 14))
    wrong: list[Json] = [{"prizes": [1] * 13}, {"prizes": list(range(13))}, {"prizes": 7}, {}]
    for deal in wrong:
        with pytest.raises(BadDeal):
            GAME.start(options, 2, deal)


def test_gs_2_a_prize_is_turned_up_and_each_card_is_bid_once() -> None:
    state = play(begin([2, 3, 1]), 1, 2)
    assert state.view(0)["stake"] == [3] and list(state.actions()) == ["bid 2", "bid 3"]
    with pytest.raises(IllegalAction, match="card 1 was already bid"):
        state.parse("bid 1")
    with pytest.raises(MalformedAction, match="from 1 to 3"):
        state.parse("bid 4")


def test_gs_3_bids_are_told_when_all_have_bid() -> None:
    state = play(begin([2, 3, 1]), 1)
    assert name_events(state, 0) == ["prize", "bid 1"] and name_events(state, 1) == ["prize"]
    assert state.view(1)["hands"] == [[1, 2, 3]] * 2 and state.view(0)["bid"] == 1
    play(state, 2)
    assert name_events(state, 1) == ["prize", "bid 2", "bid 1", "take", "prize"]


def test_gs_4_the_highest_bid_takes_the_stake_and_a_tie_carries_it_over() -> None:
    state = play(begin([2, 3, 1]), 1, 1)
    assert state.view(0)["stake"] == [2, 3] and state.view(0)["points"] == [0, 0]
    assert play(state, 2, 3).view(0)["points"] == [0, 5]


def test_gs_4_by_an_option_a_tied_stake_is_lost() -> None:
    state = play(begin([2, 3, 1], ties="lost"), 1, 1)
    assert state.view(0)["stake"] == [3]


def test_gs_4_of_three_the_highest_bid_made_twice_wins_nothing() -> None:
    state = play(begin([2, 3, 1], seats=3), 3, 3, 1)
    assert state.view(0)["points"] == [0, 0, 0] and state.events(None)[-2]["seats"] == [0, 1]


def test_gs_5_most_points_win_and_equal_points_share_the_place() -> None:
    state = play(begin([2, 3, 1], seats=3), 3, 1, 2, 1, 2, 3, 2, 3, 1)
    assert state.outcome is not None and state.outcome.reason == "played-out"
    assert state.outcome.scores == (2, 1, 3) and state.outcome.places == (2, 3, 1)
    drawn = play(begin([1, 2]), 1, 1, 2, 2)
    assert drawn.outcome is not None and drawn.outcome.places == (1, 1)


def test_gs_6_who_forfeits_is_last_and_its_bid_does_not_count() -> None:
    state = play(begin([2, 3, 1], seats=3), 3, 2)
    state.forfeit(0, "timeout")
    assert name_events(state, 2)[-2:] == ["forfeit", "bid 3"]
    assert play(state, 1).view(0)["points"] == [0, 2, 0]
    play(state, 1, 2, 3, 3)
    assert state.outcome is not None and state.outcome.places == (3, 2, 1) and state.outcome.reason == "played-out"


def test_gs_6_the_last_who_is_in_is_first() -> None:
    state = begin([2, 3, 1], seats=3)
    state.forfeit(1, "crash")
    state.forfeit(0, "crash")
    assert state.outcome is not None and state.outcome.places == (2, 3, 1) and state.outcome.reason == "last-standing"
