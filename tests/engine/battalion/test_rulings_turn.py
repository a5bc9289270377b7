"""The turn: picking up, rearranging, passing, reinforcing (BT-10 to BT-15)."""

import pytest

from engine.core import State
from tests.engine.battalion.staging import begin, cards, last, legal, play, refusal, rounds, side

FOUR_CELLS = "0=10,2=9/0=7,2=8 guard=5"
SIX_CELLS = "0=10,2=9,4=8/0=7,2=6,4=4 guard=5"
ARMY = "0=10,2=9,4=8,6=7/0=A,2=K,4=Q,6=J/0=6,2=5,4=4,6=3 guard=2"
"""Every card is laid out."""
WEAK = "0=2,2=3,4=4/0=6,2=7 guard=8"


def one_cell_empty() -> State:
    """Seat 0's 10 at 1a is wounded, its other three cells are full, and it is asked."""
    return play(begin(FOUR_CELLS, WEAK), "attack 1a 1:1a", "pass")


def guard_dead() -> State:
    """A 5 has died with seat 0's guard; its cells are 1a and 2a, both empty, 1b the ace and 2b a 4."""
    state = begin("0=10,2=A/0=K,2=4 guard=5", "0=5,2=6,4=2 guard=9")
    return play(state, "attack 1a 1:1b", "pass", "attack 2a 1:1c", "attack 1a 0:g")


def test_bt_10_a_turn_is_rearranging_then_one_action() -> None:
    state = one_cell_empty()
    assert {text.split()[0] for text in legal(state)} == {"move", "pass", "attack", "modify", "reform"}
    play(state, "move 2a 1a", "move 2b 2a")
    assert state.to_act == 0 and state.view(1)["moved"] == ["1a", "2a"]
    for action in ("pass", "attack 1a 1:1b", "reinforce A 2b", "modify"):
        twin = play(state.copy(), action)
        assert twin.to_act == 1 and twin.view(0)["moved"] == []


def test_bt_10_reforming_is_the_whole_turn() -> None:
    state = one_cell_empty()
    assert legal(state, "reform") and state.open_grammar is not None
    before = state.copy()
    play(state, "move 2a 1a")
    assert not legal(state, "reform") and state.open_grammar is None
    assert "(BT-10)" in refusal(state, "reform 0=9,2=7/0=8")
    play(before, "reform 0=9/0=7,2=8")
    assert before.to_act == 1


def test_bt_11_a_direct_path_goes_over_connected_empty_cells_only() -> None:
    state = play(begin(SIX_CELLS, WEAK), "attack 1c 1:1a", "pass")
    assert legal(state, "move") == {"move 1b 1c", "move 2c 1c"}
    assert "BT-11" in refusal(state, "move 2a 1c")
    play(state, "move 2c 1c", "attack 1b 1:1b", "pass")
    # 1b and 2c are empty and touch no common cell but full ones: from 2a neither can be reached.
    assert legal(state, "move") == {f"move {path}" for path in ("1a 1b", "1c 1b", "1c 2c", "2b 1b", "2b 2c")}


def test_bt_11_a_path_may_be_long() -> None:
    state = begin("0=10,2=9,4=8/0=7,2=6,4=4/0=3 guard=5", WEAK)
    play(state, "attack 1a 1:1a", "pass", "attack 1b 1:1b", "pass", "attack 1c 1:1c", "pass")
    assert legal(state, "move") == {f"move 2{start} 1{end}" for start in "abc" for end in "abc"}


