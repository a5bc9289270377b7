"""What General believes of cards it can't see is never wrong."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from engine.registry import find_game
from tests.bots.modules import import_modules

GENERAL = Path(__file__).parents[2] / "bots" / "samples" / "general"


@pytest.fixture
def general(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    yield from import_modules(GENERAL, monkeypatch)


def hidden_cards(state: Any, seat: int, other: int) -> Iterator[tuple[int | None, str]]:
    """The cells of another seat (None: the guard) that `seat` can't see into, with the cards there."""
    seen, true = (state.view(viewer)["seats"][other] for viewer in (seat, other))
    cells = [[cell["card"] for row in player["rows"] for cell in row] for player in (seen, true)]
    yield from ((cell, card) for cell, (shown, card) in enumerate(zip(*cells, strict=True)) if shown == "?")
    if seen["guard"]["card"] == "?":
        yield None, true["guard"]["card"]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_hidden_card_is_among_those_thought_possible(general: dict[str, ModuleType], seats: int) -> None:
    game, rng, checked = find_game("battalion"), Random(seats), 0
    for _ in range(30):
        options = game.options("standard")
        state: Any = game.start(options, seats, game.deal(options, seats, rng))
        memory, told = general["hidden_cards"].HiddenCards(), 0
        while state.to_act is not None:
            view = state.view(0)
            if state.to_act == 0 and view["decision"] == "turn":
                memory.record(state.events(0, told))
                told = state.log_length
                evaluation = general["evaluation"].Evaluation(view, 0, memory)
                for opponent in evaluation.opponents:
                    for cell, card in hidden_cards(state, 0, opponent.seat):
                        odds = evaluation.odds_of[opponent.seat]
                        assert card in dict(odds.guard if cell is None else odds.cells[cell])
                        checked += 1
            actions = list(state.actions())
            # Random play mostly attacks: prefer what hides cards.
            quiet = [action for action in actions if action.split()[0] in ("pickup", "reinforce", "move", "reform")]
            chosen = rng.choice(quiet if quiet and rng.random() < 0.5 else actions)
            state.play(state.parse(chosen))
    assert checked > 1000


def test_cards_that_were_taken_up_are_looked_for_where_they_came_in(general: dict[str, ModuleType]) -> None:
    lots = general["hidden_cards"].HiddenCards()
    attack = {"seat": 1, "action": "attack 1a 0:1a", "attacker": "A", "target": "7", "result": "wins"}
    lots.record([attack, {"seat": 1, "action": "pickup"}, {"seat": 1, "action": "reinforce ? 2b"}])
    assert lots.lots_of(1).cards("2b") == {"A"}
    assert "A" not in lots.lots_of(1).cards("1b")
    lots.record([{"seat": 1, "action": "move 2b 1a"}])
    assert lots.lots_of(1).cards("1a") == {"A"}
    lots.record([{"seat": 1, "action": "reform 0=?,2=? hand=?"}])
    assert "7" in lots.lots_of(1).cards("1a")
