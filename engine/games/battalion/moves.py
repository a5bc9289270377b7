"""Moves as integers and as text.

A move is `kind << 12 | first << 8 | seat << 4 | second`, the fields being a spot or a card, another's seat, and a spot.
Deployments and reformings are their text as a number (`layout.pack`); examples of a reforming are small moves too, and
their text depends on what is laid out (`reform.example`).
"""

from functools import cache
from typing import Final

from engine.core import MalformedAction
from engine.games.battalion.cards import CARD_NAMES
from engine.games.battalion.geometry import COLUMN_LETTERS, MAX_CELLS_PER_ROW, MAX_FORMATION_ROWS
from engine.games.battalion.layout import pack_layout, read_card, read_layout
from engine.message import gettext_noop, message, quote

PICKUP: Final = 0
MOVE: Final = 1
PASS: Final = 2
ATTACK: Final = 3
REINFORCE: Final = 4
MODIFY: Final = 5
REFORM: Final = 6
LAYOUT: Final = 7
"""Kinds. LAYOUT is any move that is its text."""
CELL_NAMES: Final = tuple(
    f"{row + 1}{letter}" for row in range(MAX_FORMATION_ROWS) for letter in COLUMN_LETTERS[:MAX_CELLS_PER_ROW]
) + ("g",)
SPOTS_BY_CELL_NAME: Final = {name: spot for spot, name in enumerate(CELL_NAMES)}
ACTION_FORMS: Final = {
    "pickup": (PICKUP, ""),
    "move": (MOVE, "CELL CELL"),
    "pass": (PASS, ""),
    "attack": (ATTACK, "CELL SEAT:CELL"),
    "reinforce": (REINFORCE, "CARD CELL"),
    "modify": (MODIFY, ""),
}
LAYOUT_VERBS: Final = ("deploy", "reform")
SEAT_NUMBERS: Final = range(4)


def encode_move(kind: int, first: int = 0, seat: int = 0, second: int = 0) -> int:
    """Return the move with these fields."""
    return kind << 12 | first << 8 | seat << 4 | second


def get_move_kind(move: int) -> int:
    """Return the kind of a move."""
    return min(move >> 12, LAYOUT)


def decode_move(move: int) -> tuple[int, int, int, int]:
    """Return kind, first, seat and second of a move."""
    return move >> 12, move >> 8 & 15, move >> 4 & 15, move & 15


@cache
def format_action(move: int) -> str:
    """Return the action string of a move that is not a layout."""
    kind, first, seat, second = decode_move(move)
    verb = next(verb for verb, (known, _) in ACTION_FORMS.items() if known == kind)
    if kind == ATTACK:
        return f"{verb} {CELL_NAMES[first]} {seat}:{CELL_NAMES[second]}"
    if kind in (MOVE, REINFORCE):
        return f"{verb} {CARD_NAMES[first] if kind == REINFORCE else CELL_NAMES[first]} {CELL_NAMES[second]}"
    return verb


def parse_action(text: str) -> int:
    """Return the move that an action string describes, legal or not. Raises MalformedAction."""
    verb, *rest = text.split(" ", 4)
    if verb in LAYOUT_VERBS:
        read_layout(text)
        return pack_layout(text)
    if verb not in ACTION_FORMS:
        template = gettext_noop("unknown action %(action)s; an action begins with %(verbs)s")
        raise MalformedAction(message(template, action=quote(text), verbs=", ".join((*LAYOUT_VERBS, *ACTION_FORMS))))
    kind, form = ACTION_FORMS[verb]
    if len(rest) != len(form.split()):
        raise MalformedAction(
            message(
                gettext_noop("%(action)s should read %(form)s"),
                action=quote(text),
                form=quote(f"{verb} {form}".strip()),
            )
        )
    if not rest:
        return encode_move(kind)
    if kind == ATTACK:
        seat, colon, cell = rest[1].partition(":")
        if not colon or seat not in {str(seat) for seat in SEAT_NUMBERS}:
            template = gettext_noop("%(target)s should read SEAT:CELL, as in 1:2b")
            raise MalformedAction(message(template, target=quote(rest[1])))
        return encode_move(kind, read_cell(rest[0]), int(seat), read_cell(cell))
    first = read_card(rest[0]) if kind == REINFORCE else read_cell(rest[0])
    return encode_move(kind, first, 0, read_cell(rest[1]))


def read_cell(name: str) -> int:
    """Return the spot of the cell with this name. Raises MalformedAction."""
    if name not in SPOTS_BY_CELL_NAME:
        template = gettext_noop("there is no cell %(cell)s; cells are 1a to 3d, the guard's is g")
        raise MalformedAction(message(template, cell=quote(name)))
    return SPOTS_BY_CELL_NAME[name]
