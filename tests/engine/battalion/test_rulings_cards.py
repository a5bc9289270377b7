"""Guard, King and Jack (BT-23 to BT-26)."""

import pytest

from engine.core import State
from tests.engine.battalion.staging import begin, cards, last, legal, play, refusal, side


def bare(guard: str = "5") -> State:
    """Seat 0's cells are empty before this guard; seat 1, with every kind of card in front, is asked."""
    state = begin(f"0=K guard={guard}", "0=A,2=Q,4=4,6=3/4=J,6=10 guard=2")
    play(state, "attack 1a 1:1d")
    assert cards(state, 0) == {"g": guard}
    return state


def test_bt_23_a_guard_that_wins_in_its_cell_stays_there_face_up() -> None:
    state = play(bare(), "attack 1c 0:g")
    assert (last(state)["values"], last(state)["result"]) == ([4, 5], "loses")
    for viewer in (0, 1):
        assert cards(state, 0, viewer) == {"g": "5!"}
    assert side(state, 0)["wounded"] == [] and side(state, 0)["kills"] == 2
    assert "4" in side(state, 1)["dead"]


def test_bt_23_a_guard_that_dies_to_a_higher_card_takes_its_emperor_along() -> None:
    state = play(bare(), "attack 1a 0:g")
    assert state.events(None)[-2]["result"] == "wins"
    assert state.events(None)[-1]["event"] == "out" and state.events(None)[-1]["seat"] == 0
    assert side(state, 1)["wounded"] == ["A"] and side(state, 1)["kills"] == 2
    assert state.outcome is not None and state.outcome.places == (2, 1)


def test_bt_23_in_a_tie_the_emperor_lives_with_an_empty_guard_cell() -> None:
    state = play(bare("4"), "attack 1c 0:g")
    assert last(state)["result"] == "tie" and state.outcome is None
    assert side(state, 0, 1)["guard"] == {"card": None, "shown": False}
    assert side(state, 0)["dead"] == ["K", "4"]


def test_bt_23_a_modified_guard_is_worth_more() -> None:
    state = begin("0=K guard=5", "0=6,2=3 guard=2", dice=(6,))
    play(state, "modify", "pass", "attack 1a 1:1b", "attack 1a 0:g")
    assert (last(state)["values"], last(state)["result"]) == ([6, 7], "loses")
    assert cards(state, 0, 1) == {"g": "5!"}


def test_bt_24_an_empty_guard_cell_is_attacked_by_any_card_but_a_king_or_a_jack() -> None:
    state = play(bare("4"), "attack 1c 0:g", "pass")
    assert {text[:9] for text in legal(state) if text.endswith("0:g")} == {"attack 1a", "attack 1b", "attack 2b"}
    assert "BT-24" in refusal(state, "attack 2a 0:g")
    play(state, "move 2a 1c")
    assert cards(state, 1)["1c"] == "J"
    assert "BT-24" in refusal(state, "attack 1c 0:g")
    play(state, "attack 1b 0:g")
    told = state.events(0)[-2]
    assert (told["attacker"], told["target"], told["result"]) == ("Q", None, "emperor") and "values" not in told
    assert state.outcome is not None and state.outcome.places == (2, 1)
    assert side(state, 1)["wounded"] == ["Q"] and side(state, 1)["kills"] == 2, "no card has died by it"


def test_bt_24_the_queen_skips_into_an_empty_guard_cell_too() -> None:
    state = begin("0=K,2=10 guard=4", "0=4,2=Q,4=3,6=A guard=2")
    play(state, "attack 1a 1:1c", "attack 1a 0:g")
    assert cards(state, 0) == {"1b": "10"}
    play(state, "move 1b 1a", "reinforce 9 1b")
    assert {text for text in legal(state) if text.endswith("0:g")} == {"attack 1b 0:g"}
    play(state, "attack 1b 0:g")
    assert state.outcome is not None and state.outcome.places == (2, 1)


def test_bt_25_a_king_strikes_any_formation_card_without_a_path_and_both_die() -> None:
    state = begin("0=10,2=9/0=K,2=3 guard=5", "0=2,2=A/0=Q,2=J/0=4,2=K guard=6")
    cells = ("1a", "1b", "2a", "2b", "3a", "3b")
    assert {text for text in legal(state) if "attack 2a" in text} == {f"attack 2a 1:{cell}" for cell in cells}
    assert "(BT-25)" in refusal(state, "attack 2a 1:g")
    for cell in cells:
        twin = play(state.copy(), f"attack 2a 1:{cell}")
        assert last(twin)["result"] == "strike" and "values" not in last(twin)
        assert side(twin, 0)["dead"] == ["K"] and side(twin, 1)["dead"] == [cards(state, 1)[cell]]
        assert (side(twin, 0)["kills"], side(twin, 1)["kills"]) == (1, 1)


def test_bt_25_a_king_never_attacks_a_guard_or_its_cell_full_or_empty() -> None:
    state = play(begin("0=K,2=3 guard=4", "0=4,2=K,4=2 guard=6"), "attack 1a 1:1c")
    for _ in range(2):
        assert "attack 1b 0:1b" in legal(state)
        assert "(BT-25)" in refusal(state, "attack 1b 0:g")
        if "g" in cards(state, 0):
            play(state, "attack 1a 0:g", "pass")
    assert cards(state, 0) == {"1b": "3"}


