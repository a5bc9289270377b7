"""Going out, places and scores, and the ends of waiting (BT-40 to BT-42)."""

import pytest

from engine.core import Outcome
from tests.engine.battalion.staging import LINE, begin, cards, play, side, undeployed

THREE = ("0=A,2=K,4=Q guard=5", "0=2,2=10 guard=7", "0=3,2=9 guard=6")
FOUR = (*THREE, "0=4,2=8 guard=2")


def test_bt_40_who_loses_its_emperor_is_out_and_all_its_cards_are_shown_and_removed() -> None:
    state = play(begin(*THREE), "attack 1b 1:1a", "pass", "pass", "attack 1a 1:g")
    told = state.events(2)[-1]
    assert (told["event"], told["seat"]) == ("out", 1)
    shown = told["cards"]
    assert [[cell["card"] for cell in row] for row in shown["rows"]] == [[None, "10"]]
    assert (shown["hand"], shown["wounded"], shown["dead"]) == (list("AKQJ986543"), [], ["2", "7"])
    assert shown["guard"] == {"card": None, "shown": False}
    for viewer in range(3):
        seen = side(state, 1, viewer)
        assert seen["out"] and (seen["rows"], seen["guard"], seen["hand_size"]) == ([], None, 0)
        assert (seen["wounded"], seen["dead"], seen["modification"]) == ([], [], None)
    assert state.to_act == 2 and state.outcome is None


def test_bt_40_a_forfeit_shows_and_removes_all_cards_and_is_told() -> None:
    state = begin(*THREE)
    state.forfeit(0, "crash")
    for viewer in range(3):
        forfeited, out = state.events(viewer)[-2:]
        assert forfeited == {"seat": 0, "action": "forfeit", "verdict": "crash"}
        assert out["event"] == "out" and out["cards"]["guard"]["card"] == "5"
        assert [cell["card"] for cell in out["cards"]["rows"][0]] == ["A", "K", "Q"]
    assert state.to_act == 1 and state.ply == 4


def test_bt_40_who_forfeits_while_deploying_is_out_and_the_others_play() -> None:
    state = undeployed(3)
    play(state, f"deploy {LINE}")
    state.forfeit(1, "illegal")
    assert (state.to_act, state.view(0)["decision"]) == (2, "deploy")
    assert side(state, 1)["out"] and side(state, 1, 0)["hand_size"] == 0
    play(state, f"deploy {LINE}")
    assert (state.to_act, state.view(0)["round"]) == (0, 1)
    assert cards(state, 0, 2).keys() == {"1a", "1b", "1c", "1d", "g"} and cards(state, 1, 2) == {}
    play(state, "pass", "pass")
    assert (state.to_act, state.view(0)["round"]) == (0, 2)


@pytest.mark.parametrize("seat", [0, 1])
def test_bt_41_with_two_seats_the_other_is_first_and_the_verdict_the_reason(seat: int) -> None:
    state = begin(LINE, LINE)
    if seat:
        play(state, "pass")
    state.forfeit(seat, "timeout")
    places, scores = ((2, 1), (0.0, 1.0)) if seat == 0 else ((1, 2), (1.0, 0.0))
    assert state.outcome == Outcome(places, scores, "timeout")


def test_bt_41_places_go_by_the_order_of_going_out() -> None:
    state = begin(*FOUR)
    play(state, "pass", "pass")
    state.forfeit(2, "memory")
    play(state, "pass")
    state.forfeit(0, "timeout")
    assert state.outcome is None
    state.forfeit(1, "crash")
    assert state.outcome == Outcome((3, 2, 4, 1), (1.0, 2.0, 0.0, 3.0), "last-standing")
    assert state.to_act is None and list(state.moves()) == []


def test_bt_41_the_last_in_wins() -> None:
    state = begin("0=A,2=K guard=5", "0=2 guard=7")
    play(state, "attack 1b 1:1a", "pass", "attack 1a 1:g")
    assert state.outcome == Outcome((1, 2), (1.0, 0.0), "last-standing")


def test_bt_42_a_round_ends_when_the_turn_passes_to_a_seat_not_higher() -> None:
    state = begin(*FOUR)
    seen = []
    for _ in range(9):
        seen.append((state.to_act, state.view(0)["round"], state.view(0)["quiet"]))
        play(state, "pass")
    assert seen == [(seat, number + 1, number) for number in (0, 1) for seat in range(4)] + [(0, 3, 2)]
    state.forfeit(1, "timeout")
    play(state, "pass", "pass")
    assert (state.to_act, state.view(0)["round"], state.view(0)["quiet"]) == (0, 4, 3)


