"""Formations, wild cards, Fog, Mud and ties, seen through claims (BL-10 to BL-15)."""

import pytest

from tests.engine.battleline.staging import at, claimants, claimed, flag, play, refusal, stage, take_turn

HIGHER_FIRST = [
    ("R1 R2 R3", "B10 G10 Y10", "a wedge is above a phalanx"),
    ("R1 G1 B1", "Y10 Y9 Y7", "a phalanx is above a battalion"),
    ("R1 R2 R4", "B10 G9 Y8", "a battalion is above a skirmish"),
    ("R1 B2 G3", "Y10 O10 B9", "a skirmish is above a host"),
    ("R10 R9 R8", "B9 B8 B7", "of two wedges the higher sum wins"),
    ("R5 G5 B5", "Y4 G4 O4", "of two phalanxes the higher sum wins"),
    ("R10 R9 R2", "B10 B7 B3", "of two battalions the higher sum wins"),
    ("R10 B9 R8", "B6 B7 G8", "of two skirmishes the higher sum wins"),
    ("R10 B10 R2", "B9 B8 G4", "of two hosts the higher sum wins"),
    ("B2 G2 Y2", "R9 R10 R1", "9-10-1 in one colour is no wedge"),
    ("Y2 O3 B4", "R10 B1 G2", "10-1-2 is no skirmish"),
    ("R9 R7 R8", "B10 B9 B7", "the order of placing makes no difference to the kind"),
]


@pytest.mark.parametrize(("higher", "lower", "why"), HIGHER_FIRST, ids=[row[2] for row in HIGHER_FIRST])
def test_bl_10_kinds_then_sums_decide(higher: str, lower: str, why: str) -> None:
    assert claimants(stage(at(1, higher), at(1, lower))) == [0]
    assert claimants(stage(at(1, lower), at(1, higher))) == [1]


WILD_SIDES = [
    ("B8 leader-1 B6", "wedge", 21, "B8 B7 B6"),
    ("B8 leader-1 B7", "wedge", 24, "B8 B9 B7"),
    ("B8 leader-1 B9", "wedge", 27, "B8 B10 B9"),
    ("B8 leader-1 B10", "wedge", 27, "B8 B9 B10"),
    ("B8 leader-1 G8", "phalanx", 24, "B8 R8 G8"),
    ("B8 leader-1 B2", "battalion", 20, "B8 B10 B2"),
    ("B8 leader-1 G6", "skirmish", 21, "B8 R7 G6"),
    ("B8 leader-1 G1", "host", 19, "B8 R10 G1"),
    ("G7 cavalry G9", "wedge", 24, "G7 G8 G9"),
    ("G8 cavalry R8", "phalanx", 24, "G8 R8 R8"),
    ("G10 cavalry G4", "battalion", 22, "G10 G8 G4"),
    ("G6 cavalry R7", "skirmish", 21, "G6 R8 R7"),
    ("G9 cavalry R9", "host", 26, "G9 R8 R9"),
    ("B4 shield B5", "wedge", 12, "B4 B3 B5"),
    ("B2 shield B3", "wedge", 6, "B2 B1 B3"),
    ("B2 shield G2", "phalanx", 6, "B2 R2 G2"),
    ("B5 shield B6", "battalion", 14, "B5 B3 B6"),
    ("B1 shield G2", "skirmish", 6, "B1 R3 G2"),
    ("B9 shield G9", "host", 21, "B9 R3 G9"),
]


@pytest.mark.parametrize(("side", "kind", "total", "stands"), WILD_SIDES, ids=[row[0] for row in WILD_SIDES])
def test_bl_12_wild_cards_take_the_values_of_the_best_formation(side: str, kind: str, total: int, stands: str) -> None:
    state = stage(at(1, side), at(1, "Y1 O1 O3"))
    told = claimed(state)
    assert (told["formation"], told["sum"], told["as"]) == (kind, total, stands.split())


def test_bl_12_a_wild_may_stand_for_a_card_that_lies_on_the_table() -> None:
    state = stage("B8 1, leader-1 1, B10 1, B9 2", at(1, "Y1 O1 O3"))
    assert claimed(state)["as"] == ["B8", "B9", "B10"]


def test_bl_12_the_choice_is_made_anew_at_each_evaluation() -> None:
    """A leader between 8 and 6 is a 7; once a Deserter has taken the 6 and a 10 has come, it is a 9."""
    state = stage("B8 1, leader-1 1, B6 1, -, B10 1", "Y1 1, O1 1, O3 1, deserter B6 1, -")
    assert claimed(state)["as"] == ["B8", "B9", "B10"]


def test_bl_13_under_fog_only_the_sum_counts() -> None:
    assert claimants(stage(at(1, "R1 R2 R3"), at(1, "B3 G2 Y4") + ", -")) == [0]
    foggy = stage(at(1, "R1 R2 R3"), at(1, "B3 G2 Y4") + ", fog 1")
    assert flag(foggy, 1)["fog"] and claimants(foggy) == [1]


