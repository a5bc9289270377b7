"""Modification and reforming (BT-30 to BT-35)."""

import pytest

from engine.core import State
from tests.engine.battalion.staging import begin, cards, last, legal, play, refusal, side

WEAK = "0=2,2=3,4=4/0=6,2=7 guard=8"


@pytest.mark.parametrize(
    ("roll", "course"), [(6, [3, 2, 1, 0]), (5, [2, 1, 0]), (4, [1, 0]), (3, [0]), (2, [-1, 0]), (1, [-2, -1, 0])]
)
def test_bt_30_a_modification_is_the_roll_less_three_and_goes_a_step_toward_zero_a_turn(
    roll: int, course: list[int]
) -> None:
    state = play(begin("0=A guard=5", "0=A guard=5", dice=(roll,)), "modify")
    for value in course:
        seen = side(state, 0, 1)
        assert (seen["modification"], seen["modification_left"]) == (value, abs(value) + 1)
        play(state, "pass")
        seen = side(state, 0)
        assert (seen["modification"], seen["modification_left"]) == (value, abs(value) + 1)
        assert "modify" not in legal(state) and "BT-30" in refusal(state, "modify")
        play(state, "pass")
    seen = side(state, 0)
    assert (seen["modification"], seen["modification_left"]) == (None, 0)
    play(state, "pass")
    assert "modify" in legal(state), "it may be rolled in the turn after"


def test_bt_30_it_is_in_force_from_the_roll_to_the_end_of_the_next_own_turn() -> None:
    """A 9 rolls +1 and ties with a 10 then, on the defence and in attack; a turn later it loses."""
    state = play(begin("0=9,2=2 guard=5", "0=10,2=4 guard=8", dice=(4,)), "modify")
    assert last(play(state.copy(), "attack 1a 0:1a"))["values"] == [10, 10]
    play(state, "pass")
    assert last(play(state.copy(), "attack 1a 1:1a"))["values"] == [10, 10]
    play(state, "pass")
    assert last(play(state.copy(), "attack 1a 0:1a"))["values"] == [10, 9]


def test_bt_30_a_modification_ends_the_turn_and_all_cards_have_it() -> None:
    state = play(begin("0=9,2=4 guard=5", "0=10,2=5 guard=8", dice=(5,)), "modify")
    assert state.to_act == 1
    play(state, "pass")
    for cell, values in (("1a", [11, 10]), ("1b", [6, 10])):
        assert last(play(state.copy(), f"attack {cell} 1:1a"))["values"] == values


def test_bt_31_rolls_come_from_the_deal_in_order_and_are_told_to_all() -> None:
    state = begin("0=A guard=5", "0=A guard=5", dice=(5, 2, 6))
    for roll in (5, 2):
        play(state, "modify")
        for viewer in (0, 1, None):
            assert last(state, viewer)["roll"] == roll


def test_bt_31_after_the_last_roll_the_first_comes_again() -> None:
    state = begin("0=A guard=5", "0=A guard=5", dice=(4, 2), quiet_rounds=1_000, round_limit=1_000)
    rolls = []
    while len(rolls) < 203:
        if "modify" in legal(state):
            play(state, "modify")
            rolls.append(last(state)["roll"])
        else:
            play(state, "pass")
    assert rolls == [4, 2] + [3] * 198 + [4, 2, 3]


def deep() -> State:
    """Seat 0: 9 and 8 in front, 10 and 2 in the middle, 7 and 3 behind, nothing empty."""
    return begin("0=9,2=8/0=10,2=2/0=7,2=3 guard=5", WEAK)


def test_bt_35_the_formation_is_laid_out_anew_in_at_most_two_rows_once_a_game() -> None:
    state = deep()
    play(state, "reform 0=9,2=8/-1=10,1=2,3=7,5=3")
    assert cards(state, 0) == {"1a": "9", "1b": "8", "2a": "10", "2b": "2", "2c": "7", "2d": "3", "g": "5"}
    assert [cell["x"] for cell in side(state, 0, 1)["rows"][1]] == [0, 2, 4, 6]
    assert last(state, 1)["action"] == "reform 0=?,2=?/-1=?,1=?,3=?,5=?"
    assert state.to_act == 1 and side(state, 0, 1)["reformed"]
    play(state, "pass")
    assert not legal(state, "reform") and state.open_grammar is None
    assert "(BT-35)" in refusal(state, "reform 0=9,2=8,4=10/0=2,2=7,4=3")


@pytest.mark.parametrize("words", ["0=9,2=8/0=10,2=2,4=7,6=3", "0=9,2=8/0=10,2=2,4=7 hand=3"])
def test_bt_35_a_second_reforming_is_refused_whatever_it_lays_out(words: str) -> None:
    state = play(deep(), "reform 0=9,2=8/0=10,2=2,4=7,6=3", "pass")
    assert refusal(state, f"reform {words}") == "this seat has already reformed, and can only do so once a game (BT-35)"


def test_bt_35_empty_cells_go() -> None:
    state = play(deep(), "attack 1a 1:1a", "pass", "reform 0=8,2=10,4=2/0=7,2=3")
    assert cards(state, 0) == {"1a": "8", "1b": "10", "1c": "2", "2a": "7", "2b": "3", "g": "5"}
    assert len([cell for row in side(state, 0)["rows"] for cell in row]) == 5


