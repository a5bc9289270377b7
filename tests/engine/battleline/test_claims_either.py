"""Claims before playing or after it, but not both in one turn: the option `claims` with the value `either` (BL-1)."""

from collections import Counter
from random import Random

import pytest

from engine.core import IllegalAction, Json, State
from engine.registry import find_game
from tests.engine.plays import any_move, begin, play_out, run
from tests.full import is_full_run

BATTLE_LINE = find_game("battleline")
PLAYS = 40 if is_full_run() else 12


def claims_of(state: State) -> list[str]:
    return [text for text in state.actions() if text.startswith("claim")]


def claim_if_any(state: State, rng: Random) -> int:
    """A claim half of the time there is one, so that some claims are left for the end of the turn."""
    claims = [move for text, move in state.actions().items() if text.startswith("claim")]
    return claims[0] if claims and rng.random() < 0.5 else any_move(state, rng)


@pytest.mark.parametrize("edition", ["standard", "terrain", "hundred-years"])
def test_bl_1_who_claimed_before_playing_claims_nothing_after_it(edition: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(PLAYS):
        rng, state = Random(seed), begin(BATTLE_LINE, edition, seed, claims="either")
        claimed_at = (-1, "")
        while state.to_act is not None:
            view = state.view(state.to_act)
            turn, decision = view["turn"], view["decision"]
            before = claimed_at == (turn, "play")
            assert view["claimed_this_turn"] is state.view(1 - state.to_act)["claimed_this_turn"] is before
            if decision == "finish":
                free = state.copy()
                free.rules = BATTLE_LINE.start(BATTLE_LINE.options(edition), 2, deal_of(edition)).rules  # type: ignore[attr-defined]
                free.found = None  # type: ignore[attr-defined]
                assert claims_of(state) == ([] if before else claims_of(free))
                for text in claims_of(free) if before else []:
                    with pytest.raises(IllegalAction, match=r"can't claim one at the end of that turn \(BL-1\)"):
                        state.parse(text)
                    seen["refused"] += 1
            move = claim_if_any(state, rng)
            if state.text(move).startswith("claim"):
                claimed_at = (turn, decision)
                seen[decision] += 1
            twin = state.copy()
            assert twin.view(0) == state.view(0) and list(twin.moves()) == list(state.moves())
            state.play(move)
    assert seen["play"] and seen["finish"] and seen["refused"]


def deal_of(edition: str) -> Json:
    return BATTLE_LINE.deal(BATTLE_LINE.options(edition), 2, Random(1))


def test_only_views_with_this_option_tell_whether_was_claimed() -> None:
    for claims in ("any", "start"):
        assert "claimed_this_turn" not in begin(BATTLE_LINE, "standard", 1, claims=claims).view(0)


@pytest.mark.parametrize("edition", ["standard", "terrain"])
def test_a_view_is_determinized_with_the_claims_that_are_left(edition: str) -> None:
    options = BATTLE_LINE.options(edition, claims="either")
    closed = 0
    for seed in range(PLAYS):
        for state in run(begin(BATTLE_LINE, edition, seed, claims="either"), Random(seed), claim_if_any):
            seat = state.to_act
            if seat is None or state.ply % 3:
                continue
            view = state.view(seat)
            imagined = BATTLE_LINE.determinize(options, seat, view, Random(seed))  # type: ignore[attr-defined]
            assert imagined.view(seat) == view
            assert claims_of(imagined) == claims_of(state)
            assert play_out(imagined, Random(seed)).outcome is not None
            closed += view["claimed_this_turn"] and view["decision"] == "finish"
    assert closed
