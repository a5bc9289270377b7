"""Winning, passing, two passes in a row, scores (BL-21 to BL-25)."""

from collections import Counter
from random import Random

import pytest

from engine.core import State
from tests.engine.battleline.staging import GAME, begin, flag, hand, legal, play, refusal, stage, take_turn
from tests.engine.plays import begin as begin_play
from tests.engine.plays import play_out

TENS = "R10 {0}, R9 {0}, R8 {0}, O10 {1}, O9 {1}, O8 {1}, Y10 {2}, Y9 {2}, Y8 {2}, G10 {3}, G9 {3}, G8 {3}"
FIVE = TENS + ", B10 {4}, B9 {4}, B8 {4}"
SEVEN_TACTICS = "redeploy deserter traitor leader-1 cavalry shield fog"


def claim_all(state: State, *flags: int) -> State:
    return play(state, *(f"claim {number}" for number in flags))


def test_bl_21_three_adjacent_flags_win_at_once() -> None:
    state = claim_all(stage(TENS.format(1, 2, 3, 5), "", breakthrough=True), 1, 2)
    assert state.outcome is None
    play(state, "claim 3")
    assert state.outcome is not None
    assert (state.outcome.places, state.outcome.reason) == ((1, 2), "breakthrough")
    assert (state.to_act, legal(state)) == (None, [])


def test_bl_21_three_flags_with_a_gap_win_nothing() -> None:
    state = claim_all(stage(TENS.format(1, 2, 4, 5), ""), 1, 2, 4)
    assert state.outcome is None
    play(state, "claim 5")
    assert state.outcome is None


def test_bl_21_any_five_flags_win() -> None:
    state = claim_all(stage(FIVE.format(1, 2, 4, 5, 7), ""), 1, 2, 4, 5)
    assert state.outcome is None
    play(state, "claim 7")
    assert state.outcome is not None and state.outcome.reason == "envelopment"


def test_bl_21_one_claim_that_gives_both_is_a_breakthrough() -> None:
    state = claim_all(stage(FIVE.format(1, 3, 4, 6, 2), ""), 1, 3, 4, 6, 2)
    assert state.outcome is not None and state.outcome.reason == "breakthrough"


def test_bl_21_without_breakthrough_three_adjacent_flags_win_nothing() -> None:
    state = claim_all(stage(FIVE.format(1, 2, 3, 4, 5), "", breakthrough=False), 1, 2, 3, 4)
    assert state.outcome is None
    play(state, "claim 5")
    assert state.outcome is not None and state.outcome.reason == "envelopment"


def test_bl_21_the_flags_of_the_other_seat_between_do_not_help() -> None:
    state = stage(TENS.format(1, 3, 4, 6), "P10 2, P9 2, P8 2, " + ", ".join("-" * 8) + ", claim 2 + -")
    claim_all(state, 1, 3)
    assert state.outcome is None and flag(state, 2)["owner"] == 1


def test_bl_22_a_seat_without_troops_may_pass_though_it_could_play_a_tactic() -> None:
    state = stage("", "", holds=(SEVEN_TACTICS, ""))
    assert "pass" in legal(state) and "play fog 1" in legal(state)


def test_bl_22_a_seat_that_can_play_a_troop_may_not_pass() -> None:
    state = begin()
    assert refusal(state, "pass") == "a troop can still be played, so passing isn't allowed (BL-22)"


def test_bl_23_with_the_option_a_playable_tactic_forbids_passing() -> None:
    state = stage("", "", holds=(SEVEN_TACTICS, ""), **{"pass": "no-card"})
    assert "pass" not in legal(state) and "play fog 1" in legal(state)
    assert refusal(state, "pass") == "a card can still be played, so passing isn't allowed (BL-23)"


def test_bl_23_a_seat_that_can_play_nothing_may_pass() -> None:
    """It has played one tactic more than the other and holds nothing but tactics."""
    state = stage("", "", holds=(SEVEN_TACTICS, ""), **{"pass": "no-card"})
    take_turn(state, "fog 1", "draw tactic")
    take_turn(state, "-")
    assert [text for text in legal(state) if not text.startswith("claim")] == ["pass"]


def stalemate(first: str, second: str) -> State:
    """Seat 0 plays these turns and is left with tactics only, seat 1 these 27, nobody having claimed anything.

    Seat 0 passes whenever it is asked again; it is to pass once more now, and seat 1 has no free slot left.
    """
    mine, theirs = ([told.strip() for told in side.split(",")] for side in (first, second))
    cards = [[told.split()[0] for told in side] for side in (mine, theirs)]
    drawn = cards[0][7:]
    troops = [card for pair in zip([*drawn, *[""] * 30], cards[1][7:], strict=False) for card in pair if card]
    state = begin(" ".join(cards[0][:7]), " ".join(cards[1][:7]), " ".join(troops), SEVEN_TACTICS)
    for number, told in enumerate(theirs):
        draw = "draw troop" if number < len(drawn) else "draw tactic"
        take_turn(state, mine[number] if number < len(mine) else "pass", draw)
        take_turn(state, told)
    assert not legal(state, "scout") and state.to_act == 0
    return state


JUNK = "R1 {0}, O3 {0}, Y6 {0}, R2 {1}, O4 {1}, Y7 {1}, R3 {2}, O5 {2}, G1 {2}, R4 {3}, O6 {3}, G2 {3}, " + (
    "R5 {4}, O7 {4}, Y1 {4}, R6 {5}, Y4 {5}, G3 {5}"
)
"""Six hosts, none of them provable against an empty side."""
EDGES = "P10 1, P9 1, P8 1, B10 3, B9 3, B8 3, P1 8, G4 8, O1 8, "


