"""What playing cards bring: four suits, doubled decks, twelve tactics, five flags; and what other editions change."""

import pytest

from engine.core import MalformedAction, State
from engine.games.battleline.legal import is_claim_provable
from tests.engine.battleline.staging import (
    at,
    begin,
    claimed,
    flag,
    hand,
    legal,
    play,
    refusal,
    stage,
    take_turn,
)
from tests.engine.battleline.tables import lay_out, rules_of, show


def test_bl_1_advanced_claims_come_only_before_the_card() -> None:
    state = stage("R10 1, R9 1", "-, -", holds=("R8", ""), edition="advanced")
    play(state, "play R8 1")
    assert not legal(state, "claim")
    assert refusal(state, "claim 1") == "flags can only be claimed at the start of the turn (BL-1)"
    play(take_turn(play(state, "draw troop"), "-"), "claim 1")
    assert flag(state, 1)["owner"] == 0 and legal(state, "play")


def test_bl_1_advanced_nothing_is_claimed_after_a_scout() -> None:
    state = stage("R10 1, R9 1, R8 1", "", holds=("R1 R2 scout", ""), edition="advanced")
    assert legal(state, "claim") == ["claim 1"]
    play(state, "scout", *["draw troop"] * 3, "return R1", "return R2")
    assert legal(state) == ["done"] and "(BL-1)" in refusal(state, "claim 1")


def test_bl_4_with_two_decks_a_hand_may_hold_two_equal_cards_and_each_action_is_listed_once() -> None:
    state = begin("S1 S1 S2 S2 S3 S4 S5", edition="long")
    assert hand(state, 0).count("S1") == 2
    assert len(legal(state)) == len(set(legal(state))) == 5 * 9


TWICE = [
    ("S5 S5 S6", "battalion", 16),
    ("S5 S5 H6", "host", 16),
    ("S5 S5 H5", "phalanx", 15),
    ("S5 S5 leader-1", "phalanx", 15),
    ("S8 S8 cavalry", "phalanx", 24),
    ("S8 S9 cavalry", "battalion", 25),
    ("S10 S9 cavalry", "wedge", 27),
    ("S3 S3 shield", "phalanx", 9),
]


@pytest.mark.parametrize(("side", "kind", "total"), TWICE, ids=[row[0] for row in TWICE])
def test_bl_11_the_same_card_twice_makes_no_step_of_a_run(side: str, kind: str, total: int) -> None:
    told = claimed(stage(at(1, side), at(1, "D1 C1 C3"), edition="long"))
    assert (told["formation"], told["sum"]) == (kind, total)


def against_8_and_9(*face_up: str) -> State:
    """Seat 0 has 5-6-7 of hearts against 8 and 9 of spades, and these cards at other flags."""
    elsewhere = [f"{card} {3 + number // 2}" for number, card in enumerate(face_up)]
    idle = ["-"] * (len(face_up) + 1)
    first, second = [at(1, "H5 H6 H7"), *elsewhere], [at(1, "S8 S9"), *idle]
    return stage(", ".join(first), ", ".join(second), edition="long")


def test_bl_11_a_second_9_makes_no_wedge_of_8_and_9() -> None:
    """The 7 and the 10 lie face up twice; of 8 and 9 a copy each is unseen."""
    assert "claim 1" in legal(against_8_and_9("S7", "S10", "S7", "S10"))


def test_bl_11_two_equal_cards_become_no_run() -> None:
    """With one card to come, 8-8 is a phalanx at best, below three nines."""
    state = stage(at(1, "H9 D9 C9"), at(1, "S8 S8") + ", -", edition="long")
    assert "claim 1" in legal(state)


def test_bl_16_the_second_copy_is_unseen_while_the_first_lies_open() -> None:
    state = against_8_and_9("S7", "S10", "S10")
    assert refusal(state, "claim 1") == "the other side of flag 1 could still win it with S7 (BL-16)"


def test_bl_16_the_second_copy_is_unseen_in_a_hand_too() -> None:
    state = stage(f"{at(1, 'H5 H6 H7')}, S7 3, S10 3, S10 4", at(1, "S8 S9"), holds=("S7", ""), edition="long")
    assert "S7" in hand(state, 0)
    assert refusal(state, "claim 1") == "the other side of flag 1 could still win it with S7 (BL-16)"