@pytest.mark.parametrize(
    ("side", "total", "stands"),
    [("leader-1 B4 B5", 19, "R10 B4 B5"), ("cavalry B9 B10", 27, "R8 B9 B10"), ("shield B1 B2", 6, "R3 B1 B2")],
)
def test_bl_13_under_fog_wilds_count_their_best_value(side: str, total: int, stands: str) -> None:
    state = stage(at(1, side), at(1, "Y1 O1 O2") + ", fog 1")
    told = claimed(state)
    assert (told["formation"], told["sum"]) == ("host", total)
    assert [card[1:] for card in told["as"]] == [card[1:] for card in stands.split()]


def test_bl_14_mud_asks_four_cards_and_opens_a_side_that_was_complete() -> None:
    state = stage("R10 1, R9 1, R8 1, -", "-, -, -, mud 1", holds=("R7", ""))
    assert flag(state, 1)["needs"] == [4, 4]
    assert refusal(state, "claim 1") == "this seat's side of flag 1 has fewer than 4 cards (BL-16)"
    told = claimed(play(state, "play R7 1"))
    assert (told["formation"], told["sum"], told["as"]) == ("wedge", 34, ["R10", "R9", "R8", "R7"])


def test_bl_14_formations_under_mud_are_of_four() -> None:
    """Three of a run and a stranger are no skirmish."""
    state = stage("-, R10 1, G9 1, R8 1, B1 1", "mud 1, Y2 1, B3 1, O4 1, Y5 1")
    assert claimants(state) == [1]


def test_bl_14_fog_and_mud_may_lie_on_one_flag_and_four_cards_are_summed() -> None:
    state = stage("fog 1, R1 1, R2 1, R3 1, R4 1", "mud 1, B1 1, G3 1, B3 1, G4 1")
    assert (flag(state, 1)["fog"], flag(state, 1)["needs"]) == (True, [4, 4])
    assert claimants(state) == [1]
    assert claimed(take_turn(state, "-"))["sum"] == 11


def test_bl_15_a_tie_is_lost_by_the_side_that_placed_last() -> None:
    """Equal hosts of 18; first seat 1 places last, then seat 0."""
    assert claimants(stage("R9 1, G7 1, B2 1", "O9 1, Y7 1, O2 1")) == [0]
    state = stage("-, R9 1, G7 1, -, B2 1", "O9 1, Y7 1, O2 1, -, -")
    assert claimants(state) == [1]
    assert refusal(state, "claim 1") == "flag 1 is tied, and this seat's side was completed later (BL-15)"


def test_bl_15_a_formation_broken_up_later_was_not_first() -> None:
    """Seat 0 is complete first, loses its 2 to a Deserter, and completes again with another 2."""
    state = stage("R9 1, G7 1, B2 1, -", "O9 1, Y7 1, O2 1, deserter B2 1", holds=("G2", ""))
    assert flag(state, 1)["last"] == 1
    take_turn(state, "G2 1")
    take_turn(state, "-")
    assert claimants(state) == [1]


def test_bl_15_fog_is_no_card_of_a_formation() -> None:
    state = stage("-, R9 1, G7 1, -, B2 1", "O9 1, Y7 1, O2 1, -, fog 1")
    assert flag(state, 1)["last"] == 0 and claimants(state) == [1]


def test_bl_15_a_card_that_comes_by_traitor_is_placed() -> None:
    state = stage("-, R9 1, G7 1, O2 3, B2 1", "O9 1, Y7 1, -, -, traitor O2 3 1")
    assert flag(state, 1)["cards"] == [["R9", "G7", "B2"], ["O9", "Y7", "O2"]]
    assert flag(state, 1)["last"] == 1 and claimants(state) == [0]


def test_bl_15_a_card_that_comes_by_redeploy_is_placed() -> None:
    state = stage("-, R9 1, G7 1, -, B2 1", "O9 1, Y7 1, O2 3, -, redeploy O2 3 1")
    assert flag(state, 1)["last"] == 1 and claimants(state) == [0]


def test_bl_15_where_one_side_alone_has_cards_it_placed_last() -> None:
    state = stage("R9 1, R7 1", "B3 2, -")
    assert [flag(state, number)["last"] for number in (1, 2, 3)] == [0, 1, None]


def test_bl_15_what_left_the_flag_no_longer_counts() -> None:
    """The latest of the cards still lying there decides, also when a later one has been redeployed away."""
    state = stage("R9 1, G7 1, -", "O9 1, -, O2 1")
    assert flag(state, 1)["last"] == 1
    state = stage("R9 1, -, G7 1, redeploy G7 1 3", "-, O9 1, -, -")
    assert flag(state, 1)["last"] == 1
    state = stage("R9 1, redeploy R9 1 3", "-, -")
    assert flag(state, 1)["last"] is None
