"""Attacks: values, paths, and what becomes of both cards (BT-20 to BT-22, BT-27)."""

import pytest

from tests.engine.battalion.staging import begin, cards, last, legal, play, refusal, side


def test_bt_20_the_higher_is_wounded_the_lower_is_dead_and_both_leave_the_formation() -> None:
    state = play(begin("0=9,2=A guard=5", "0=7,2=6 guard=8"), "attack 1a 1:1a")
    for viewer in (0, 1, None):
        told = last(state, viewer)
        assert told == {
            "seat": 0, "action": "attack 1a 1:1a", "attacker": "9", "target": "7", "values": [9, 7], "result": "wins",
        }  # fmt: skip
    mine, theirs = side(state, 0, 1), side(state, 1, 0)
    assert (mine["wounded"], mine["dead"], mine["kills"]) == (["9"], [], 1)
    assert (theirs["wounded"], theirs["dead"], theirs["kills"]) == ([], ["7"], 0)
    assert cards(state, 0).keys() == {"1b", "g"} == cards(state, 1).keys()


def test_bt_20_a_lower_attacker_dies_and_the_attacked_is_wounded() -> None:
    state = play(begin("0=6,2=A guard=5", "0=7,2=9 guard=8"), "attack 1a 1:1a")
    assert (last(state)["values"], last(state)["result"]) == ([6, 7], "loses")
    assert side(state, 0)["dead"] == ["6"] and side(state, 1)["wounded"] == ["7"]
    assert (side(state, 0)["kills"], side(state, 1)["kills"]) == (0, 1)


def test_bt_20_of_equals_both_are_dead() -> None:
    state = play(begin("0=Q guard=5", "0=10 guard=8"), "attack 1a 1:1a")
    assert (last(state)["values"], last(state)["result"]) == ([10, 10], "tie")
    for seat in (0, 1):
        seen = side(state, seat)
        assert (len(seen["dead"]), seen["wounded"], seen["kills"]) == (1, [], 1)


def test_bt_20_a_path_leads_over_empty_cells_of_both() -> None:
    state = begin("0=9,2=A/0=10,2=4 guard=5", "0=2,2=6/0=3,2=7 guard=8")
    assert legal(state, "attack") == {f"attack 1{mine} 1:1{cell}" for mine in "ab" for cell in "ab"}
    assert "BT-20" in refusal(state, "attack 2a 1:1a") and "BT-20" in refusal(state, "attack 1a 1:2a")
    play(state, "attack 1a 1:1a", "pass")
    targets = {"1:1b", "1:2a"}
    assert legal(state, "attack") == {f"attack {cell} {target}" for cell in ("1b", "2a") for target in targets}
    assert "BT-20" in refusal(state, "attack 2b 1:1b")
    play(state, "attack 1b 1:2a", "pass")
    assert legal(state, "attack") == {
        f"attack {cell} {target}" for cell in ("2a", "2b") for target in ("1:1b", "1:2b", "1:g")
    }


def test_bt_20_only_full_cells_of_others_are_attacked() -> None:
    state = play(begin("0=9,2=A guard=5", "0=7,2=6 guard=8"), "attack 1a 1:1a", "pass")
    for action in ("attack 1b 1:1a", "attack 1b 0:1b", "attack 1b 0:g", "attack 1a 1:1b"):
        assert "(BT-" in refusal(state, action)
    for action, place in (("attack 1b 1:2a", "2a"), ("attack 1b 3:1a", "seat 3"), ("attack 2a 1:1b", "2a")):
        assert place in refusal(state, action)


@pytest.mark.parametrize(
    ("mine", "theirs", "values", "result"),
    [
        ("A", "Q", [11, 10], "wins"),
        ("A", "10", [11, 10], "wins"),
        ("Q", "A", [10, 11], "loses"),
        ("10", "Q", [10, 10], "tie"),
        ("2", "3", [2, 3], "loses"),
        ("A", "A", [11, 11], "tie"),
    ],
)
def test_bt_21_values_are_as_printed_the_queen_ten_and_the_ace_eleven(
    mine: str, theirs: str, values: list[int], result: str
) -> None:
    state = play(begin(f"0={mine} guard=5", f"0={theirs} guard=8"), "attack 1a 1:1a")
    assert (last(state)["values"], last(state)["result"]) == (values, result)


@pytest.mark.parametrize(
    ("dice", "values"), [((6, 1), [12, 8]), ((1, 6), [7, 13]), ((5, 3), [11, 10]), ((3, 4), [9, 11])]
)
def test_bt_21_each_side_adds_its_modification(dice: tuple[int, int], values: list[int]) -> None:
    """A 9 against a 10."""
    state = begin("0=9 guard=5", "0=10 guard=8", dice=dice)
    play(state, "modify", "modify", "attack 1a 1:1a")
    assert last(state)["values"] == values


def test_bt_21_a_modified_queen_that_skips_is_worth_eight_and_the_modification() -> None:
    state = begin("0=2,2=3/0=Q,2=4 guard=5", "0=10 guard=8", dice=(6,))
    play(state, "modify", "pass", "attack 2a 1:1a")
    assert last(state)["values"] == [11, 10]


