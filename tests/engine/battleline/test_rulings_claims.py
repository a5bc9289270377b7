"""The claim and what it takes to prove it (BL-16 to BL-20)."""

import pytest

from engine.games.battleline.legal import is_claim_provable
from tests.engine.battleline import oracle
from tests.engine.battleline.oracle import TROOPS
from tests.engine.battleline.staging import flag, hand, legal, play, refusal, stage, take_turn
from tests.engine.battleline.tables import lay_out


def test_bl_16_the_own_side_must_be_complete() -> None:
    state = stage("R10 1, R9 1", "B1 1, G3 1, Y5 1", holds=("R8", ""))
    take_turn(state, "-", keep=["R8"])
    take_turn(state, "-")
    assert refusal(state, "claim 1") == "this seat's side of flag 1 has fewer than 3 cards (BL-16)"
    assert "claim 1" in legal(play(state, "play R8 1"))


def test_bl_16_the_best_completion_must_not_beat_the_claim() -> None:
    """6-7-8 against 8-9 of another colour: 7 and 10 of it must lie face up, wherever that is."""
    assert "claim 1" in legal(stage("R6 1, R7 1, R8 1, B7 2, B10 3", "B8 1, B9 1, -, -, -"))
    assert "claim 1" in legal(stage("R6 1, R7 1, R8 1, B7 2, -", "B8 1, B9 1, -, -, B10 4"))
    state = stage("R6 1, R7 1, R8 1, B7 2, -", "B8 1, B9 1, -, -, -", unseen="B10")
    assert refusal(state, "claim 1") == "the other side of flag 1 could still win it with B10 (BL-16)"


def test_bl_16_a_discard_is_seen() -> None:
    state = stage("R6 1, R7 1, R8 1, B7 2, deserter B10 4", "B8 1, B9 1, -, B10 4, -")
    assert state.view(0)["discards"] == [[], ["B10"]]
    assert "claim 1" in legal(state)


def test_bl_16_a_troop_redeployed_to_the_discard_is_seen() -> None:
    state = stage("R6 1, R7 1, R8 1, B7 2, -", "B8 1, B9 1, B10 4, redeploy B10 4 discard, -")
    assert state.view(0)["discards"] == [[], ["B10"]]
    assert "claim 1" in legal(state)


@pytest.mark.parametrize("tile", ["watchtower", "marshes"])
def test_bl_16_a_troop_removed_by_a_tile_is_seen(tile: str) -> None:
    first = "R6 1, R7 1, R8 1, B7 3, G10 5, G9 5, G8 5"
    state = stage(first, "B8 1, B9 1, B10 4, -", row=f"town 1, {tile} 5")
    assert legal(state, "claim") == ["claim 1", "claim 5"]
    play(state, "claim 5", "remove B10 4")
    assert state.view(0)["discards"] == [[], ["B10"]]
    assert legal(state, "claim") == ["claim 1"]


def test_bl_16_ones_own_hand_proves_nothing() -> None:
    state = stage("R6 1, R7 1, R8 1, B7 2", "B8 1, B9 1, -, -", holds=("B10", ""))
    assert "B10" in hand(state, 0)
    assert "with B10" in refusal(state, "claim 1")


def test_bl_16_a_card_put_back_by_scout_is_unseen_though_the_seat_knows_where_it_is() -> None:
    state = stage("R6 1, R7 1, R8 1, B7 2", "B8 1, B9 1, -, -", holds=("B10 scout", ""))
    play(state, "scout", "draw troop", "draw troop", "draw troop", "return B10")
    play(state, f"return {next(card for card in hand(state, 0) if card in TROOPS)}")
    assert state.view(0)["decision"] == "finish" and "claim 1" not in legal(state)
    assert "with B10" in refusal(state, "claim 1")


def test_bl_16_a_complete_and_higher_other_side_refuses_the_claim() -> None:
    state = stage("R6 1, R7 1, R8 1", "B8 1, B9 1, B10 1")
    assert refusal(state, "claim 1") == "the other side of flag 1 is complete and stronger (BL-16)"


def test_bl_17_tactics_in_a_hand_prevent_no_claim() -> None:
    state = stage(
        "R6 1, R7 1, R8 1, B7 2, B10 3", "B8 1, B9 1, -, -, -", holds=("", "leader-1 traitor deserter mud fog")
    )
    assert "leader-1" in hand(state, 1) and "claim 1" in legal(state)


def test_bl_17_a_wild_that_lies_there_counts_as_it_lies() -> None:
    state = stage("R7 1, R8 1, R9 1", "leader-1 1, B9 1, -", unseen="B8 B10")
    assert "could still win it with B" in refusal(state, "claim 1")
    cavalry = "R7 1, R8 1, R9 1, B7 2, B10 2", "cavalry 1, B9 1, -, -, -"
    assert "claim 1" in legal(stage(*cavalry)), "8 and 9 without 7 and 10 make no wedge"


def test_bl_18_an_incomplete_side_that_could_only_tie_loses() -> None:
    state = stage("R8 1, R9 1, R10 1", "B10 1, B9 1, -", unseen="B8")
    assert "claim 1" in legal(state)
    state = stage("-, R8 1, R9 1, R10 1", "B10 1, B9 1, -, -", unseen="B8")
    assert flag(state, 1)["last"] == 0 and "claim 1" in legal(state), "also where the claimant placed the latest card"


def test_bl_19_a_side_that_can_no_longer_be_filled_loses() -> None:
    weak = [(0, 0, "R1"), (0, 0, "B2"), (0, 0, "G4"), (1, 0, "R9")]
    assert not is_claim_provable(lay_out(weak, ["Y10", "O10"]), 0, 0)
    assert is_claim_provable(lay_out(weak, ["Y10"]), 0, 0)
    assert not is_claim_provable(lay_out([*weak, (1, 0, "R8")], ["Y10"]), 0, 0)
    assert is_claim_provable(lay_out([*weak, (1, 0, "R8")], []), 0, 0)


def test_bl_20_the_legal_list_holds_exactly_the_provable_claims() -> None:
    state = stage("R10 1, R9 1, R8 1, G10 2, G9 2, G7 2, Y10 3, Y9 3", "B3 2, -, B4 4, B5 4, B6 4, -, -, -")
    assert legal(state, "claim") == ["claim 1"]
    take_turn(state, "-")
    assert legal(state, "claim") == []
    assert "(BL-16)" in refusal(state, "claim 4")


def test_bl_20_the_refusal_names_a_completion_that_really_beats_the_claim() -> None:
    state = stage("G10 1, G9 1, G7 1", "B3 1, -, -")
    told = refusal(state, "claim 1")
    cards = told.removeprefix("the other side of flag 1 could still win it with ").removesuffix(" (BL-16)").split()
    assert len(cards) == 2
    assert oracle.strength(("B3", *cards)) > oracle.strength(("G10", "G9", "G7"))
    assert not set(cards) & {card for place in state.view(0)["flags"] for side in place["cards"] for card in side}


def test_a_claim_is_explained_whether_it_holds_or_not() -> None:
    state = stage("R10 1, R9 1, R8 1, G10 2, G9 2, G7 2", "")
    proven, refused = state.explain("claim 1"), state.explain("claim 2")
    assert proven is not None and proven["holds"] and proven["because"] == "beats-all"
    assert refused is not None and not refused["holds"] and refused["refutation"]
    assert state.explain("pass") is None
