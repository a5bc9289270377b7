"""Tables imagined from a view, and the estimates that bots make from one."""

from random import Random

import pytest

from engine.games.battleline.advice import Advice
from engine.games.battleline.game import BattleLine
from engine.games.battleline.outlook import Outlook

GAME = BattleLine()
DRAFT = ("draft", "lay")


@pytest.mark.parametrize("edition", GAME.editions)
def test_an_imagined_table_looks_the_same_and_can_be_played_to_its_end(edition: str) -> None:
    rng, options, looked = Random(edition), GAME.options(edition), 0
    for _ in range(12):
        state = GAME.start(options, 2, GAME.deal(options, 2, rng))
        while (seat := state.to_act) is not None:
            if state.decision not in DRAFT and rng.random() < 0.15:
                looked += 1
                for onlooker in (0, 1):
                    view = state.view(onlooker)
                    imagined = GAME.imagine(options, onlooker, view, rng)
                    assert imagined.view(onlooker) == view
                    if onlooker == seat:
                        assert set(imagined.actions()) == set(state.actions())
                    while imagined.to_act is not None:
                        imagined.play(rng.choice(imagined.moves()))
            state.play(rng.choice(state.moves()))
    assert looked > 100


def test_what_is_unseen_is_imagined_anew_each_time() -> None:
    options = GAME.options("standard")
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(1)))
    hands = {tuple(GAME.imagine(options, 0, state.view(0), Random(seed)).hands[1]) for seed in range(10)}
    assert len(hands) == 10


def test_a_draft_is_not_imagined() -> None:
    options = GAME.options("hundred-years")
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(1)))
    with pytest.raises(ValueError, match="draft"):
        GAME.imagine(options, 0, state.view(0), Random(1))


@pytest.mark.parametrize("edition", GAME.editions)
def test_chances_are_from_0_to_1_and_sure_where_a_claim_is_proven(edition: str) -> None:
    rng, options, proven = Random(edition), GAME.options(edition), 0
    for _ in range(6):
        state = GAME.start(options, 2, GAME.deal(options, 2, rng))
        while (seat := state.to_act) is not None:
            if state.decision == "play":
                outlook = Outlook(options, state.view(seat), seat)
                chances = {number: outlook.chance(flag, outlook.troops) for number, flag in outlook.flags.items()}
                assert all(0 <= chance <= 1 for chance in chances.values())
                for action in state.actions():
                    if action.startswith("claim"):
                        proven += 1
                        assert chances[int(action.split()[1])] == 1
            state.play(rng.choice(state.moves()))
    assert proven > 10


def test_advice_prefers_the_card_that_makes_a_wedge() -> None:
    options = GAME.options("standard")
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(1)))
    view = state.view(0)
    view["hand"] = ["R8", "B2", "G1", "Y5", "P3", "O6", "B4"]
    view["flags"] = [dict(flag) for flag in view["flags"]]
    view["flags"][3]["cards"] = [["R10", "R9"], ["B3", "B9"]]
    advice = Advice(options, view, 0)
    plays = [f"play {card} {flag}" for card in view["hand"] for flag in range(1, 10)]
    assert max(plays, key=advice.worth) == "play R8 4"
    assert -1 <= advice.hope <= 1