DEEP = "0=2,2=3/0=9,2=8/0=7,2=6 guard=4"


def test_bt_22_a_queen_by_direct_path_is_ten_and_skipping_one_of_theirs_eight() -> None:
    state = begin("0=3,2=Q guard=5", DEEP)
    ahead = {f"attack 1b 1:{cell}" for cell in ("1a", "1b", "2a", "2b")}
    assert {text for text in legal(state, "attack") if text.split()[1] == "1b"} == ahead
    assert "BT-22" in refusal(state, "attack 1b 1:3a"), "two would be skipped"
    assert last(play(state.copy(), "attack 1b 1:1a"))["values"] == [10, 2]
    assert last(play(state.copy(), "attack 1b 1:2a"))["values"] == [8, 9]


def test_bt_22_a_queen_skips_one_of_her_own_but_not_one_on_each_side() -> None:
    state = begin("0=3,2=4/0=Q,2=7 guard=5", DEEP)
    assert {text for text in legal(state, "attack") if text.split()[1] == "2a"} == {"attack 2a 1:1a", "attack 2a 1:1b"}
    assert last(play(state, "attack 2a 1:1a"))["values"] == [8, 2]


def test_bt_22_a_queen_from_behind_attacks_directly_over_empty_cells_of_her_own() -> None:
    """1a and 1:1a are empty: 1:1b and 1:2a lie on direct paths from 2a, 1:2b and 1:3a behind one card."""
    state = play(begin("0=A,2=3/0=Q,2=7 guard=5", DEEP), "attack 1a 1:1a", "pass")
    reached = {text.split(":")[1] for text in legal(state, "attack") if text.split()[1] == "2a"}
    assert reached == {"1b", "2a", "2b", "3a"}
    for cell, values in (("1b", [10, 3]), ("2a", [10, 9]), ("2b", [8, 8]), ("3a", [8, 7])):
        assert last(play(state.copy(), f"attack 2a 1:{cell}"))["values"] == values


def test_bt_22_the_cell_skipped_may_lie_anywhere_on_the_way() -> None:
    """With 1:1a gone, the 9 behind it can be skipped to the 7; with 1:2a gone too, the 7 to the guard."""
    state = play(begin("0=A,2=Q,4=10 guard=5", DEEP), "attack 1a 1:1a", "pass")
    reached = {text.split(":")[1] for text in legal(state, "attack") if text.split()[1] == "1b"}
    assert reached == {"1b", "2a", "2b", "3a"}
    assert last(play(state.copy(), "attack 1b 1:3a"))["values"] == [8, 7]
    assert last(play(state.copy(), "attack 1b 1:2a"))["values"] == [10, 9]
    play(state, "attack 1c 1:2a", "pass")
    reached = {text.split(":")[1] for text in legal(state, "attack") if text.split()[1] == "1b"}
    assert reached == {"1b", "2b", "3a", "3b", "g"}
    assert last(play(state, "attack 1b 1:g"))["values"] == [8, 4] and side(state, 1)["out"]


def test_bt_22_where_both_ways_are_there_the_direct_one_counts() -> None:
    """1:2b can be reached over the full 1:1b and over the empty 1:1a and 1:2a."""
    state = play(begin("0=A,2=Q,4=10 guard=5", DEEP), "attack 1a 1:1a", "pass", "attack 1c 1:2a", "pass")
    assert last(play(state, "attack 1b 1:2b"))["values"] == [10, 8]


def test_bt_22_a_queen_defends_at_ten() -> None:
    state = play(begin("0=9 guard=5", "0=Q guard=4"), "attack 1a 1:1a")
    assert last(state)["values"] == [9, 10]


def test_bt_22_the_guard_is_not_skipped() -> None:
    """Two back cells that meet only by way of the full guard cell."""
    state = begin("0=Q guard=5", "2=2/0=3,2=9,4=4 guard=6")
    assert "attack 1a 1:2b" in legal(state) and "attack 1a 1:g" not in legal(state)
    assert "attack 1a 1:2a" not in legal(state)


def test_bt_27_a_shown_card_that_moves_stays_shown() -> None:
    state = play(begin("0=10,2=J guard=5", "0=2,2=9/0=3,2=4 guard=6"), "attack 1b 1:1b", "pass")
    play(state, "attack 1a 1:1a", "move 1b 1a")
    assert cards(state, 1, 0) == {"1a": "9!", "2a": "?", "2b": "?", "g": "?"}


def test_bt_27_cards_that_were_compared_are_known_to_everyone() -> None:
    state = begin("0=9 guard=5", "0=7 guard=8", "0=2 guard=3")
    play(state, "attack 1a 1:1a")
    assert (last(state, 2)["attacker"], last(state, 2)["target"]) == ("9", "7")
    assert side(state, 0, 2)["wounded"] == ["9"] and side(state, 1, 2)["dead"] == ["7"]
