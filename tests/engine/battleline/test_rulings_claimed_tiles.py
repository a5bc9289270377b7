"""What tiles do once their flag is claimed: Marshes, Watchtower, Fields (BL-61, BL-63, BL-65, BL-68)."""

from random import Random

import pytest

from engine.core import State
from tests.engine.battleline.staging import (
    GAME,
    at,
    flag,
    hand,
    is_troop,
    legal,
    play,
    refusal,
    stage,
    take_turn,
)  # fmt: skip
from tests.engine.battleline.test_rulings_end import TENS

LOW_HOST = "Y1 O1 O3"
WEDGE = "R10 1, R9 1, R8 1"


def asked(state: State) -> tuple[int | None, str]:
    return state.to_act, state.view(0)["decision"]


def test_bl_61_at_the_start_of_a_turn_the_other_removes_a_troop_and_the_turn_goes_on() -> None:
    state = stage(WEDGE + ", -", "B1 2, B2 3, shield 4, -", row="marshes 1")
    since = play(state, "claim 1").log_length
    assert asked(state) == (1, "marshes") and state.view(1)["turn"] == state.view(0)["turn"]
    assert {"remove B1 2", "remove B2 3"} <= set(legal(state)) == set(legal(state, "remove"))
    assert not [text for text in legal(state) if "shield" in text]
    assert refusal(state, "remove shield 4") == "only troops can be removed (BL-61, BL-63)"
    assert "(BL-61)" in refusal(state, "remove R10 1") and "(BL-1)" in refusal(state, "pass")
    play(state, "remove B1 2")
    assert asked(state) == (0, "play") and flag(state, 2)["cards"] == [[], []]
    assert state.view(0)["discards"] == [[], ["B1"]]
    assert state.events(0, since) == [{"seat": 1, "action": "remove B1 2"}]
    assert legal(state, "play"), "the card of this turn is still to come"


def test_bl_61_after_the_play_the_turn_goes_on_with_what_is_left_of_it() -> None:
    state = stage("R10 1, R9 1", "B1 2, B2 3", holds=("R8", ""), row="marshes 1")
    play(state, "play R8 1", "claim 1")
    assert asked(state) == (1, "marshes")
    play(state, "remove B2 3")
    assert asked(state) == (0, "finish") and legal(state) == ["draw troop", "draw tactic"]
    play(state, "draw troop")
    assert asked(state) == (1, "play") and state.view(0)["hand_sizes"] == [7, 7]


def test_bl_61_with_seven_cards_in_hand_after_a_scout_the_claimant_does_not_play_again() -> None:
    state = stage(WEDGE, "B1 2, B2 3, -", holds=("R1 R2 scout", ""), row="marshes 1")
    play(state, "scout", *["draw troop"] * 3, "return R1", "return R2", "claim 1")
    check_turn_ends_after_removal(state, "remove B1 2")


def test_bl_61_with_seven_cards_in_hand_after_fields_the_claimant_does_not_play_again() -> None:
    state = stage(f"{WEDGE}, {at(2, 'O10 O9 O8')}", "B1 4, B2 5", holds=("R1 R2", ""), row="fields 1, marshes 2")
    play(state, "claim 1", "return R1", "return R2")
    play(state, legal(state, "play")[0], "claim 2")
    check_turn_ends_after_removal(state, "remove B1 4")


def check_turn_ends_after_removal(state: State, removal: str) -> None:
    assert asked(state) == (1, "marshes") and len(hand(state, 0)) == 7
    play(state, removal)
    assert asked(state) == (0, "finish") and legal(state) == ["done"]
    assert asked(play(state, "done")) == (1, "play")


def test_bl_61_a_removed_troop_may_make_another_claim_provable_at_once() -> None:
    """5-6-7 against 8 and 9 of another colour, which lose their 8."""
    state = stage("R10 1, R9 1, R8 1, G5 2, G6 2, G7 2", "B9 2, B8 2", row="marshes 1, town 2")
    assert legal(state, "claim") == ["claim 1"]
    play(state, "claim 1", "remove B8 2")
    assert asked(state) == (0, "play") and legal(state, "claim") == ["claim 2"]


def test_bl_61_nothing_is_asked_where_the_other_has_no_troop_at_an_open_flag() -> None:
    """All of its troops lie at the flag claimed."""
    state = stage(WEDGE, at(1, LOW_HOST), row="marshes 1")
    play(state, "claim 1")
    assert asked(state) == (0, "play") and state.view(0)["discards"] == [[], []]