def test_bt_42_the_last_seat_of_a_round_may_forfeit_and_the_round_ends() -> None:
    state = play(begin(*THREE, quiet_rounds=1), "pass", "pass")
    state.forfeit(2, "timeout")
    assert state.outcome == Outcome((1, 1, 3), (1.5, 1.5, 0.0), "quiet")


def test_bt_42_a_death_sets_the_count_of_quiet_rounds_to_zero_at_once() -> None:
    state = play(begin(*THREE), *["pass"] * 6)
    assert state.view(0)["quiet"] == 2
    play(state, "attack 1b 1:1b")
    assert state.view(0)["quiet"] == 0
    play(state, "pass", "pass")
    assert (state.view(0)["round"], state.view(0)["quiet"]) == (4, 0), "that round wasn't quiet"
    play(state, "pass", "pass", "pass")
    assert state.view(0)["quiet"] == 1


def test_bt_42_a_wound_a_look_and_an_emperors_fall_without_a_dying_card_leave_the_count() -> None:
    state = begin("0=4,2=J,4=10 guard=5", "0=2,2=K guard=4", "0=3 guard=6")
    play(state, "pass", "pass", "pass", "attack 1b 2:1a", "pass", "pass")
    assert state.view(0)["quiet"] == 2
    state.forfeit(0, "timeout")
    assert state.view(0)["quiet"] == 2


def test_bt_42_an_empty_guard_cell_taken_is_no_death() -> None:
    state = begin("0=4,2=J,4=10,6=A guard=5", "0=2 guard=4", "0=3 guard=6")
    play(state, "attack 1c 1:1a", "pass", "pass", "attack 1a 1:g", "pass", "pass")
    play(state, "pass", "pass", "pass")
    assert state.view(0)["quiet"] == 1
    play(state, "attack 1d 1:g")
    assert side(state, 1)["out"] and state.view(0)["quiet"] == 1
    play(state, "pass")
    assert state.view(0)["quiet"] == 2


def test_bt_42_after_twenty_quiet_rounds_the_play_ends_ranked_by_kills() -> None:
    state = play(begin(*THREE), "attack 1a 1:1a", "pass", "pass")
    for turn in range(3 * 20):
        assert state.outcome is None, turn
        play(state, "pass")
    assert state.outcome == Outcome((1, 2, 2), (2.0, 0.5, 0.5), "quiet")
    assert (state.view(0)["quiet"], state.view(0)["round"]) == (20, 21)


def test_bt_42_the_round_limit_ends_the_play_too_and_quiet_is_named_where_both_are_met() -> None:
    for quiet_rounds, reason in ((4, "limit"), (3, "quiet")):
        state = play(begin(*THREE, quiet_rounds=quiet_rounds, round_limit=3), *["pass"] * 8)
        assert state.outcome is None and state.view(0)["round"] == 3
        play(state, "pass")
        assert state.outcome == Outcome((1, 1, 1), (1.0, 1.0, 1.0), reason)
        assert state.view(0)["round"] == 3


def test_bt_42_round_150_is_the_last() -> None:
    state = play(begin(LINE, LINE, quiet_rounds=200), *["pass"] * (2 * 150 - 1))
    assert state.outcome is None and state.view(0)["round"] == 150
    play(state, "pass")
    assert state.outcome == Outcome((1, 1), (0.5, 0.5), "limit")


def test_bt_42_those_still_in_come_before_those_who_went_out_whatever_their_kills() -> None:
    state = play(begin(*FOUR, quiet_rounds=2), "attack 1a 1:1a", "pass", "pass", "pass")
    state.forfeit(0, "timeout")
    assert state.outcome is None and side(state, 0)["kills"] == 1
    for _ in range(3 * 2):
        if state.outcome is None:
            play(state, "pass")
    assert state.outcome == Outcome((4, 1, 1, 1), (0.0, 2.0, 2.0, 2.0), "quiet")


@pytest.mark.parametrize(
    ("attack", "kills"),
    [
        ("attack 1a 1:1a", (1, 0)),
        ("attack 1d 1:1b", (0, 1)),
        ("attack 1c 1:1b", (1, 1)),
        ("attack 1b 1:1a", (1, 1)),
    ],
)
def test_bt_42_kills_count_attacking_and_defending_and_kings_for_both(attack: str, kills: tuple[int, int]) -> None:
    """Win, loss, tie, and a King's strike."""
    state = play(begin("0=A,2=K,4=10,6=3 guard=5", "0=2,2=10 guard=7"), attack)
    assert (side(state, 0)["kills"], side(state, 1)["kills"]) == kills