def test_bl_24_the_first_pass_of_two_ends_nothing_and_still_claims() -> None:
    state = stalemate("R10 7, R9 7, R8 7, O10 9, O9 9, O8 9, R7 5", EDGES + JUNK.format(2, 4, 5, 6, 7, 9))
    play(state, "pass")
    assert state.outcome is None
    assert legal(state) == ["claim 7", "claim 9", "done"]


def test_bl_24_two_passes_end_the_game_and_award_what_is_provable() -> None:
    state = stalemate("R10 7, R9 7, R8 7, O10 9, O9 9, O8 9, R7 5", EDGES + JUNK.format(2, 4, 5, 6, 7, 9))
    play(state, "pass", "done")
    since = state.log_length
    play(state, "pass")
    assert state.outcome is not None and state.to_act is None
    assert state.events(0, since) == [
        {"seat": 1, "action": "pass"},
        {"event": "award", "seat": 0, "flag": 7},
        {"event": "award", "seat": 0, "flag": 9},
        {"event": "award", "seat": 1, "flag": 1},
        {"event": "award", "seat": 1, "flag": 3},
    ]
    assert (state.outcome.places, state.outcome.scores, state.outcome.reason) == ((1, 1), (2, 2), "passes")


def test_bl_24_more_flags_win_after_two_passes() -> None:
    """BL-25: the winner scores 5, the loser its flags."""
    state = stalemate("R10 7, R9 7, R8 7, O10 9, O9 9, O8 9, G10 4, G9 4, G8 4", EDGES + JUNK.format(2, 4, 5, 6, 7, 9))
    play(state, "pass", "done", "pass")
    assert state.outcome is not None
    assert (state.outcome.places, state.outcome.scores, state.outcome.reason) == ((1, 2), (5, 2), "passes")


BOTH_BREAK_THROUGH = (
    "R10 7, R9 7, R8 7, O10 8, O9 8, O8 8, Y10 9, Y9 9, Y8 9",
    "P10 1, P9 1, P8 1, B10 2, B9 2, B8 2, G10 3, G9 3, G8 3, " + JUNK.format(4, 5, 6, 7, 8, 9),
)


def test_bl_24_the_seat_to_move_next_is_awarded_first_and_a_win_inside_ends_it() -> None:
    state = stalemate(*BOTH_BREAK_THROUGH)
    play(take_turn(state, "pass"), "pass")
    assert state.outcome is not None
    assert (state.outcome.places, state.outcome.scores, state.outcome.reason) == ((1, 2), (5, 0), "breakthrough")


def test_bl_24_passes_are_in_a_row_only_if_nothing_was_played_between() -> None:
    """Seat 1 passes, then seat 0: now seat 1 is to move next and is awarded first."""
    state = stalemate(*BOTH_BREAK_THROUGH)
    take_turn(state, "fog 4", "draw tactic")
    take_turn(state, "pass")
    assert state.outcome is None
    play(state, "pass")
    assert state.outcome is not None
    assert (state.outcome.places, state.outcome.scores, state.outcome.reason) == ((2, 1), (0, 5), "breakthrough")


def test_bl_24_two_passes_in_a_row_are_the_end_and_nothing_else_is() -> None:
    """Also with guile between two passes, in plays where nobody ever claims."""
    between: Counter[str] = Counter()
    for seed in range(60):
        state = play_out(begin_play(GAME, "standard", seed), Random(seed), never_claims)
        told = [event["action"].split()[0] for event in state.events(None) if "action" in event]
        played = [verb for verb in told if verb not in ("draw", "done", "return")]
        pairs = list(zip(played, played[1:], strict=False))
        assert ("pass", "pass") not in pairs[:-1] and pairs[-1] == ("pass", "pass")
        triples = zip(played, played[1:], played[2:], strict=False)
        between.update(verb for before, verb, after in triples if before == after == "pass")
    assert between["play"] > 10 and between["redeploy"] > 2, between


def never_claims(state: State, rng: Random) -> int:
    """Keeps Redeploy for when the other has just passed: only that leaves the other without a slot to play to."""
    texts = {state.text(move): move for move in state.moves() if not state.text(move).startswith("claim")}
    redeploy = [text for text in texts if text.startswith("redeploy")]
    waiting = [text for text in texts if text not in redeploy]
    acts = [event["action"] for event in state.events(None, max(0, state.log_length - 5)) if "action" in event]
    just_passed = [act for act in acts if not act.startswith(("draw", "done"))][-1:] == ["pass"]
    chosen = redeploy if redeploy and just_passed else waiting or redeploy
    return texts[chosen[int(rng.random() * len(chosen))]]


def test_bl_25_the_winner_scores_five_and_the_loser_its_flags() -> None:
    second = "P10 6, P9 6, P8 6, " + ", ".join("-" * 7) + ", claim 6 + -, -"
    state = claim_all(stage(TENS.format(1, 2, 3, 5), second), 1, 2, 3)
    assert state.outcome is not None
    assert (state.outcome.places, state.outcome.scores) == ((1, 2), (5, 1))


@pytest.mark.parametrize("verdict", ["timeout", "illegal", "crash"])
def test_bl_25_scores_after_a_verdict(verdict: str) -> None:
    state = claim_all(stage(TENS.format(1, 2, 4, 5), ""), 1, 2)
    ply = state.ply
    state.forfeit(0, verdict)
    assert state.outcome is not None
    assert (state.outcome.places, state.outcome.scores, state.outcome.reason) == ((2, 1), (2, 5), verdict)
    assert state.events(1)[-1] == {"seat": 0, "action": "forfeit", "verdict": verdict}
    assert (state.to_act, legal(state), state.ply) == (None, [], ply + 1)
    assert hand(state, 0)
