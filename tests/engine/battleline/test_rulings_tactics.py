"""The ten tactics but Scout (BL-30 to BL-34, BL-36 to BL-39)."""

from engine.core import State
from tests.engine.battleline.staging import TACTICS, begin, flag, legal, play, refusal, stage, take_turn

NO_MORE = "a seat that has played more tactics than the other can't play another (BL-30)"


def tactics_offered(state: State) -> set[str]:
    """Tactics in the hand of the seat that is asked with which something can be done."""
    offered = {text.split()[1] if text.startswith("play") else text.split()[0] for text in legal(state)}
    return offered & set(TACTICS)


def test_bl_30_never_more_than_one_tactic_ahead() -> None:
    state = stage("fog 1", "-", holds=("mud scout", "shield"))
    assert tactics_offered(state) & {"mud", "scout"} == set()
    assert refusal(state, "play mud 2") == NO_MORE
    assert refusal(state, "scout") == NO_MORE
    take_turn(state, "-")
    assert "play shield 3" in legal(state)
    take_turn(state, "shield 3")
    assert tactics_offered(state) >= {"mud", "scout"}


def test_bl_30_guile_counts_like_any_tactic() -> None:
    state = stage("R1 1, redeploy R1 1 2", "-, -", holds=("mud", ""))
    assert state.view(1)["tactics_played"] == [["redeploy"], []]
    assert refusal(state, "play mud 2") == NO_MORE


def test_bl_30_a_tactic_is_played_instead_of_a_troop() -> None:
    state = stage("", "", holds=("fog", ""))
    play(state, "play fog 1")
    assert state.view(0)["decision"] == "finish" and not legal(state, "play")


def test_bl_31_one_leader_a_game_whatever_became_of_the_first() -> None:
    state = stage("leader-1 1, -", "fog 2, deserter leader-1 1", holds=("leader-2 scout", ""))
    assert state.view(0)["leader_played"] == [True, False]
    assert not [text for text in legal(state) if "leader-2" in text]
    assert refusal(state, "play leader-2 1") == "this seat has already played its leader (BL-31)"
    assert "scout" in legal(state)


def test_bl_31_each_seat_has_a_leader_of_its_own() -> None:
    state = stage("leader-1 1", "-", holds=("", "leader-2"))
    take_turn(state, "-")
    assert "play leader-2 1" in legal(state)


def test_bl_31_without_the_limit_both_leaders_may_be_played() -> None:
    state = stage("leader-1 1", "fog 2", holds=("leader-2", ""), leader_limit=False)
    assert "play leader-2 1" in legal(state)
    take_turn(state, "leader-2 1")
    assert flag(state, 1)["cards"][0] == ["leader-1", "leader-2"]


def test_bl_32_morale_cards_lie_in_slots_like_troops() -> None:
    state = stage("R1 1, cavalry 1, R2 1, -", "-, shield 2, -, -", holds=("leader-1", ""))
    assert flag(state, 1)["cards"][0] == ["R1", "cavalry", "R2"]
    assert refusal(state, "play leader-1 1") == "this seat's side of flag 1 has no free slot (BL-3)"
    assert {text.split()[2] for text in legal(state) if "leader-1" in text} >= {"2", "3", "4"}


def test_bl_33_fog_and_mud_fall_on_any_open_flag_for_both_sides_full_ones_too() -> None:
    state = stage("R1 1, R3 1, R5 1", "B1 1, B3 1, B5 1", holds=("fog", "mud"))
    assert {text.split()[2] for text in legal(state) if "fog" in text} == set("123456789")
    take_turn(state, "fog 1")
    assert "play mud 1" in legal(state)
    take_turn(state, "mud 1")
    assert (flag(state, 1)["fog"], flag(state, 1)["mud"], flag(state, 1)["needs"]) == (True, True, [4, 4])


def test_bl_33_at_most_one_fog_and_one_mud_lie_on_a_flag() -> None:
    """No deck holds two of either, so the first ones are laid by hand."""
    state = stage("", "", holds=("fog mud", ""))
    state.lay_fog(0)  # type: ignore[attr-defined]
    state.lay_mud(1)  # type: ignore[attr-defined]
    assert {text.split()[2] for text in legal(state) if "fog" in text} == set("23456789")
    assert {text.split()[2] for text in legal(state) if "mud" in text} == set("13456789")
    assert refusal(state, "play fog 1") == "flag 1 already has fog or a tile with the same effect (BL-33)"


def test_bl_33_fog_and_mud_are_neither_moved_nor_removed() -> None:
    state = stage("fog 1, -", "mud 2, -", holds=("redeploy", "deserter"))
    assert not [text for text in legal(state, "redeploy") if "fog" in text]
    assert "(BL-36)" in refusal(state, "redeploy fog 1 3")
    take_turn(state, "-")
    assert "(BL-37)" in refusal(state, "deserter fog 1")
    assert flag(state, 1)["fog"] and flag(state, 2)["mud"]