@pytest.mark.parametrize("attacker", ["A", "Q", "2"])
def test_bt_25_a_king_that_is_attacked_dies_with_the_attacker(attacker: str) -> None:
    state = play(begin(f"0={attacker} guard=5", "0=K guard=6", dice=(6,)), "attack 1a 1:1a")
    assert last(state)["result"] == "tie" and "values" not in last(state)
    assert side(state, 0)["dead"] == [attacker] and side(state, 1)["dead"] == ["K"]
    assert (side(state, 0)["kills"], side(state, 1)["kills"]) == (1, 1)


@pytest.mark.parametrize("target", ["2", "A", "K", "J", "Q"])
def test_bt_26_a_jack_looks_is_wounded_and_nobody_dies(target: str) -> None:
    state = play(begin("0=J,2=9 guard=5", f"0={target},2=3 guard=6", "0=2 guard=4"), "attack 1a 1:1a")
    told = last(state, 2)
    assert (told["attacker"], told["target"], told["result"]) == ("J", target, "look") and "values" not in told
    assert cards(state, 1, 2) == {"1a": f"{target}!", "1b": "?", "g": "?"}
    assert side(state, 0)["wounded"] == ["J"] and side(state, 0)["kills"] == side(state, 1)["kills"] == 0
    assert not side(state, 0)["dead"] and not side(state, 1)["dead"]


def test_bt_26_a_jack_goes_direct_or_skips_at_most_one() -> None:
    state = begin("0=J,2=9/0=3 guard=5", "0=2,2=3/0=9,2=8/0=7,2=6 guard=4")
    reached = {text.split(":")[1] for text in legal(state, "attack") if text.split()[1] == "1a"}
    assert reached == {"1a", "1b", "2a", "2b"}
    assert "BT-26" in refusal(state, "attack 1a 1:3a")
    behind = begin("0=4,2=9/0=J guard=5", "0=2,2=3/0=9,2=8/0=7,2=6 guard=4")
    reached = {text.split(":")[1] for text in legal(behind, "attack") if text.split()[1] == "2a"}
    assert reached == {"1a", "1b"}


def test_bt_26_a_jack_looks_at_a_guard_over_one_card_and_it_stays_shown() -> None:
    state = play(begin("0=J,2=9 guard=5", "0=2,2=3 guard=6"), "attack 1a 1:g")
    assert cards(state, 1, 0) == {"1a": "?", "1b": "?", "g": "6!"}
    play(state, "pass", "pass")
    assert cards(state, 1, 0)["g"] == "6!"


def test_bt_26_a_jack_does_not_look_into_an_empty_guard_cell() -> None:
    state = begin("0=J,2=4,4=10 guard=5", "0=2 guard=4")
    play(state, "attack 1c 1:1a", "pass", "attack 1b 1:g", "pass")
    assert cards(state, 1) == {} and not legal(state, "attack")
    assert "BT-24" in refusal(state, "attack 1a 1:g")


def test_bt_26_a_card_that_is_shown_is_looked_at_again() -> None:
    state = begin("0=J guard=5", "0=9 guard=6", "0=J guard=4")
    play(state, "attack 1a 1:1a", "pass", "attack 1a 1:1a")
    assert last(state)["result"] == "look" and cards(state, 1, 0)["1a"] == "9!"


@pytest.mark.parametrize(("attacker", "roll"), [("2", 1), ("A", 3), ("10", 6), ("3", 1)])
def test_bt_26_a_jack_that_is_attacked_dies_whatever_the_modifications(attacker: str, roll: int) -> None:
    state = begin(f"0={attacker} guard=5", "0=J guard=6", dice=(roll, 6))
    play(state, "modify", "modify", "attack 1a 1:1a")
    told = last(state)
    assert told["result"] == "wins" and "values" not in told
    assert side(state, 0)["wounded"] == [attacker] and side(state, 1)["dead"] == ["J"]
    assert (side(state, 0)["kills"], side(state, 1)["kills"]) == (1, 0)


def test_bt_26_a_king_that_strikes_a_jack_dies_with_it_and_a_jack_looks_at_a_jack() -> None:
    state = play(begin("0=K guard=5", "0=J guard=6"), "attack 1a 1:1a")
    assert side(state, 0)["dead"] == ["K"] and side(state, 1)["dead"] == ["J"]
    state = play(begin("0=J guard=5", "0=J guard=6"), "attack 1a 1:1a")
    assert last(state)["result"] == "look" and cards(state, 1, 0)["1a"] == "J!" and side(state, 0)["wounded"] == ["J"]


def test_bt_26_a_look_ends_when_the_card_is_wounded_and_taken_up_again() -> None:
    army = "0=9,2=10,4=8,6=7/0=A,2=K,4=Q,6=J/0=6,2=5,4=4,6=3 guard=2"
    state = begin("0=J,2=4 guard=5", army)
    play(state, "attack 1a 1:1a", "attack 1a 0:1b", "pass")
    assert side(state, 1, 0)["wounded"] == ["9"]
    play(state, "pickup", "move 2a 1a", "move 3a 2a", "reinforce 9 3a")
    assert cards(state, 1, 0)["3a"] == "?"
