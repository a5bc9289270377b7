"""Scout: draw three, put back two (BL-35)."""

from random import Random

import pytest

from engine.core import State
from tests.engine.battleline.staging import GAME, TACTICS, hand, legal, play, refusal, stage, take_turn
from tests.engine.plays import any_move


def scouting(**changes: object) -> State:
    """Seat 0 is about to scout; R1 and R2 and mud are what it can well do without."""
    return stage("", "", holds=("R1 R2 scout mud", ""), **changes)


def test_bl_35_the_deck_is_chosen_before_each_of_three_draws_and_each_card_is_seen() -> None:
    state = play(scouting(), "scout")
    for deck, left in (("troop", 2), ("tactic", 1), ("troop", 0)):
        assert state.view(0)["decision"] == "scout"
        assert legal(state) == ["draw troop", "draw tactic"]
        before = hand(state, 0)
        play(state, f"draw {deck}")
        new = hand(state, 0)[-1]
        assert hand(state, 0) == [*before, new] and (new in TACTICS) is (deck == "tactic")
        assert (state.view(0)["decision"] == "scout") is (left > 0)
    assert state.view(1)["hand_sizes"] == [9, 7]
    assert state.view(0)["returning"] == {"from": "scout", "left": 2}


def test_bl_35_cards_go_back_on_top_of_their_own_decks_the_last_on_top() -> None:
    state = play(scouting(), "scout", "draw troop", "draw troop", "draw troop")
    assert legal(state) == [f"return {card}" for card in hand(state, 0)]
    assert "(BL-1)" in refusal(state, "draw troop")
    play(state, "return R1")
    assert state.view(0)["returning"]["left"] == 1
    assert refusal(state, "return R1") == "R1 isn't in the hand"
    decks = state.view(0)["decks"]
    play(state, "return R2")
    assert state.view(0)["decks"] == {"troop": decks["troop"] + 1, "tactic": decks["tactic"]}
    assert state.view(0)["decision"] == "finish" and len(hand(state, 0)) == 7
    play(state, "done")
    take_turn(state, "-")
    assert hand(state, 1)[-1] == "R2"
    take_turn(state, "-")
    assert hand(state, 0)[-1] == "R1"


def test_bl_35_a_tactic_goes_back_to_the_tactics() -> None:
    state = play(scouting(), "scout", "draw troop", "draw troop", "draw troop", "return mud", "return R1", "done")
    take_turn(state, "-", "draw tactic")
    assert hand(state, 1)[-1] == "mud"


def test_bl_35_the_other_is_told_the_deck_of_a_card_put_back_and_not_the_card() -> None:
    state = scouting()
    since = state.log_length
    play(state, "scout", "draw tactic", "draw troop", "draw troop", "return mud", "return R1")
    told = state.events(1, since)
    assert {"seat": 0, "action": "return ?", "deck": "tactic"} in told
    assert {"seat": 0, "action": "return ?", "deck": "troop"} in told
    assert {"seat": 0, "event": "draw", "deck": "tactic"} in told
    assert {"seat": 0, "action": "return mud"} in state.events(0, since)


def test_bl_35_nothing_is_drawn_at_the_end_of_a_scouting_turn() -> None:
    state = play(scouting(), "scout", "draw troop", "draw troop", "draw troop", "return R1", "return R2")
    assert [text for text in legal(state) if not text.startswith("claim")] == ["done"]
    assert refusal(state, "draw troop") == "nothing is drawn at the end of this turn (BL-4, BL-35)"
    play(state, "done")
    take_turn(state, "-")
    play(state, legal(state, "play")[0])
    assert "draw troop" in legal(state), "the next turn draws again"


def test_bl_35_at_once_the_three_decks_are_named_first() -> None:
    state = play(scouting(scout="at-once"), "scout")
    assert legal(state) == [
        "draw troop troop troop",
        "draw troop troop tactic",
        "draw troop tactic tactic",
        "draw tactic tactic tactic",
    ]
    assert "(BL-35)" in refusal(state, "draw troop")
    assert "(BL-35)" in refusal(state, "draw troop troop")
    play(state, "draw troop troop tactic")
    assert len(hand(state, 0)) == 9 and [card in TACTICS for card in hand(state, 0)[-3:]] == [False, False, True]
    assert state.view(0)["decision"] == "return"


def late_scout(cards_left: int, **changes: object) -> State:
    """A random play, led to where the seat that is asked holds the Scout, may play a tactic, and this many are left."""
    for seed in range(2_000):
        rng = Random(seed)
        options = GAME.options("standard", **changes)
        state = GAME.start(options, 2, GAME.deal(options, 2, rng))
        while state.to_act is not None:
            ahead = [len(played) for played in state.view(state.to_act)["tactics_played"]]
            ready = state.view(0)["decision"] == "play" and ahead[state.to_act] <= ahead[1 - state.to_act]
            if sum(state.view(0)["decks"].values()) == cards_left and ready and "scout" in hand(state, state.to_act):
                return state
            moves = [m for m in state.moves() if state.text(m).split()[0] not in ("scout", "claim")]
            state.play(moves[int(rng.random() * len(moves))] if moves else any_move(state, rng))
    raise AssertionError("no such play")


@pytest.mark.parametrize("left", [1, 2])
def test_bl_35_with_fewer_than_three_cards_left_these_are_drawn(left: int) -> None:
    state = late_scout(left)
    seat = state.to_act
    assert seat is not None
    size = len(hand(state, seat))
    play(state, "scout")
    for _ in range(left):
        assert state.view(seat)["decision"] == "scout"
        play(state, legal(state)[0])
    assert len(hand(state, seat)) == size - 1 + left
    assert state.view(seat)["decision"] == ("return" if size - 1 + left > 7 else "finish")


def test_bl_35_at_once_never_names_more_than_a_deck_holds() -> None:
    state = late_scout(2, scout="at-once")
    decks = state.view(0)["decks"]
    play(state, "scout")
    for text in legal(state):
        words = text.split()[1:]
        assert len(words) == 2
        assert words.count("troop") <= decks["troop"] and words.count("tactic") <= decks["tactic"]


def test_bl_35_with_both_decks_empty_scout_is_not_playable() -> None:
    state = late_scout(0)
    assert refusal(state, "scout") == "both decks are empty (BL-35)"
