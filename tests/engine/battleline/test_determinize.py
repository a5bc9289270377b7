"""Whole tables made from the view of one seat."""

from random import Random

import pytest

from engine.games.battleline.game import BattleLine

GAME = BattleLine()
DRAFT = ("draft", "lay")


@pytest.mark.parametrize("edition", GAME.editions)
def test_a_determinized_table_looks_the_same_and_can_be_played_to_its_end(edition: str) -> None:
    rng, options, looked = Random(edition), GAME.options(edition), 0
    for _ in range(12):
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
    assert looked > 100


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


def test_uploaded_bots_find_it_by_its_old_name() -> None:
    assert BattleLine.imagine is BattleLine.determinize