def test_bl_16_both_copies_of_a_troop_may_come_until_one_of_them_is_seen() -> None:
    """Three nines against a 10: two equal tens make a phalanx with it, a single one doesn't."""
    placed = [(0, 0, "H9"), (0, 0, "D9"), (0, 0, "C9"), (1, 0, "S10")]
    table = lay_out(placed, ["H10", "H10", "D2"], rules_of("long"))
    assert not is_claim_provable(table, 0, 0)
    table.place(show(table, 1, "H10"), 1, 1)
    assert is_claim_provable(table, 0, 0)


def test_bl_12_two_cavalry_and_two_shields_on_one_side() -> None:
    second = "fog 5, D1 1, C1 1, C3 1"
    told = claimed(stage("cavalry 1, S8 1, cavalry 1, -", second, edition="short"))
    assert (told["formation"], told["sum"], told["as"]) == ("phalanx", 24, ["S8", "S8", "S8"])
    told = claimed(stage("shield 1, S3 1, shield 1, -", second, edition="long"))
    assert (told["formation"], told["sum"], told["as"]) == ("wedge", 6, ["S2", "S3", "S1"])
    told = claimed(stage("shield 1, S4 1, shield 1, -", second, edition="long"))
    assert (told["formation"], told["sum"], told["as"]) == ("wedge", 9, ["S3", "S4", "S2"])


def test_bl_31_playing_cards_know_no_limit_of_leaders() -> None:
    state = stage("leader-1 1, leader-2 1, S8 1", "fog 9, -, -", edition="long")
    assert flag(state, 1)["cards"][0] == ["leader-1", "leader-2", "S8"]
    told = claimed(state)
    assert (told["formation"], told["sum"], told["as"]) == ("wedge", 27, ["S10", "S9", "S8"])


@pytest.mark.parametrize(("flags", "others"), [((1, 2, 3), (4, 5)), ((1, 3, 5), (4, 2))])
def test_bl_21_short_any_three_of_five_flags_win_and_nothing_is_a_breakthrough(
    flags: tuple[int, ...], others: tuple[int, int]
) -> None:
    wedges = "S10 {0}, S9 {0}, S8 {0}, H10 {1}, H9 {1}, H8 {1}, D10 {2}, D9 {2}, D8 {2}".format(*flags)
    state = stage(wedges, f"{at(others[0], 'C1 C2 C4')}, {at(others[1], 'S1 S2 S4')}", edition="short")
    play(state, f"claim {flags[0]}", f"claim {flags[1]}")
    assert state.outcome is None
    play(state, f"claim {flags[2]}")
    assert state.outcome is not None
    assert (state.outcome.reason, state.outcome.scores) == ("envelopment", (5, 0))


def test_short_has_flags_one_to_five_only() -> None:
    state = begin(edition="short")
    assert {text.split()[2] for text in legal(state, "play")} <= set("12345")
    for action in ("claim 6", "play S1 6"):
        with pytest.raises(MalformedAction, match="no flag '6'; flags are 1 to 5"):
            state.parse(action)


def test_bl_37_of_two_equal_cards_the_earlier_placed_is_lifted() -> None:
    """What is left at the flag decides who placed last (BL-15)."""
    state = stage("S5 1, -, S5 1", "D1 1, D2 1, -", holds=("", "deserter"), edition="long")
    assert flag(state, 1)["last"] == 0
    take_turn(state, "-")
    assert legal(state, "deserter").count("deserter S5 1") == 1
    play(state, "deserter S5 1")
    assert flag(state, 1)["cards"] == [["S5"], ["D1", "D2"]] and flag(state, 1)["last"] == 0


def test_bl_36_of_two_equal_cards_the_earlier_placed_is_moved() -> None:
    state = stage("S5 1, H2 1, S5 1", "-, -, -", holds=("redeploy", ""), edition="long")
    play(state, "redeploy S5 1 2")
    assert (flag(state, 1)["cards"][0], flag(state, 2)["cards"][0]) == (["H2", "S5"], ["S5"])


def test_bl_38_of_two_equal_cards_the_earlier_placed_comes_over() -> None:
    state = stage("-, -, -", "S5 1, H2 1, S5 1", holds=("traitor", ""), edition="long")
    play(state, "traitor S5 1 1")
    assert flag(state, 1)["cards"] == [["S5"], ["H2", "S5"]]


def test_bl_23_medieval_a_playable_tactic_forbids_passing() -> None:
    tactics = "redeploy deserter traitor leader-1 cavalry shield fog"
    state = stage("", "", holds=(tactics, ""), edition="medieval")
    assert "pass" not in legal(state)
    assert refusal(state, "pass") == "a card can still be played, so passing isn't allowed (BL-23)"
    assert "pass" in legal(stage("", "", holds=(tactics, ""), edition="advanced")), "BL-22"