@pytest.mark.parametrize(
    "words",
    [
        "0=9,2=8,4=7/0=10,2=2,4=3",
        "0=9,2=8,4=3,6=10/0=2,2=7",
        "0=9,2=8,4=7/0=10,2=2 hand=3",
    ],
)
def test_bt_35_no_card_is_farther_from_the_back_row_than_before(words: str) -> None:
    said = refusal(deep(), f"reform {words}")
    assert "(BT-35)" in said and "1c" in said


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("0=9,2=8/0=10,2=2/0=7,2=3", "two rows"),
        ("0=9/0=10,2=8,4=2,6=7,8=3", "row 2"),
        ("0=9,2=8,4=10,6=2/0=7,9=3", "2b"),
        ("0=9,2=8,4=10,5=2/0=7,2=3", "1d"),
        ("0=9,2=8,4=10/0=7,2=3", "2"),
        ("0=9,2=8,4=10,6=2/0=7,2=3,4=A", "A"),
        ("0=9,2=8,4=10,6=2/0=7,2=3 hand=3", "3"),
        ("0=9,2=8,4=10,6=2/0=7,2=3 hand=5", "5"),
        ("0=9,2=8,4=10,6=2/0=7,2=3,4=5", "5"),
    ],
)
def test_bt_35_other_layouts_are_refused_with_the_place(words: str, place: str) -> None:
    said = refusal(deep(), f"reform {words}")
    assert "BT-35" in said and place in said


@pytest.mark.parametrize("taken", ["9", "10", "7"])
def test_bt_35_one_card_may_be_taken_into_the_hand_hidden(taken: str) -> None:
    """From any row: each may be laid in the back row, whence it is taken."""
    rest = [card for card in ("9", "8", "10", "2") if card != taken]
    back = [card for card in ("7", "3") if card != taken]
    lines = [",".join(f"{2 * x}={card}" for x, card in enumerate(line)) for line in (rest, back)]
    state = play(deep(), f"reform {'/'.join(lines)} hand={taken}")
    assert taken in side(state, 0)["hand"] and side(state, 0, 1)["hand_size"] == 7
    assert last(state, 1)["action"].endswith(" hand=?") and "hand=" + taken in last(state, 0)["action"]


def test_bt_35_limits_are_judged_on_what_stays() -> None:
    """Five of the back row and one taken back; and the whole back row taken back, so that the front is the back."""
    state = begin("0=9,2=8,4=10,6=4/0=7,2=3,4=2,6=6 guard=5", WEAK)
    play(state, "reform 0=8,2=10,4=4/0=7,2=3,4=2,6=6 hand=9")
    assert "9" in side(state, 0)["hand"]
    state = play(begin("0=9,2=8/0=7 guard=5", WEAK), "reform 0=9,2=8 hand=7")
    assert cards(state, 0) == {"1a": "9", "1b": "8", "g": "5"}


def test_bt_35_nine_cards_can_be_reformed_if_one_is_taken_back_and_ten_never() -> None:
    nine = begin("0=9,2=8,4=10/0=7,2=3,4=2/0=A,2=K,4=Q guard=5", WEAK)
    assert nine.open_grammar is not None and all(" hand=" in text for text in legal(nine, "reform"))
    play(nine, "reform 0=9,2=8,4=10,6=7/0=2,2=A,4=K,6=Q hand=3")
    ten = begin("0=9,2=8,4=10,6=6/0=7,2=3,4=2/0=A,2=K,4=Q guard=5", WEAK)
    assert ten.open_grammar is None and not legal(ten, "reform")


@pytest.mark.parametrize(
    ("rows", "examples"),
    [
        ("0=9,2=8/0=10,2=2", ["0=9,2=8/0=10,2=2", "0=9,2=8,4=10,6=2", "0=9,2=8/0=10 hand=2"]),
        ("0=9,2=8,4=7/0=10,2=2", ["0=9,2=8,4=7/0=10,2=2", "0=9,2=8,4=7/0=10 hand=2"]),
        ("0=9,2=8", ["0=9,2=8", "0=9 hand=8"]),
    ],
)
def test_bt_35_examples_are_as_before_in_one_row_with_room_for_it_and_with_the_lowest_taken_back(
    rows: str, examples: list[str]
) -> None:
    assert legal(begin(f"{rows} guard=5", WEAK), "reform") == {f"reform {example}" for example in examples}


def test_bt_35_at_least_one_card_stays_laid_out() -> None:
    state = begin("0=9 guard=5", WEAK)
    assert legal(state, "reform") == {"reform 0=9"}
    play(state, "reform 0=9")
    empty = play(begin("0=K guard=5", WEAK), "attack 1a 1:1a", "pass")
    assert not legal(empty, "reform") and empty.open_grammar is None


def test_bt_35_distances_are_from_the_old_back_row_even_if_it_is_empty() -> None:
    """The middle row is empty, and so is the back row: the 9 in front was two rows away and may be in front of two."""
    state = begin("0=9,2=8/0=J/0=K guard=5", WEAK)
    play(state, "attack 3a 1:1a", "pass", "attack 2a 1:1b", "pass")
    assert cards(state, 0) == {"1a": "9", "1b": "8", "g": "5"}
    play(state, "reform 0=9/0=8")
    assert cards(state, 0) == {"1a": "9", "2a": "8", "g": "5"}


def test_bt_35_shown_cards_stay_shown_and_one_taken_back_is_hidden() -> None:
    state = play(begin("0=9/0=8 guard=5", "0=J guard=6"), "pass", "attack 1a 0:1a")
    stays = play(state.copy(), "reform 0=9/0=8")
    assert cards(stays, 0, 1) == {"1a": "9!", "2a": "?", "g": "?"}
    play(state, "reform 0=8 hand=9")
    assert cards(state, 0, 1) == {"1a": "?", "g": "?"}
    assert side(state, 0, 1)["hand_size"] == 11 and "hand" not in side(state, 0, 1)
