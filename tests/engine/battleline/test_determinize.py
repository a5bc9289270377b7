"""Whole tables made from the view of one seat."""

from random import Random

import pytest

from engine.core import State
from engine.games.battleline.game import BattleLine
from tests.engine.battleline.staging import EDITION_CASES, at, legal, play, stage
from tests.full import is_full_run

GAME = BattleLine()
DRAFT = ("draft", "lay")


@pytest.mark.parametrize("edition", EDITION_CASES)
def test_a_determinized_table_looks_the_same_and_can_be_played_to_its_end(edition: str) -> None:
    rng, options, looked = Random(edition), GAME.options(edition), 0
    plays = 12 if is_full_run() else 5
    for _ in range(plays):
        state = GAME.start(options, 2, GAME.deal(options, 2, rng))
        while (seat := state.to_act) is not None:
            if state.decision not in DRAFT and rng.random() < 0.15:
                looked += 1
                for onlooker in (0, 1):
                    view = state.view(onlooker)
                    determinized = GAME.determinize(options, onlooker, view, rng)
                    assert determinized.view(onlooker) == view
                    if onlooker == seat:
                        assert set(determinized.actions()) == set(state.actions())
                    while determinized.to_act is not None:
                        determinized.play(rng.choice(determinized.moves()))
            state.play(rng.choice(state.moves()))
    assert looked > 8 * plays


def test_what_is_unseen_is_dealt_anew_each_time() -> None:
    options = GAME.options("standard")
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(1)))
    hands = {tuple(GAME.determinize(options, 0, state.view(0), Random(seed)).hands[1]) for seed in range(10)}
    assert len(hands) == 10


def test_a_draft_is_not_determinized() -> None:
    options = GAME.options("hundred-years")
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(1)))
    with pytest.raises(ValueError, match="draft"):
        GAME.determinize(options, 0, state.view(0), Random(1))


def determinized(state: State, seat: int, **changes: object) -> State:
    return GAME.determinize(GAME.options("standard", **changes), seat, state.view(seat), Random(1))


def test_a_scout_in_progress_draws_three_puts_two_back_and_ends_without_a_draw() -> None:
    state = play(stage("", "", holds=("R1 R2 scout", "")), "scout")
    steps = [*["draw troop"] * 3, "return R1", "return R2"]
    for number, step in enumerate(steps):
        assert legal(play(determinized(state, 0), *steps[number:])) == ["done"]
        play(state, step)


def test_after_a_decision_of_a_tile_the_turn_goes_on_after_its_play() -> None:
    """A view doesn't say whether the tile was claimed before the play or after it."""
    row = "marshes 1, fields 2, watchtower 3, town 9"
    wedges = f"{at(1, 'R10 R9 R8')}, {at(2, 'B10 B9 B8')}, {at(3, 'G10 G9 G8')}"
    state = stage(wedges, "Y1 4, Y2 5", holds=("R1 R2", ""), row=row)
    for claim, asked, steps in (
        ("claim 1", 1, ["remove Y1 4"]),
        ("claim 2", 0, ["return R1", "return R2"]),
        ("claim 3", 0, ["remove Y1 4"]),
    ):
        twin = play(state.copy(), claim)
        assert twin.to_act == asked
        for number, step in enumerate(steps):
            whole = play(determinized(twin, asked, tiles="shuffled"), *steps[number:])
            assert (whole.to_act, whole.view(0)["decision"]) == (0, "finish")
            play(twin, step)


def test_uploaded_bots_find_it_by_its_old_name() -> None:
    assert BattleLine.imagine is BattleLine.determinize
