"""The sentence of each refusal, with its place and its rulings."""

import pytest

from engine.core import State
from tests.engine.battalion.staging import begin, play, refusal, undeployed

FOUR_CELLS = "0=10,2=9/0=7,2=8 guard=5"
WEAK = "0=2,2=3,4=4/0=6,2=7 guard=8"
ARMY = "0=10,2=9,4=8,6=7/0=A,2=K,4=Q,6=J/0=6,2=5,4=4,6=3 guard=2"
"""Every card is laid out."""
SIX_CELLS = "0=10,2=9,4=8/0=7,2=6,4=4 guard=5"


def first_turn() -> State:
    return begin(FOUR_CELLS, WEAK, "0=Q guard=6", dice=(6,))


def front_cell_empty() -> State:
    """Seat 0's 10 at 1a is wounded, and so is nothing else; its 2 at 1:1a is dead."""
    return play(first_turn(), "attack 1a 1:1a", "pass", "pass")


AT_FIRST = [
    ("deploy 0=A guard=5", "formations are deployed once, before the first turn (BT-2)"),
    ("pickup", "the wounded can only be picked up while the hand is empty (BT-14)"),
    ("move g 1a", "the guard stays in its cell while its seat has any other card (BT-17)"),
    ("move 3a 1a", "this seat's formation has no cell 3a (BT-12)"),
    ("move 1a 3a", "this seat's formation has no cell 3a (BT-12)"),
    ("move 1a 2a", "this seat's cell 2a isn't empty (BT-12)"),
    ("move 2a g", "this seat's cell g isn't empty (BT-12)"),
    ("reinforce 10 2a", "10 isn't in the hand (BT-13)"),
    ("reinforce A 2a", "the back row has no empty cell (BT-13)"),
    ("reinforce A g", "the back row has no empty cell (BT-13)"),
    ("attack 1a 0:1b", "a seat can't attack its own cards (BT-20)"),
    ("attack 1a 3:1a", "no seat 3; seats are 0 to 2 (BT-1)"),
    ("attack 3a 1:1a", "this seat's formation has no cell 3a (BT-20)"),
    ("attack 1a 2:2a", "seat 2's formation has no cell 2a (BT-20)"),
    ("attack 1a 1:2a", "no direct path from 1a to 1:2a: cells in between are occupied (BT-11, BT-20)"),
    ("attack 2a 1:1a", "no direct path from 2a to 1:1a: cells in between are occupied (BT-11, BT-20)"),
]
WITH_A_CELL_EMPTY = [
    ("move 1a 2a", "this seat's cell 1a is empty (BT-12)"),
    ("attack 1a 1:1b", "this seat's cell 1a is empty (BT-20)"),
    ("attack 1b 1:1a", "cell 1:1a is empty (BT-20)"),
    ("reinforce A 1a", "the back row has no empty cell (BT-13)"),
]
AFTER_A_MOVE = [
    ("pickup", "the wounded can only be picked up at the start of a turn, before any move (BT-14)"),
    ("move 1a 2a", "the card in 1a has already moved this turn (BT-12)"),
    ("reinforce A 1b", "this seat's cell 1b isn't empty (BT-13)"),
    ("reinforce A 3a", "this seat's formation has no cell 3a (BT-13)"),
    ("reinforce 4 g", "this seat's cell g isn't empty (BT-13)"),
    ("reform 0=9,2=7/0=8", "reforming takes a whole turn, and cards have already moved in this one (BT-10)"),
]


@pytest.mark.parametrize(("action", "sentence"), AT_FIRST)
def test_in_the_first_turn_a_refusal_says_why(action: str, sentence: str) -> None:
    assert refusal(first_turn(), action) == sentence


@pytest.mark.parametrize(("action", "sentence"), WITH_A_CELL_EMPTY)
def test_with_an_empty_cell_a_refusal_says_why(action: str, sentence: str) -> None:
    assert refusal(front_cell_empty(), action) == sentence


@pytest.mark.parametrize(("action", "sentence"), AFTER_A_MOVE)
def test_after_a_move_a_refusal_says_why(action: str, sentence: str) -> None:
    assert refusal(play(front_cell_empty(), "move 2a 1a"), action) == sentence


def test_a_seat_that_is_barred_or_out_is_named() -> None:
    state = play(begin(FOUR_CELLS, WEAK, "0=Q guard=6", "0=2 guard=3"), "attack 1a 2:1a")
    assert (
        refusal(state, "attack 1a 2:g") == "seat 2 was attacked last turn, and can't be attacked twice in a row (BT-16)"
    )
    state.forfeit(1, "timeout")
    play(state, "pass")
    assert refusal(state, "attack 1a 1:1a") == "seat 1 is out (BT-40)"