def test_bt_12_any_number_of_cards_move_each_at_most_once_a_turn() -> None:
    state = play(begin(SIX_CELLS, WEAK), "attack 1c 1:1a", "pass", "move 2c 1c")
    assert legal(state, "move") == {"move 2b 2c"}
    assert "(BT-12)" in refusal(state, "move 1c 2c")
    play(state, "move 2b 2c", "move 2a 2b", "move 1a 2a")
    assert state.view(0)["moved"] == ["1c", "2c", "2b", "2a"]
    assert cards(state, 0) == {"1b": "9", "1c": "4", "2a": "10", "2b": "7", "2c": "6", "g": "5"}
    assert legal(state, "move") == {"move 1b 1a"}
    assert "(BT-12)" in refusal(state, "move 2a 1a")
    play(state, "pass", "pass")
    assert legal(state, "move") == {"move 1b 1a", "move 2a 1a"}


def test_bt_12_a_card_goes_only_to_an_empty_cell_and_the_guard_stays() -> None:
    state = one_cell_empty()
    for action in ("move 2a 2b", "move 2a g", "move g 1a", "move g 2a", "move 1a 2a", "move 2a 2a"):
        assert "(BT-1" in refusal(state, action)


def test_bt_12_cards_move_inside_the_own_formation_only() -> None:
    """Both fronts are open, and yet 1a is no way from 2a to 1c."""
    state = begin("0=10,2=9,4=8/0=7,2=6,4=4 guard=5", "0=2,2=3 guard=8")
    play(state, "attack 1a 1:1a", "pass", "attack 1c 1:1b", "pass")
    assert legal(state, "move") == {f"move {path}" for path in ("1b 1a", "1b 1c", "2a 1a", "2c 1c")}


def test_bt_12_an_empty_guard_cell_is_entered_by_a_two_to_ten_which_is_the_guard_from_then_on() -> None:
    state = guard_dead()
    assert "g" not in cards(state, 0)
    own = {"move 1b 1a", "move 1b 2a", "move 2b 1a", "move 2b 2a", "move 2b g"}
    assert legal(state, "move") == own
    assert "(BT-12)" in refusal(state, "move 1b g")
    play(state, "move 2b 1a")
    play(state, "pass", "pass")
    assert "move 1a g" in legal(state)
    play(state, "move 1a g")
    assert cards(state, 0) == {"1b": "A", "g": "4"} and cards(state, 0, 1)["g"] == "?"
    play(state, "pass", "pass")
    assert not [text for text in legal(state) if " g" in text and text.split()[0] == "move"]
    assert not [text for text in legal(state, "attack") if text.split()[1] == "g"]


@pytest.mark.parametrize("card", ["J", "Q", "K", "A"])
def test_bt_12_no_jack_queen_king_or_ace_enters_the_empty_guard_cell(card: str) -> None:
    """By the empty 1a and 2a, and a turn later from 2a itself."""
    state = begin(f"0=10,2={card}/0=9,2=4 guard=5", "0=5,2=6,4=2 guard=8")
    play(state, "attack 1a 1:1b", "pass", "attack 2a 1:1c", "attack 1a 0:g")
    assert cards(state, 0) == {"1b": card, "2b": "4"}
    own = {"move 1b 1a", "move 1b 2a", "move 2b 1a", "move 2b 2a", "move 2b g"}
    assert legal(state, "move") == own
    refused = f"only a card from 2 to 10 can be the guard, not {card} (BT-12)"
    assert refusal(state, "move 1b g") == refused
    play(state, "move 1b 2a", "pass", "pass")
    assert refusal(state, "move 2a g") == refused


def test_bt_13_a_card_from_the_hand_enters_at_an_empty_back_cell_and_may_go_on() -> None:
    state = begin(FOUR_CELLS, WEAK)
    assert "(BT-13)" in refusal(state, "reinforce A 2a")
    play(state, "attack 1a 1:1a", "pass")
    assert not legal(state, "reinforce"), "the empty cell is in front"
    assert "(BT-13)" in refusal(state, "reinforce A 1a")
    play(state, "move 2a 1a")
    assert legal(state, "reinforce") == {f"reinforce {card} 2a" for card in "AKQJ6432"}
    play(state, "attack 1a 1:1b", "pass")
    assert legal(state, "reinforce") == {f"reinforce {card} {cell}" for card in "AKQJ6432" for cell in ("1a", "2a")}
    play(state, "reinforce A 1a")
    assert last(state, 0)["action"] == "reinforce A 1a" and last(state, 1)["action"] == "reinforce ? 1a"
    assert cards(state, 0)["1a"] == "A" and cards(state, 0, 1)["1a"] == "?"
    assert side(state, 0, 1)["hand_size"] == 7 and "A" not in side(state, 0)["hand"]


