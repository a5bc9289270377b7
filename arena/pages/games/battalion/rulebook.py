"""What the rules page is filled with. Its examples are short plays of the engine's, so what is said of them holds."""

import json
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import get_language, gettext_lazy, pgettext
from django.utils.translation import gettext as _

from arena.pages.games.battalion.army import Army, Ground, Sight, draw_ground, lay_cells, lay_guard
from arena.pages.games.battalion.attack import Attack, prove
from arena.pages.games.battalion.board import Board, draw
from arena.pages.games.battalion.cards import ORDER, SUITS, face_of, name_seat
from arena.pages.games.battalion.deployment import read_deployment
from arena.pages.matches.replay import watch
from engine.games.battalion.formations import FORMATIONS, Formation
from engine.registry import find_game

TITLE = "Battalion"
BRIEF = gettext_lazy(
    "Two to four players, thirteen cards each, no luck but a die. Whoever's guard falls loses its emperor; the last "
    "emperor alive wins."
)
PARTS = {
    "aim": gettext_lazy("The aim"),
    "deployment": gettext_lazy("Deployment"),
    "turn": gettext_lazy("The turn"),
    "attacks": gettext_lazy("Attacks"),
    "die": gettext_lazy("The die"),
    "reforming": gettext_lazy("Reforming"),
    "end": gettext_lazy("The end"),
    "library": gettext_lazy("Named formations"),
    "bots": gettext_lazy("For bot authors"),
}
"""Titles by name of a part's template."""
DICE = [5] * 200
"""Of the examples; none of them rolls."""
OPENING = ["deploy 0=10,2=9/0=A,2=Q guard=8", "deploy 0=7,2=9/0=5,2=J guard=4", "attack 1a 1:1a", "pass"]
PLAYS = {
    "path": [*OPENING, "attack 2a 1:2a"],
    "skip": [*OPENING, "attack 2b 1:2a"],
}
"""By name of an example: the actions of the play, the last one being the one shown."""


@dataclass(frozen=True, slots=True)
class Edition:
    key: str
    title: str
    brief: str


@dataclass(frozen=True, slots=True)
class Named:
    """A formation of the library."""

    name: str
    index: str
    ground: Ground | None
    action: str


@dataclass(frozen=True, slots=True)
class Example:
    board: Board
    proofs: list[Attack]


def explain_rules(edition: str) -> dict[str, Any]:
    """Everything the templates of the rules ask for."""
    game = find_game("battalion")
    options = game.options(edition)
    editions = [Edition(key, _(title), str(BRIEF)) for key, title in game.editions.items()]
    return {
        "edition": next(one for one in editions if one.key == edition),
        "editions": editions,
        "parts": {part: str(title) for part, title in PARTS.items()},
        "options": options,
        "wire_options": [(name, json.dumps(value)) for name, value in options.items()],
        "suits": [(face_of(seat, "A"), name_seat(seat), seat) for seat in range(len(SUITS))],
        "deck": [face_of(0, card) for card in ORDER],
        "library": [name_formation(formation) for formation in FORMATIONS],
        "example": {name: play(edition, options, actions) for name, actions in PLAYS.items()},
    }


def name_formation(formation: Formation) -> Named:
    rows, guard = read_deployment(formation.action)
    sight = Sight(seat=0, rows=lay_cells(rows), guard=lay_guard(guard))
    return Named(
        pgettext("named formation", formation.name),
        formation.index,
        draw_ground(sight, get_language()),
        formation.action,
    )


def play(edition: str, options: dict[str, Any], actions: list[str]) -> Example:
    """What the replay page shows of the last of these actions, taken by two players in turn."""
    record = {
        "game": "battalion",
        "edition": edition,
        "options": options,
        "seats": [{}, {}],
        "deal": {"dice": DICE},
        "actions": [{"seat": number % 2, "action": action} for number, action in enumerate(actions)],
        "result": {"places": [1, 1], "scores": [0.5, 0.5], "reason": "", "verdicts": ["ok", "ok"]},
    }
    scene = watch(record, len(actions))
    return Example(bare(draw(scene)), [prove(scene, proof) for proof in scene.proofs])


def bare(board: Board) -> Board:
    """A board with nothing but the formations."""
    rows = [replace(row, armies=[without_piles(army) for army in row.armies]) for row in board.rows]
    return replace(board, rows=rows, state=[])


def without_piles(army: Army) -> Army:
    return replace(army, piles=[], facts=[], chip="", shape="")
