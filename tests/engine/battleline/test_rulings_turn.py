"""The turn: claiming, playing, drawing, and closed flags (BL-1 to BL-5)."""

import pytest

from tests.engine.battleline.staging import begin, flag, hand, legal, play, refusal, stage, take_turn

WEDGES = "R10 1, R9 1, R8 1, B10 2, B9 2, B8 2, G10 3, G9 3, G8 3, Y10 5, Y9 5, Y8 5"


def test_bl_1_a_turn_is_claims_then_one_card_then_claims_then_a_draw() -> None:
    state = stage("R10 1, R9 1, R8 1, B10 2, B9 2", "-, -, -, -, -", holds=("B8", ""))
    assert legal(state, "claim") == ["claim 1"]
    play(state, "claim 1")
    assert (state.to_act, state.view(0)["decision"]) == (0, "play")
    assert not legal(state, "draw")
    assert "(BL-1)" in refusal(state, "draw troop")
    play(state, "play B8 2")
    assert (state.to_act, state.view(0)["decision"]) == (0, "finish")
    assert legal(state) == ["claim 2", "draw troop", "draw tactic"]
    assert "(BL-1)" in refusal(state, f"play {hand(state, 0)[0]} 4")
    assert "(BL-1)" in refusal(state, "pass")
    play(state, "claim 2", "draw troop")
    assert (state.to_act, state.view(0)["decision"]) == (1, "play")


def test_bl_1_claims_at_the_start_only_come_before_the_card() -> None:
    state = stage("R10 1, R9 1", "-, -", holds=("R8", ""), claims="start")
    play(state, "play R8 1")
    assert legal(state) == ["draw troop", "draw tactic"]
    assert refusal(state, "claim 1") == "flags can only be claimed at the start of the turn (BL-1)"
    play(state, "draw troop")
    take_turn(state, "-")
    assert legal(state, "claim") == ["claim 1"]


def test_bl_2_claiming_is_a_choice() -> None:
    state = stage("R10 1, R9 1, R8 1", "-, -, -")
    assert "claim 1" in legal(state)
    take_turn(state, "-")
    assert flag(state, 1)["owner"] is None
    take_turn(state, "-")
    assert "claim 1" in legal(state)


@pytest.mark.parametrize("order", [(1, 2, 5), (5, 2, 1), (2, 1, 5)])
def test_bl_2_several_flags_are_claimed_in_one_turn_in_any_order(order: tuple[int, ...]) -> None:
    state = stage(WEDGES, "")
    assert legal(state, "claim") == ["claim 1", "claim 2", "claim 3", "claim 5"]
    for number in order:
        play(state, f"claim {number}")
        assert flag(state, number)["owner"] == 0
    assert (state.to_act, state.view(0)["decision"]) == (0, "play")


def test_bl_2_victory_is_checked_after_each_claim() -> None:
    state = stage(WEDGES, "")
    play(state, "claim 1", "claim 3", "claim 2")
    assert state.outcome is not None and state.outcome.reason == "breakthrough"
    assert legal(state) == [] and flag(state, 5)["owner"] is None


def test_bl_3_a_troop_goes_to_any_open_flag_with_a_free_slot_of_three() -> None:
    assert len(legal(begin())) == 7 * 9
    state = stage("R1 4, R5 4", "-, -", holds=("R7 R9", ""))
    take_turn(state, "R7 4")
    take_turn(state, "B3 4" if "B3" in hand(state, 1) else "-")
    assert {text.split()[2] for text in legal(state, "play")} == set("12356789")
    assert refusal(state, "play R9 4") == "this seat's side of flag 4 has no free slot (BL-3)"


def test_bl_3_under_mud_there_is_a_fourth_slot() -> None:
    state = stage("R1 4, R5 4, R7 4", "-, -, mud 4", holds=("R9 R10", ""))
    take_turn(state, "R9 4")
    take_turn(state, "-")
    assert flag(state, 4)["cards"][0] == ["R1", "R5", "R7", "R9"]
    assert "(BL-3)" in refusal(state, "play R10 4")