def test_bt_13_only_a_card_in_the_hand_and_only_a_cell_with_a_way_to_it() -> None:
    state = play(one_cell_empty(), "move 2a 1a")
    for action in ("reinforce 10 2a", "reinforce 9 2a", "reinforce A 1b", "reinforce A g", "reinforce 4 g"):
        assert "BT-13" in refusal(state, action)
    assert "(BT-" in refusal(state, "reinforce A 3a")


def test_bt_13_a_two_to_ten_goes_on_into_the_empty_guard_cell() -> None:
    state = guard_dead()
    assert {text for text in legal(state, "reinforce") if text.endswith("g")} == {
        f"reinforce {card} g" for card in ("9", "8", "7", "6", "3", "2")
    }
    play(state, "move 2b 2a", "reinforce 9 g")
    assert cards(state, 0)["g"] == "9" and last(state, 1)["action"] == "reinforce ? g"


def test_bt_13_with_no_empty_back_cell_the_guard_cell_is_not_reinforced() -> None:
    state = play(guard_dead(), "move 1b 2a")
    assert not legal(state, "reinforce")
    assert "(BT-13)" in refusal(state, "reinforce 9 g")


def test_bt_14_with_an_empty_hand_the_wounded_are_taken_up_first_in_the_turn_and_hidden_again() -> None:
    state = begin(ARMY, WEAK)
    assert "(BT-14)" in refusal(state, "pickup")
    play(state, "attack 1a 1:1a", "pass", "attack 1b 1:1b", "pass")
    assert side(state, 0, 1)["wounded"] == ["10", "9"] and "pickup" in legal(state)
    moved = play(state.copy(), "move 1c 1b")
    assert "(BT-14)" in refusal(moved, "pickup"), "the first thing in the turn"
    play(state, "pickup")
    assert state.to_act == 0 and state.view(1)["picked_up"]
    assert side(state, 0)["hand"] == ["10", "9"] and side(state, 0)["wounded"] == []
    assert side(state, 0, 1)["hand_size"] == 2 and "hand" not in side(state, 0, 1)
    assert "(BT-14)" in refusal(state, "pickup")
    play(state, "move 2a 1a", "move 3a 2a", "reinforce 9 3a")
    assert cards(state, 0, 1)["3a"] == "?" and not state.view(0)["picked_up"]
    play(state, "pass")
    assert "(BT-14)" in refusal(state, "pickup"), "the 10 is in the hand"


def test_bt_14_with_a_card_in_the_hand_the_wounded_stay() -> None:
    assert "(BT-14)" in refusal(one_cell_empty(), "pickup")


def test_bt_14_who_has_picked_up_does_not_reform_in_that_turn() -> None:
    state = begin(ARMY, WEAK)
    for cell in "abc":
        play(state, f"attack 1{cell} 1:1{cell}", "pass")
    assert legal(state, "reform")
    play(state, "pickup")
    assert not legal(state, "reform") and state.open_grammar is None
    assert "(BT-14)" in refusal(state, "reform 0=7,2=A,4=K,6=Q/0=6,2=5,4=4,6=3 hand=J")
    rounds(state, 1)
    assert legal(state, "reform")


def test_bt_15_pass_is_always_legal() -> None:
    state = begin("0=K guard=5", "0=A,2=2 guard=7")
    for action in ("attack 1a 1:1a", "modify", "pass", "pass"):
        assert "pass" in legal(state)
        play(state, action)
