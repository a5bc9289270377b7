"""Set-up: cards and seats, deployment, connections (BT-1 to BT-5)."""

import pytest

from engine.core import BadDeal
from engine.options import BadOptions
from tests.engine.battalion.board import CARDS
from tests.engine.battalion.staging import GAME, LINE, begin, cards, legal, play, refusal, sentence, side, undeployed
from tests.engine.battalion.test_geometry import WRONG

FOUR = ("0=A guard=5", "0=K guard=6", "0=Q guard=7", "0=J guard=8")


def test_bt_1_each_seat_has_thirteen_cards_a_die_and_play_goes_by_rising_seat() -> None:
    state = begin(*FOUR)
    for seat in range(4):
        mine = side(state, seat)
        assert sorted([*cards(state, seat).values(), *mine["hand"]]) == sorted(CARDS)
        assert mine["modification"] is None and mine["hand_size"] == 11
    for seat in (0, 1, 2, 3, 0):
        assert state.to_act == seat
        play(state, "pass")


def test_bt_1_seats_out_of_the_game_are_skipped() -> None:
    state = play(begin(*FOUR), "pass")
    state.forfeit(1, "timeout")
    assert state.to_act == 2
    play(state, "pass", "pass", "pass")
    assert state.to_act == 2


@pytest.mark.parametrize("seats", [1, 5])
def test_bt_1_two_to_four_play(seats: int) -> None:
    with pytest.raises(BadDeal):
        undeployed(seats)


@pytest.mark.parametrize("dice", [[], [3] * 199, [3] * 201, [0] * 200, [7] * 200, ["3"] * 200, [True] * 200, "3" * 200])
def test_bt_31_a_deal_is_two_hundred_rolls(dice: object) -> None:
    with pytest.raises(BadDeal):
        GAME.start(GAME.options("standard"), 2, {"dice": dice})


@pytest.mark.parametrize("name", ["quiet_rounds", "round_limit"])
@pytest.mark.parametrize("value", [0, -1, 10_001, True, 2.0, "20", None])
def test_bt_42_options_are_whole_numbers_from_one_to_ten_thousand(name: str, value: object) -> None:
    for allowed in (1, 7, 10_000):
        assert GAME.options("standard", **{name: allowed})[name] == allowed
    with pytest.raises(BadOptions, match=name):
        GAME.options("standard", **{name: value})


@pytest.mark.parametrize("options", [{}, {"quiet_rounds": 20}, {"quiet_rounds": 0, "round_limit": 150}])
def test_bt_42_no_play_starts_without_all_options_or_with_a_wrong_one(options: dict[str, int]) -> None:
    with pytest.raises(BadOptions):
        GAME.start(options, 2, {"dice": [3] * 200})


def test_bt_2_nobody_sees_anything_of_a_deployment_before_all_have_deployed() -> None:
    state = undeployed(3)
    for seat, words in enumerate(("0=A,2=K/1=3 guard=5", "0=4/0=5/0=6 guard=9", "0=Q guard=2")):
        for viewer in range(3):
            view = state.view(viewer)
            assert (view["decision"], view["round"], view["to_move"]) == ("deploy", 0, seat)
            assert view["last_attacked"] is None and view["moved"] == []
            for other, seen in enumerate(view["seats"]):
                assert (seen["rows"], seen["guard"], seen["hand_size"]) == ([], None, 13)
                assert seen.get("hand") == (list(CARDS) if other == viewer else None)
            assert all(event["seat"] == viewer for event in state.events(viewer))
        play(state, f"deploy {words}")
    masked = ["deploy 0=?,2=?/1=? guard=?", "deploy 0=?/0=?/0=? guard=?", "deploy 0=? guard=?"]
    for viewer in range(3):
        told = {event["seat"]: event["action"] for event in state.events(viewer)}
        assert len(state.events(viewer)) == 3
        assert all(told[seat] == masked[seat] for seat in range(3) if seat != viewer)
        assert "?" not in told[viewer]


def test_bt_2_opponents_see_the_shape_and_the_size_of_the_hand_not_the_cards() -> None:
    state = begin("1=A,3=K/0=3,2=Q guard=5", LINE)
    seen = side(state, 0, 1)
    assert [[(cell["cell"], cell["x"], cell["card"]) for cell in row] for row in seen["rows"]] == [
        [("1a", 1, "?"), ("1b", 3, "?")],
        [("2a", 0, "?"), ("2b", 2, "?")],
    ]
    assert seen["guard"] == {"card": "?", "shown": False} and seen["hand_size"] == 8 and "hand" not in seen
    assert side(state, 0)["hand"] == ["J", "10", "9", "8", "7", "6", "4", "2"]
    assert cards(state, 0) == {"1a": "A", "1b": "K", "2a": "3", "2b": "Q", "g": "5"}