def test_bl_34_guile_cards_lie_beside_the_deck() -> None:
    state = stage("R1 1, redeploy R1 1 discard", "-, -", holds=("", "traitor"))
    assert refusal(take_turn(state.copy(), "-"), "play traitor 2") == "traitor can't be played at a flag (BL-34)"
    assert state.view(1)["tactics_played"] == [["redeploy"], []]
    assert not [
        card for place in state.view(0)["flags"] for side in place["cards"] for card in side if card == "redeploy"
    ]


def test_bl_36_redeploy_moves_an_own_card_to_a_free_own_slot_or_to_the_discard() -> None:
    state = stage("R1 1, R2 2, R3 2, R4 2", "B1 3, -, -, -", holds=("redeploy", ""))
    moves = legal(state, "redeploy")
    assert "redeploy R1 1 3" in moves and "redeploy R1 1 discard" in moves
    assert refusal(state, "redeploy R1 1 1") == "a redeployed card must go to another flag or be discarded (BL-36)"
    assert refusal(state, "redeploy R1 1 2") == "this seat's side of flag 2 has no free slot (BL-36)"
    assert refusal(state, "redeploy B1 3 4") == "B1 isn't on this seat's side of flag 3 (BL-36)"
    moved, dropped = play(state.copy(), "redeploy R1 1 3"), play(state.copy(), "redeploy R1 1 discard")
    assert flag(moved, 1)["cards"][0] == [] and flag(moved, 3)["cards"] == [["R1"], ["B1"]]
    assert dropped.view(1)["discards"] == [["R1"], []] and flag(dropped, 1)["cards"][0] == []


def test_bl_36_redeploy_moves_a_morale_card_too() -> None:
    state = stage("leader-1 1, -", "fog 9, -", holds=("redeploy", ""))
    play(state, "redeploy leader-1 1 4")
    assert flag(state, 4)["cards"][0] == ["leader-1"]


def test_bl_37_deserter_sends_a_card_of_the_other_to_its_discard() -> None:
    state = stage("R1 1, R2 2", "B1 1, cavalry 2", holds=("deserter", ""))
    assert {"deserter B1 1", "deserter cavalry 2"} <= set(legal(state, "deserter"))
    assert refusal(state, "deserter R1 1") == "R1 isn't on the other seat's side of flag 1 (BL-37)"
    play(state, "deserter cavalry 2")
    assert state.view(0)["discards"] == [[], ["cavalry"]] and flag(state, 2)["cards"] == [["R2"], []]


def test_bl_38_traitor_brings_over_a_troop_to_any_free_own_slot() -> None:
    state = stage("R1 1, R2 2, R3 2, R4 2", "B1 1, cavalry 1, -, -", holds=("traitor", ""))
    moves = legal(state, "traitor")
    assert "traitor B1 1 1" in moves and "traitor B1 1 5" in moves
    assert refusal(state, "traitor B1 1 2") == "this seat's side of flag 2 has no free slot (BL-38)"
    assert refusal(state, "traitor cavalry 1 3") == "only a troop can be a traitor (BL-38)"
    play(state, "traitor B1 1 1")
    assert flag(state, 1)["cards"] == [["R1", "B1"], ["cavalry"]] and flag(state, 1)["last"] == 0


def test_bl_39_guile_needs_a_target() -> None:
    """All cards lie at a flag that has just been claimed."""
    state = begin("R10 R9 R8", "B1 G1 Y2", tactics="redeploy deserter traitor")
    for mine, theirs in (("R10 9", "B1 9"), ("R9 9", "G1 9")):
        take_turn(state, mine, "draw tactic")
        take_turn(state, theirs)
    take_turn(state, "R8 9", "draw tactic")
    take_turn(state, "Y2 9")
    assert tactics_offered(state) == {"redeploy", "deserter", "traitor"}
    play(state, "claim 9")
    assert tactics_offered(state) == set()


def test_bl_39_traitor_needs_a_troop() -> None:
    state = begin("R10 R9 R8", "B1 G1 Y2", tactics="shield traitor")
    take_turn(state, "R10 9", "draw troop")
    take_turn(state, "B1 9", "draw tactic")
    take_turn(state, "R9 9", "draw tactic")
    take_turn(state, "shield 8")
    take_turn(state, "R8 9")
    take_turn(state, "Y2 9")
    assert tactics_offered(state) == {"traitor"}
    play(state, "claim 9")
    assert tactics_offered(state) == set(), "what is left at open flags is no troop"
