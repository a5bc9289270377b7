"""The estimates of the sample Careful."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from arena.runner.program import read_program
from engine.games.battleline.game import BattleLine
from tests.bots.modules import import_modules

SAMPLES = Path(__file__).parents[2] / "bots" / "samples"
GAME = BattleLine()
Modules = dict[str, ModuleType]


@pytest.fixture
def careful(monkeypatch: pytest.MonkeyPatch) -> Iterator[Modules]:
    yield from import_modules(SAMPLES / "careful", monkeypatch)


@pytest.mark.parametrize("name", ["searcher", "marshal"])
def test_others_are_uploaded_with_the_same_estimates(name: str) -> None:
    careful, other = (read_program(SAMPLES / name).files for name in ("careful", name))
    assert {name: careful[name] for name in ("advice.py", "outlook.py")}.items() <= other.items()


@pytest.mark.parametrize("edition", GAME.editions)
def test_chances_are_from_0_to_1_and_sure_where_a_claim_is_proven(careful: Modules, edition: str) -> None:
    rng, options, proven = Random(edition), GAME.options(edition), 0
    for _ in range(6):
        state = GAME.start(options, 2, GAME.deal(options, 2, rng))
        while (seat := state.to_act) is not None:
            if state.decision == "play":
                outlook = careful["outlook"].Outlook(options, state.view(seat), seat)
                chances = {number: outlook.chance(flag, outlook.troops) for number, flag in outlook.flags.items()}
                assert all(0 <= chance <= 1 for chance in chances.values())
                for action in state.actions():
                    if action.startswith("claim"):
                        proven += 1
                        assert chances[int(action.split()[1])] == 1
            state.play(rng.choice(state.moves()))
    assert proven > 10


def test_advice_prefers_the_card_that_makes_a_wedge(careful: Modules) -> None:
    options = GAME.options("standard")
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(1)))
    view = state.view(0)
    view["hand"] = ["R8", "B2", "G1", "Y5", "P3", "O6", "B4"]
    view["flags"] = [dict(flag) for flag in view["flags"]]
    view["flags"][3]["cards"] = [["R10", "R9"], ["B3", "B9"]]
    advice = careful["advice"].Advice(options, view, 0)
    plays = [f"play {card} {flag}" for card in view["hand"] for flag in range(1, 10)]
    assert max(plays, key=advice.worth) == "play R8 4"
    assert -1 <= advice.hope <= 1