def test_bt_2_no_rows_of_the_smallest_and_the_largest_formation_are_refused() -> None:
    state = undeployed(2)
    play(state, "deploy 7=A guard=2", "deploy 0=A,2=K,4=Q,6=J/0=10,2=9,4=8,6=7/0=6,2=5,4=4,6=3 guard=2")
    assert side(state, 0)["hand_size"] == 11 and side(state, 1)["hand_size"] == 0


@pytest.mark.parametrize(
    ("words", "ruling", "place"),
    [
        ("0=A/0=K/0=Q/0=J guard=5", "BT-2", "three rows"),
        ("0=A,2=K,4=Q,6=J,8=10 guard=5", "BT-2", "row 1"),
        ("0=A guard=K", "BT-2", "guard"),
        ("0=A,2=A guard=5", "BT-1", "A"),
        ("0=A,2=5 guard=5", "BT-1", "5"),
    ],
)
def test_bt_2_a_deployment_keeps_to_rows_cells_guard_and_own_cards(words: str, ruling: str, place: str) -> None:
    said = refusal(undeployed(2), f"deploy {words}")
    assert f"({ruling})" in said and place in said


def test_bt_3_columns_are_shifted_so_that_the_smallest_is_0_and_cells_come_in_any_order() -> None:
    state = begin("5=K,3=A/6=2,4=3,2=4,0=6 guard=5", LINE)
    rows = side(state, 0)["rows"]
    assert [[(cell["cell"], cell["x"], cell["card"]) for cell in row] for row in rows] == [
        [("1a", 3, "A"), ("1b", 5, "K")],
        [("2a", 0, "6"), ("2b", 2, "4"), ("2c", 4, "3"), ("2d", 6, "2")],
    ]
    state = begin("-99=A,-97=K guard=5", "99=A,97=K guard=5")
    assert [cell["x"] for cell in side(state, 0)["rows"][0]] == [0, 2]
    assert cards(state, 1) == {"1a": "K", "1b": "A", "g": "5"}


@pytest.mark.parametrize(("rows", "words"), [row for row in WRONG if row[0] and all(row[0])])
def test_bt_5_what_breaks_bt_2_or_bt_3_is_illegal_and_the_sentence_says_which_and_where(
    rows: tuple[tuple[int, ...], ...], words: str
) -> None:
    deck = iter("A K Q J 10 9 8 7 6 4 3 2".split())
    told = "/".join(",".join(f"{x}={next(deck)}" for x in line) for line in rows)
    assert refusal(undeployed(2), f"deploy {told} guard=5") == words


def test_bt_4_front_cells_meet_all_front_cells_and_back_cells_the_own_guard() -> None:
    state = begin("0=2,2=3,4=4 guard=5", "0=A,2=6/0=7,2=8 guard=9", "0=A/0=2 guard=3")
    fronts = {"1:1a", "1:1b", "2:1a"}
    assert legal(state, "attack") == {f"attack {mine} {other}" for mine in ("1a", "1b", "1c") for other in fronts}


def test_bt_4_with_one_row_the_front_is_the_back() -> None:
    """The only cell empties, and the guard behind it lies open; before, it doesn't."""
    state = begin("0=A,2=2 guard=5", "0=3 guard=9")
    assert "attack 1a 1:g" not in legal(state)
    play(state, "attack 1a 1:1a", "pass")
    assert legal(state, "attack") == {"attack 1b 1:g"}


def test_bt_4_the_guard_cell_is_no_stepping_stone() -> None:
    """The back cells 2a and 2b meet only in the empty guard cell; 1c and 2b are empty, too."""
    state = begin("0=10,2=4,4=A/0=3,4=K guard=5", "0=5,2=6,4=2 guard=9")
    play(state, "attack 1c 1:1b", "pass", "attack 2b 1:1c", "attack 1a 0:g")
    assert cards(state, 0) == {"1a": "10", "1b": "4", "2a": "3"}
    assert legal(state, "move") == {"move 1b 1c", "move 1b 2b", "move 1b g", "move 2a g"}
    assert not [text for text in legal(state, "attack") if text.split()[1] == "2a"]


def test_bt_5_a_refused_deployment_names_the_card_that_is_unknown() -> None:
    assert "'B'" in (sentence(undeployed(2), "deploy 0=B guard=5") or "")
