"""Who may be attacked, and a guard that is all that is left (BT-16, BT-17)."""

from collections import Counter
from random import Random

import pytest

from engine.core import State
from tests.engine.battalion.staging import begin, cards, last, legal, play, refusal, side

THREE = ("0=10,2=K,4=J guard=5", "0=2,2=3,4=9 guard=7", "0=2,2=4,4=8 guard=6")


def targets(state: State) -> set[int]:
    return {int(text.split()[2].split(":")[0]) for text in legal(state, "attack")}


@pytest.mark.parametrize("attack", ["attack 1a 2:1a", "attack 1b 2:1c", "attack 1c 2:1a"])
def test_bt_16_whom_the_player_before_attacked_may_not_be_attacked(attack: str) -> None:
    """By an ordinary card, a King's strike or a Jack's look."""
    state = play(begin(*THREE), attack)
    assert state.view(0)["last_attacked"] == 2 and targets(state) == {0}
    assert "(BT-16)" in refusal(state, "attack 1c 2:1b")
    play(state, "pass")
    assert state.view(0)["last_attacked"] is None and targets(state) == {0, 1}


def test_bt_16_only_the_last_turn_counts_and_who_was_attacked_strikes_whom_it_likes() -> None:
    state = play(begin(*THREE), "attack 1a 1:1a")
    assert targets(state) == {0, 2}
    play(state, "attack 1c 2:1a")
    assert targets(state) == {0, 1}
    play(state, "attack 1c 1:1b")
    assert state.view(2)["last_attacked"] == 1 and targets(state) == {2}


@pytest.mark.parametrize("turn", ["pass", "modify", "reinforce A 1a", "reform 0=3,2=9"])
def test_bt_16_a_turn_without_an_attack_bars_nobody(turn: str) -> None:
    state = play(begin(*THREE), "attack 1a 1:1a", turn)
    assert state.view(2)["last_attacked"] is None and targets(state) == {0, 1}


def test_bt_16_a_forfeit_is_no_turn() -> None:
    state = play(begin(*THREE, "0=2,2=6 guard=3"), "attack 1a 3:1a")
    state.forfeit(1, "timeout")
    assert (state.to_act, state.view(0)["last_attacked"]) == (2, 3)
    assert targets(state) == {0}


def test_bt_16_who_was_attacked_is_told_even_when_out_and_with_two_left_nobody_is_barred() -> None:
    state = play(begin("0=A,2=K guard=5", "0=2 guard=7", "0=3,2=4 guard=6"), "attack 1b 1:1a", "pass", "pass")
    play(state, "attack 1a 1:g")
    assert (state.to_act, state.view(2)["last_attacked"]) == (2, 1)
    assert targets(state) == {0}
    play(state, "attack 1a 0:g")
    assert state.to_act == 0 and state.view(0)["last_attacked"] == 0


def alone(seed: int) -> State:
    """Seat 0 is asked and has its guard alone, everybody having worked at it."""
    rng = Random(seed)
    guard = rng.choice("6789")
    deck = [card for card in "A K Q J 10 9 8 7 6 5 4 3 2".split() if card != guard]
    rng.shuffle(deck)
    rows = "/".join(",".join(f"{2 * x}={deck.pop()}" for x in range(4)) for _ in range(3))
    state = begin(
        f"{rows} guard={guard}",
        "0=A,2=K,4=Q/0=10,2=9/0=8,2=J guard=4",
        "0=10,2=K,4=9/0=A,2=Q guard=7",
        dice=[rng.randint(1, 6) for _ in range(200)],
        quiet_rounds=500,
        round_limit=500,
    )
    while not (state.to_act == 0 and is_alone(state)):
        assert not any(side(state, seat)["out"] for seat in range(3)) and state.ply < 400
        play(state, worst_for_seat_0(state, rng))
    return state


def is_alone(state: State) -> bool:
    mine = side(state, 0)
    return cards(state, 0).keys() == {"g"} and not mine["hand"] and not mine["wounded"]


def worst_for_seat_0(state: State, rng: Random) -> str:
    """What loses seat 0 the most cards at once, emperors spared."""

    def loss(action: str) -> float:
        twin = play(state.copy(), action)
        spared = not any(side(twin, seat)["out"] for seat in range(3)) and "g" in cards(twin, 0)
        dead = len(side(twin, 0)["dead"]) - len(side(state, 0)["dead"])
        busy = action.split()[0] in ("reinforce", "pickup", "move")
        return (dead + busy / 2 if spared else -1.0) + rng.random() / 4

    unwanted = ("reform", "move") if len(state.view(0)["moved"]) >= 2 else ("reform",)
    wanted = [action for action in sorted(legal(state)) if action.split()[0] not in unwanted]
    return max((action for action in wanted if not meets_king(state, action)), key=loss)