def test_bl_61_a_sole_troop_is_removed_without_asking() -> None:
    state = stage(WEDGE, "Y1 1, O1 1, O3 2", row="marshes 1")
    play(state, "claim 1")
    assert asked(state) == (1, "marshes") and state.forced() == state.moves()[0]
    assert legal(state) == ["remove O3 2"]


def test_bl_63_the_claimant_removes_a_troop_of_the_other_beside_the_flag() -> None:
    state = stage("R10 5, R9 5, R8 5, -, -", "B1 4, B2 6, B3 3, B4 7, shield 6", row="watchtower 5, town 1")
    since = play(state, "claim 5").log_length
    assert asked(state) == (0, "watchtower") and state.view(1)["at"] == 5
    assert legal(state) == ["remove B1 4", "remove B2 6"]
    for action in ("remove B3 3", "remove B4 7"):
        assert "(BL-63)" in refusal(state, action)
    assert "only troops can be removed" in refusal(state, "remove shield 6")
    play(state, "remove B2 6")
    assert asked(state) == (0, "play") and "at" not in state.view(0)
    assert state.view(0)["discards"] == [[], ["B2"]] and flag(state, 6)["cards"][1] == ["shield"]
    assert state.events(1, since) == [{"seat": 0, "action": "remove B2 6"}]


def test_bl_63_after_the_play_the_turn_goes_on_with_its_draw() -> None:
    state = stage("R10 5, R9 5", "B1 4, B2 4", holds=("R8", ""), row="watchtower 5, town 1")
    play(state, "play R8 5", "claim 5", "remove B1 4")
    assert asked(state) == (0, "finish") and legal(state) == ["draw troop", "draw tactic"]


def test_bl_63_a_town_is_beside_nothing() -> None:
    state = stage("R10 5, R9 5, R8 5", "B1 4, B2 4, B3 6", row="watchtower 5, town 4")
    play(state, "claim 5")
    assert legal(state) == ["remove B3 6"]
    state = stage("R10 5, R9 5, R8 5", "B1 4, B2 4, B3 4", row="watchtower 5, town 4")
    play(state, "claim 5")
    assert asked(state) == (0, "play") and flag(state, 4)["cards"][1] == ["B1", "B2", "B3"]


def test_bl_63_a_claimed_flag_beside_is_closed() -> None:
    row = "watchtower 5, fortress 4, town 1"
    state = stage("R10 5, R9 5, R8 5, G10 4, G9 4, G8 4", "Y1 4, O1 4, O3 4", row=row)
    play(state.copy(), "claim 5", "remove Y1 4")
    play(state, "claim 4", "claim 5")
    assert asked(state) == (0, "play") and state.view(0)["discards"] == [[], []]


def test_bl_63_at_the_edge_there_is_one_flag_beside() -> None:
    state = stage(WEDGE, "B1 2, B3 2, B2 3", row="watchtower 1, town 9")
    play(state, "claim 1")
    assert legal(state) == ["remove B1 2", "remove B3 2"]


def test_bl_65_three_troops_are_drawn_and_two_put_back_on_top() -> None:
    state = stage(WEDGE, "", holds=("R1 R2 mud", ""), row="fields 1")
    held, decks, since = hand(state, 0), state.view(0)["decks"], state.log_length
    play(state, "claim 1")
    assert asked(state) == (0, "return") and state.view(1)["returning"] == {"from": "fields", "left": 2}
    assert hand(state, 0)[:7] == held and all(is_troop(card) for card in hand(state, 0)[7:])
    assert state.view(1)["hand_sizes"] == [10, 7]
    assert legal(state) == [f"return {card}" for card in hand(state, 0) if is_troop(card)]
    assert refusal(state, "return mud") == "only troops can be put back for Fields (BL-65)"
    play(state, "return R1")
    assert state.view(0)["returning"]["left"] == 1
    play(state, "return R2")
    assert asked(state) == (0, "play") and state.view(0)["hand_sizes"] == [8, 7], "a hand of eight is not reduced"
    assert state.view(0)["decks"] == {"troop": decks["troop"] - 1, "tactic": decks["tactic"]}
    told = [event for event in state.events(1, since) if "event" in event or "return" in event["action"]]
    assert (
        told
        == [{"seat": 0, "event": "draw", "deck": "troop"}] * 3
        + [{"seat": 0, "action": "return ?", "deck": "troop"}] * 2
    )
    play(state, legal(state, "play")[0])
    assert [text for text in legal(state) if "claim" not in text] == ["done"], "with seven cards nothing is drawn"
    take_turn(play(state, "done"), "-")
    assert hand(state, 1)[-1] == "R2", "the last one put back lies on top"


