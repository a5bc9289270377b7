"""Highlands: what it takes from the published game, and what that leaves open (BL-80 to BL-87)."""

from random import Random

import pytest

from engine.core import State
from tests.engine.battleline.staging import GAME, begin, flag, hand, legal, play, refusal, stage, take_turn
from tests.engine.plays import begin as begin_play
from tests.engine.plays import play_out

EDITION = "highlands"
THREES = "R9 {0}, R8 {0}, R7 {0}, O9 {1}, O8 {1}, O7 {1}, Y9 {2}, Y8 {2}, Y7 {2}"
FIVES = THREES + ", G9 {3}, G8 {3}, G7 {3}, B9 {4}, B8 {4}, B7 {4}"


def test_bl_80_54_troops_from_1_to_9_six_in_a_hand_nine_flags_and_no_tactics() -> None:
    options = GAME.options(EDITION)
    deal = GAME.deal(options, 2, Random(1))
    assert sorted(deal["troops"]) == sorted(f"{colour}{value}" for colour in "ROYGBP" for value in range(1, 10))
    assert deal["tactics"] == deal["tiles"] == []
    view = GAME.start(options, 2, deal).view(1)
    assert view["hand_sizes"] == [6, 6] and view["decks"] == {"troop": 42, "tactic": 0}
    assert [one["needs"] for one in view["flags"]] == [[3, 3]] * 9


def test_bl_80_the_highest_run_is_7_8_9() -> None:
    """BL-10: nothing can beat it, as there is no 10."""
    state = stage("R9 1, R8 1, R7 1", "-, -, -", edition=EDITION)
    assert legal(state, "claim") == ["claim 1"]
    state = stage("R9 1, R8 1, R6 1", "-, -, -", edition=EDITION)
    assert not legal(state, "claim")


@pytest.mark.parametrize(
    ("turns", "flags", "reason"),
    [
        (THREES.format(4, 5, 6), (4, 6, 5), "breakthrough"),
        (FIVES.format(1, 2, 4, 5, 7), (1, 2, 4, 5, 7), "envelopment"),
    ],
)
def test_bl_81_three_adjacent_flags_or_any_five_win_at_once(turns: str, flags: tuple[int, ...], reason: str) -> None:
    state = stage(turns, "", edition=EDITION)
    for number in flags:
        assert state.outcome is None
        play(state, f"claim {number}")
    assert state.outcome is not None and (state.outcome.reason, state.outcome.scores[0]) == (reason, 5)


def test_bl_82_flags_are_claimed_before_a_card_is_played_and_not_after() -> None:
    state = stage("R9 1, R8 1", "-, -", holds=("R7", ""), edition=EDITION)
    play(state, "play R7 1")
    assert legal(state) == ["draw troop"]
    assert refusal(state, "claim 1") == "flags can only be claimed at the start of the turn (BL-1)"
    play(state, "draw troop")
    take_turn(state, "-")
    assert legal(state, "claim") == ["claim 1"]


@pytest.mark.parametrize("claims", ["either", "any"])
def test_bl_82_with_another_value_of_claims_they_are_claimed_after_it_too(claims: str) -> None:
    state = stage("R9 1, R8 1", "-, -", holds=("R7", ""), edition=EDITION, claims=claims)
    play(state, "play R7 1")
    assert legal(state) == ["claim 1", "draw troop"]


def test_bl_83_two_cards_are_no_claim_even_where_they_would_do() -> None:
    """The other side has 1 and 4 there: no third card makes more than 14 of them."""
    state = stage("R9 1, O8 1", "Y1 1, G4 1", edition=EDITION)
    assert "claim 1" not in legal(state)
    assert "(BL-16)" in refusal(state, "claim 1")
    take_turn(state, "-")
    take_turn(state, "-")
    assert "claim 1" not in legal(state)


def test_bl_83_what_is_in_a_hand_proves_nothing() -> None:
    """The claimant holds the one card that would beat its flag (BL-16)."""
    state = stage("R8 1, O8 1, Y8 1", "G9 1, G8 1", holds=("G7", ""), edition=EDITION)
    assert "G7" in hand(state, 0) and "claim 1" not in legal(state)
    assert "G7" in refusal(state, "claim 1")
    take_turn(state, "G7 2")
    take_turn(state, "-")
    assert "claim 1" in legal(state)


def test_bl_84_of_equal_groups_the_one_completed_first_wins() -> None:
    state = stage("R9 1, O5 1, Y2 1", "-, G9 1, B5 1, P2 1", edition=EDITION)
    assert "claim 1" in legal(state)
    state = stage("-, R9 1, O5 1, -, Y2 1", "G9 1, B5 1, P2 1, -, -", edition=EDITION)
    assert "claim 1" not in legal(state)
    take_turn(state, "-")
    assert "claim 1" in legal(state)


def fill_all(seed: int) -> State:
    """Both fill every place without claiming, seat 0 to the end of the deck."""
    rng, state = Random(seed), begin_play(GAME, EDITION, seed)
    while state.to_act is not None and "pass" not in legal(state):
        actions = [text for text in legal(state) if not text.startswith("claim")]
        play(state, rng.choice(actions))
    return state


@pytest.mark.parametrize("seed", range(3))
def test_bl_85_who_has_no_room_passes_and_two_passes_award_the_open_flags(seed: int) -> None:
    state = fill_all(seed)
    assert state.to_act == 0 and state.view(0)["turn"] == 55
    assert [text for text in legal(state) if not text.startswith("claim")] == ["pass"]
    assert "(BL-23)" in refusal(begin_play(GAME, EDITION, seed), "pass")
    play(state, "pass")
    assert state.outcome is None and state.view(0)["decision"] == "finish"
    play(state, "done")
    play(state, "pass")
    assert state.outcome is not None
    awards = [event for event in state.events(None) if event.get("event") == "award"]
    owners = [one["owner"] for one in state.view(0)["flags"]]
    assert awards and (None not in owners or state.outcome.reason != "passes")


def test_bl_85_a_full_hand_draws_nothing_after_a_pass() -> None:
    """Nine flags of which seat 0 has full sides at the open ones, while there is a deck."""
    state = begin(edition=EDITION, flags=5, envelopment=3)
    while "pass" not in legal(state):
        play(state, next(text for text in reversed(legal(state)) if not text.startswith("claim")))
    assert state.view(0)["decks"]["troop"] > 0 and len(hand(state, 0)) == 6
    play(state, "pass")
    assert legal(state) == ["done"]


def test_bl_86_play_goes_on_without_a_deck_until_all_54_places_are_full() -> None:
    state = fill_all(5)
    assert state.view(0)["decks"] == {"troop": 0, "tactic": 0} and state.view(0)["hand_sizes"] == [0, 0]
    assert all(len(side) == 3 for number in range(1, 10) for side in flag(state, number)["cards"])


def test_bl_87_seat_0_begins() -> None:
    state = begin_play(GAME, EDITION, 1)
    assert (state.to_act, state.view(0)["turn"], state.view(0)["decision"]) == (0, 1, "play")


def test_a_play_of_the_edition_ends_by_flags_or_passes() -> None:
    reasons = {play_out(begin_play(GAME, EDITION, seed), Random(seed)).outcome.reason for seed in range(12)}
    assert reasons <= {"breakthrough", "envelopment", "passes"}