@pytest.mark.parametrize(("roll", "change"), [(6, "+3"), (3, "+0"), (1, "-2")])
def test_the_modification_in_force_is_named(roll: int, change: str) -> None:
    state = play(begin(FOUR_CELLS, WEAK, dice=(roll,)), "modify", "pass")
    assert refusal(state, "modify") == (
        f"a modification of {change} still applies; the die can't be rolled again until it ends (BT-30)"
    )


def test_king_queen_and_jack_have_sentences_of_their_own() -> None:
    state = begin("0=K,2=Q,4=J,6=10 guard=5", "0=2/0=3/0=4 guard=6")
    assert refusal(state, "attack 1a 1:g") == "a King can't strike a guard or a guard cell (BT-25)"
    for cell in ("1b", "1c"):
        assert refusal(state, f"attack {cell} 1:3a") == (
            f"every path from {cell} to 1:3a passes more than one occupied cell (BT-22, BT-26)"
        )
    state = begin("0=J,2=4,4=10 guard=5", "0=2 guard=4")
    play(state, "attack 1c 1:1a", "pass", "attack 1b 1:g", "pass")
    assert refusal(state, "attack 1a 1:g") == "the guard cell 1:g is empty, so a Jack has nothing to look at (BT-24)"


def test_picking_up_and_reforming_need_cards() -> None:
    state = begin(ARMY, WEAK)
    assert refusal(state, "pickup") == "no wounded cards to pick up (BT-14)"
    play(state, "attack 1a 1:1a", "pass", "pickup")
    assert refusal(state, "pickup") == "the wounded can only be picked up while the hand is empty (BT-14)"
    assert refusal(state, "reform 0=9") == ("a seat that picked up its wounded can't reform in the same turn (BT-14)")
    state = play(begin("0=K guard=5", WEAK), "attack 1a 1:1a", "pass")
    assert refusal(state, "reform 0=K") == "the formation has no cards to reform (BT-35)"


def test_a_missing_path_is_named_by_its_ends() -> None:
    state = play(begin(SIX_CELLS, WEAK), "attack 1c 1:1a", "pass")
    assert refusal(state, "move 2a 1c") == (
        "no direct path from 2a to 1c through empty cells of this seat's formation (BT-11, BT-12)"
    )
    play(state, "attack 1a 1:1b", "pass", "move 2a 1a")
    assert refusal(state, "reinforce A 1c") == ("no direct path from an empty back-row cell to 1c (BT-11, BT-13)")


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        ("0=A,2=K/0=10,2=A guard=7", "A is both in cell 1a and in cell 2b"),
        ("0=A/0=K/0=Q,2=K guard=7", "K is both in cell 2a and in cell 3b"),
        ("0=A,2=K/0=9,2=7 guard=7", "7 is both in cell 2b and in the guard cell"),
        ("0=A,2=K,4=Q,6=J,8=10/0=10 guard=7", "10 is both in row 1 and in cell 2a"),
        ("0=A/0=K,2=Q,4=J,6=10,8=9 guard=9", "9 is both in row 2 and in the guard cell"),
    ],
)
def test_a_card_deployed_twice_is_named_with_both_places(rows: str, places: str) -> None:
    assert refusal(undeployed(2), f"deploy {rows}") == f"{places}, but a seat has only one of each card (BT-1)"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("0=10,2=9/0=7,2=9", "9 is both in cell 1b and in cell 2b, but there's only one (BT-1, BT-35)"),
        ("0=10,2=9/0=8,2=7 hand=7", "7 is both in cell 2b and in the hand, but there's only one (BT-1, BT-35)"),
        ("0=10,2=9/0=7,2=A", "A in cell 2b isn't one of the formation's cards (BT-35)"),
        ("0=10/0=7,2=9 hand=A", "A in the hand isn't one of the formation's cards (BT-35)"),
        ("0=10,2=9,4=7/0=8", "7 at cell 1c would be farther from the back row than before (BT-35)"),
    ],
)
def test_a_card_laid_out_anew_wrongly_is_named_with_its_place(words: str, sentence: str) -> None:
    assert refusal(first_turn(), f"reform {words}") == sentence


@pytest.mark.parametrize(
    ("words", "card", "cell"),
    [("0=10,2=9/0=7", "8", "2b"), ("0=10/0=7 hand=8", "9", "1b"), ("0=9/0=7,2=8", "10", "1a")],
)
def test_a_card_left_out_of_a_reforming_is_named_with_its_cell(words: str, card: str, cell: str) -> None:
    assert refusal(first_turn(), f"reform {words}") == (
        f"{card} from cell {cell} is missing; lay out all cards of the formation, except at most one taken into the "
        "hand (BT-35)"
    )