def meets_king(state: State, action: str) -> bool:
    """Kings are kept for the end, but for seat 0's own."""
    verb, *words = action.split()
    if verb != "attack" or state.to_act is None:
        return False
    rival, cell = words[1].split(":")
    mine, theirs = cards(state, state.to_act)[words[0]], cards(state, int(rival)).get(cell, "")
    return mine.startswith("K") if state.to_act else theirs.startswith("K") and not mine.startswith("K")


@pytest.fixture(scope="module")
def lonely() -> list[State]:
    """Positions in which seat 0 has its guard alone."""
    return [alone(seed) for seed in range(4)]


def test_bt_17_a_guard_that_is_all_that_is_left_may_move_and_attack(lonely: list[State]) -> None:
    for state in lonely:
        rows = side(state, 0)["rows"]
        cells = {cell["cell"] for row in rows for cell in row}
        assert {f"move g {cell}" for cell in cells} == legal(state, "move")
        goal = sorted(cells)[0]
        twin = play(state.copy(), f"move g {goal}")
        assert cards(twin, 0).keys() == {goal}
        assert not legal(twin, "move"), "it has moved"
        play(twin, "pass")


def test_bt_17_and_23_a_guard_that_attacks_from_its_cell_is_treated_as_one_that_is_attacked(
    lonely: list[State],
) -> None:
    seen: Counter[str] = Counter()
    for state in lonely:
        for action in sorted(legal(state, "attack")):
            assert action.split()[1] == "g"
            twin = play(state.copy(), action)
            told = last(twin)
            card, target = told["attacker"], told["target"]
            seen[f"{told['result']} {target if target in ('K', 'J') else ''}".strip()] += 1
            if told["result"] in ("wins", "emperor"):
                assert cards(twin, 0) == {"g": f"{card}!"} and side(twin, 0)["wounded"] == []
            elif told["result"] == "tie":
                assert cards(twin, 0) == {} and not side(twin, 0)["out"] and card in side(twin, 0)["dead"]
            else:
                assert told["result"] == "loses" and side(twin, 0)["out"]
                rival = int(action.split()[2].split(":")[0])
                assert side(twin, rival)["kills"] == side(state, rival)["kills"] + 1
    assert seen.keys() == {"wins", "loses", "tie", "emperor", "tie K", "wins J"}


def lone_guard(mine: str, theirs: str) -> State:
    """Seat 0 has this guard alone, seat 1 that one behind an empty cell: the other cards are taken away by hand."""
    state = begin(f"0=A guard={mine}", f"0=2 guard={theirs}", "0=3 guard=4")
    state.sides[0].hand = 0  # type: ignore[attr-defined]
    for seat in (0, 1):
        state.sides[seat].take(0)  # type: ignore[attr-defined]
    assert is_alone(state)
    return state


def test_bt_23_two_equal_guards_die_together_and_both_emperors_live() -> None:
    state = play(lone_guard("7", "7"), "attack g 1:g")
    assert (last(state)["values"], last(state)["result"]) == ([7, 7], "tie")
    for seat in (0, 1):
        seen = side(state, seat)
        assert cards(state, seat) == {} and not seen["out"]
        assert (seen["dead"], seen["wounded"], seen["kills"]) == (["7"], [], 1)


@pytest.mark.parametrize(("mine", "winner"), [("8", 0), ("6", 1)])
def test_bt_23_the_higher_of_two_guards_stays_and_the_emperor_of_the_other_is_dead(mine: str, winner: int) -> None:
    state = play(lone_guard(mine, "7"), "attack g 1:g")
    assert cards(state, winner) == {"g": f"{mine if winner == 0 else 7}!"} and side(state, winner)["wounded"] == []
    assert side(state, 1 - winner)["out"] and not side(state, winner)["out"]


def test_bt_17_a_guard_with_another_card_anywhere_stays() -> None:
    state = play(begin("0=K guard=5", "0=A guard=7"), "attack 1a 1:1a", "pass")
    assert "g" in cards(state, 0) and len(cards(state, 0)) == 1
    assert not legal(state, "move") and not legal(state, "attack")
    assert "(BT-17)" in refusal(state, "attack g 1:g") and "(BT-1" in refusal(state, "move g 1a")