def test_bl_4_exactly_one_card_is_drawn_from_the_deck_of_ones_choice() -> None:
    state = begin("R1", "", "G4 G5", "fog")
    play(state, "play R1 1")
    assert legal(state) == ["draw troop", "draw tactic"] and state.forced() is None
    assert "(BL-4)" in refusal(state, "done")
    other = state.copy()
    play(state, "draw troop")
    play(other, "draw tactic")
    assert hand(state, 0)[-1] == "G4" and hand(other, 0)[-1] == "fog"
    assert state.view(1)["hand_sizes"] == [7, 7] and state.to_act == 1


def test_bl_4_where_one_deck_has_cards_the_draw_is_automatic() -> None:
    state = play(begin("R1", without_tactics=True), "play R1 1")
    assert legal(state) == ["draw troop"]
    assert state.forced() == state.moves()[0]
    assert refusal(state, "draw tactic") == "the tactics deck is empty (BL-4)"


def test_bl_4_where_the_troops_are_drawn_the_tactics_are_left() -> None:
    state = begin()
    while state.view(0)["decks"]["troop"]:
        take_turn(state, "-")
    play(state, legal(state, "play")[0])
    assert refusal(state, "draw troop") == "the troop deck is empty (BL-4)"
    assert [text for text in legal(state) if not text.startswith("claim")] == ["draw tactic"]


def test_bl_4_a_hand_of_seven_draws_nothing() -> None:
    tactics = "scout redeploy deserter traitor fog mud shield"
    state = stage("", "", holds=(tactics, ""))
    play(state, "pass")
    assert [text for text in legal(state) if not text.startswith("claim")] == ["done"]
    assert "(BL-4" in refusal(state, "draw troop")
    play(state, "done")
    assert state.view(0)["hand_sizes"] == [7, 7] and state.to_act == 1


def test_bl_4_with_empty_decks_nothing_is_drawn_and_play_goes_on() -> None:
    state = begin(without_tactics=True)
    while state.view(0)["decks"]["troop"]:
        take_turn(state, "-")
    assert state.view(0)["hand_sizes"] == [7, 7]
    seat = state.to_act
    play(state, legal(state, "play")[0])
    assert [text for text in legal(state) if not text.startswith("claim")] == ["done"]
    play(state, "done")
    assert state.to_act == 1 - seat and legal(state, "play")
    assert state.view(0)["hand_sizes"][seat] == 6


def test_bl_5_nothing_happens_any_more_at_a_claimed_flag() -> None:
    state = stage(
        "R10 1, R9 1, R8 1, claim 1 + fog 2", "B1 1, B2 1, -, mud 3",
        holds=("redeploy deserter", "B3 leader-2 traitor"),
    )  # fmt: skip
    closed = "flag 1 is already claimed (BL-5)"
    assert not [text for text in legal(state) if " 1" in text.replace(" 10", "")]
    assert refusal(state, "claim 1") == "flag 1 is already claimed (BL-5)"
    for action in ("redeploy R10 1 4", "redeploy R10 1 discard", "deserter B1 1"):
        assert refusal(state, action) == closed
    take_turn(state, "-")
    for action in ("play B3 1", "play leader-2 1", "traitor R10 1 4"):
        assert refusal(state, action) == closed


def test_bl_5_no_fog_or_mud_falls_on_a_claimed_flag_and_no_card_is_moved_there() -> None:
    state = stage("R10 1, R9 1, R8 1, claim 1 + -, -", "B1 2, B2 2, -, B4 3, -", holds=("fog traitor", "mud redeploy"))
    assert "play fog 2" in legal(state) and "play fog 1" not in legal(state)
    assert refusal(state, "play fog 1") == "flag 1 is already claimed (BL-5)"
    take_turn(state, "-")
    assert refusal(state, "play mud 1") == "flag 1 is already claimed (BL-5)"
    assert "redeploy B1 2 3" in legal(state) and "(BL-" in refusal(state, "redeploy B1 2 1")