def test_bl_65_after_the_play_the_hand_is_seven_and_nothing_is_drawn() -> None:
    state = stage("R10 1, R9 1", "-, -", holds=("R8 R1 R2", ""), row="fields 1")
    play(state, "play R8 1", "claim 1", "return R1", "return R2")
    assert asked(state) == (0, "finish") and state.view(0)["hand_sizes"] == [7, 7]
    assert legal(state) == ["done"] and "(BL-4" in refusal(state, "draw troop")


def test_bl_65_the_last_troops_of_the_deck_are_drawn_and_one_less_put_back() -> None:
    for left, back in ((3, 2), (2, 1), (1, 0), (0, 0)):
        state, action = late_fields(left)
        seat, decision = asked(state)
        assert seat is not None
        size = len(hand(state, seat))
        play(state, action)
        assert len(hand(state, seat)) == size + left
        for number in range(back, 0, -1):
            assert state.view(0)["returning"] == {"from": "fields", "left": number}
            play(state, legal(state, "return")[0])
        assert asked(state) == (seat, decision)
        assert state.view(0)["decks"]["troop"] == back


def late_fields(left: int) -> tuple[State, str]:
    """A random play, led to where the Fields may be claimed, and just so many troops are in the deck."""
    for seed in range(3_000):
        rng = Random(seed)
        options = GAME.options("terrain")
        state = GAME.start(options, 2, GAME.deal(options, 2, rng))
        fields = next(f"claim {place['flag']}" for place in state.view(0)["flags"] if place["tile"] == "fields")
        while state.to_act is not None:
            actions = legal(state)
            if fields in actions and state.view(0)["decks"]["troop"] == left:
                return state, fields
            others = [text for text in actions if not text.startswith("claim")]
            play(state, others[int(rng.random() * len(others))])
    raise AssertionError("no such play")


def test_bl_35_after_fields_a_scout_gives_back_three() -> None:
    state = stage(WEDGE, "", holds=("R1 R2 scout", ""), row="fields 1")
    play(state, "claim 1", "return R1", "return R2")
    assert len(hand(state, 0)) == 8
    play(state, "scout", "draw tactic", "draw troop", "draw tactic")
    for left in (3, 2, 1):
        assert state.view(0)["returning"] == {"from": "scout", "left": left}
        play(state, legal(state, "return")[-1])
    assert asked(state) == (0, "finish") and len(hand(state, 0)) == 7


def test_bl_35_a_hand_of_eight_lasts_into_the_next_turns() -> None:
    """Fields before a play leave eight; the play makes it seven, and play goes on as ever."""
    state = stage(WEDGE, "", holds=("R1 R2", ""), row="fields 1")
    play(state, "claim 1", "return R1", "return R2")
    take_turn(state, "-")
    assert state.view(0)["hand_sizes"][0] == 7
    take_turn(take_turn(state, "-"), "-")
    assert state.view(0)["hand_sizes"] == [7, 7]


@pytest.mark.parametrize("tile", ["marshes", "watchtower", "fields"])
def test_bl_68_a_claim_that_wins_triggers_no_tile(tile: str) -> None:
    second = "B1 4, B2 4, B3 6"
    state = stage(TENS.format(1, 2, 3, 5), second, row=f"{tile} 3, fortress 1, town 9, castle 8, river 7")
    other = flag(state, 2)["tile"]
    assert other not in ("castle", "river", "hills", "woodland")
    play(state, "claim 1", "claim 2")
    while state.view(0)["decision"] in ("marshes", "watchtower", "return"):
        play(state, legal(state)[0])
    hands, discards, length = state.view(0)["hand_sizes"], state.view(0)["discards"], state.log_length
    play(state, "claim 3")
    assert state.outcome is not None and state.outcome.reason == "breakthrough" and state.to_act is None
    assert (state.view(0)["hand_sizes"], state.view(0)["discards"]) == (hands, discards)
    assert len(state.events(None, length)) == 1
