"""The content of the rules page. Its examples are short plays by the engine, which guarantees their results."""

import json
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import get_language, gettext_lazy, pgettext
from django.utils.translation import gettext as _

from arena.pages.games.battalion.army import Army, FormationView, Ground, build_ground, read_guard, read_rows
from arena.pages.games.battalion.attack_proof import AttackProof, build_proof
from arena.pages.games.battalion.board import Board, build_board
from arena.pages.games.battalion.cards import CARD_NAMES_HIGH_TO_LOW, SUITS_BY_SEAT, find_face, name_seat
from arena.pages.games.battalion.deployment import read_deployment
from arena.pages.matches.replay import play_to
from engine.games.battalion.formations import FORMATIONS, Formation
from engine.registry import find_game

GAME_TITLE = "Battalion"
GAME_SUMMARY = gettext_lazy(
    "Two to four players, thirteen cards each, no luck but a die. A player whose guard falls loses its emperor; the "
    "last emperor alive wins."
)
RULE_PART_TITLES = {
    "aim": gettext_lazy("The aim"),
    "deployment": gettext_lazy("Deployment"),
    "turn": gettext_lazy("The turn"),
    "attacks": gettext_lazy("Attacks"),
    "die": gettext_lazy("The die"),
    "reforming": gettext_lazy("Reforming"),
    "end": gettext_lazy("The end"),
    "library": gettext_lazy("Named formations"),
    "bots": gettext_lazy("For bot authors"),
    "credits": gettext_lazy("Credits"),
}
"""Titles by name of a part's template."""
EXAMPLE_DICE_ROLLS = [5] * 200
"""Of the examples; none of them rolls."""
EXAMPLE_OPENING_ACTIONS = [
    "deploy 0=10,2=9/0=A,2=Q guard=8",
    "deploy 0=7,2=9/0=5,2=J guard=4",
    "attack 1a 1:1a",
    "pass",
]
EXAMPLE_ACTIONS_BY_NAME = {
    "path": [*EXAMPLE_OPENING_ACTIONS, "attack 2a 1:2a"],
    "skip": [*EXAMPLE_OPENING_ACTIONS, "attack 2b 1:2a"],
}
"""By name of an example: the actions of the play, the last one being the one shown."""


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition in the list of all of them."""

    key: str
    title: str
    brief: str


@dataclass(frozen=True, slots=True)
class NamedFormation:
    """A formation of the library."""

    name: str
    index: str
    ground: Ground | None
    action: str


@dataclass(frozen=True, slots=True)
class Example:
    """A short play, shown after its last action."""

    board: Board
    proofs: list[AttackProof]


def build_rules(edition: str) -> dict[str, Any]:
    """Return everything the templates of the rules ask for."""
    game = find_game("battalion")
    options = game.options(edition)
    editions = [Edition(key, _(title), str(GAME_SUMMARY)) for key, title in game.editions.items()]
    return {
        "edition": next(one for one in editions if one.key == edition),
        "editions": editions,
        "parts": {part: str(title) for part, title in RULE_PART_TITLES.items()},
        "options": options,
        "wire_options": [(name, json.dumps(value)) for name, value in options.items()],
        "suits": [(find_face(seat, "A"), name_seat(seat), seat) for seat in range(len(SUITS_BY_SEAT))],
        "deck": [find_face(0, card) for card in CARD_NAMES_HIGH_TO_LOW],
        "library": [build_named_formation(formation) for formation in FORMATIONS],
        "example": {name: play_example(edition, options, actions) for name, actions in EXAMPLE_ACTIONS_BY_NAME.items()},
    }


def build_named_formation(formation: Formation) -> NamedFormation:
    """Return a formation of the library as it is drawn."""
    name = pgettext("named formation", formation.name)
    return NamedFormation(name, formation.index, draw_deployment(formation.action), formation.action)


def draw_deployment(action: str) -> Ground | None:
    """Return the drawing of a legal `deploy` action, with its cards."""
    rows, guard = read_deployment(action)
    seen = FormationView(seat=0, rows=read_rows(rows), guard=read_guard(guard))
    return build_ground(seen, get_language())


def draw_first_formation() -> Ground | None:
    """Return the drawing of the first formation of the library, as a picture of the game."""
    return draw_deployment(FORMATIONS[0].action)


def play_example(edition: str, options: dict[str, Any], actions: list[str]) -> Example:
    """Return what the replay page shows of the last of these actions, taken by two players in turn."""
    record = {
        "game": "battalion",
        "edition": edition,
        "options": options,
        "seats": [{}, {}],
        "deal": {"dice": EXAMPLE_DICE_ROLLS},
        "actions": [{"seat": number % 2, "action": action} for number, action in enumerate(actions)],
        "result": {"places": [1, 1], "scores": [0.5, 0.5], "reason": "", "verdicts": ["ok", "ok"]},
    }
    scene = play_to(record, len(actions))
    return Example(strip_facts_from_board(build_board(scene)), [build_proof(scene, proof) for proof in scene.proofs])


def strip_facts_from_board(board: Board) -> Board:
    """Return a board with nothing but the formations."""
    return replace(board, armies=[strip_piles_from_army(army) for army in board.armies], state=[])


def strip_piles_from_army(army: Army) -> Army:
    """Return an army with nothing but its formation."""
    return replace(army, piles=[], facts=[], chip="", shape="")
