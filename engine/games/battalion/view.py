"""Build what a seat may see from nothing, as public text."""

from typing import Final

from engine.core import Json
from engine.games.battalion.cards import CARD_NAMES, list_cards, name_cards
from engine.games.battalion.geometry import MAX_CELLS_PER_ROW
from engine.games.battalion.moves import CELL_NAMES
from engine.games.battalion.paths import GUARD_SPOT
from engine.games.battalion.position import Position, Side

HIDDEN_CARD: Final = "?"


def view(table: Position, seat: int) -> Json:
    """Return what a seat may see."""
    return {
        "decision": table.decision,
        "round": table.round,
        "quiet": table.quiet,
        "to_move": table.to_act,
        "seats": [build_side_view(side, number, number == seat) for number, side in enumerate(table.sides)],
        "last_attacked": table.last_attacked,
        "moved": [CELL_NAMES[spot] for spot in table.moved],
        "picked_up": table.picked_up,
    }


def build_side_view(side: Side, number: int, own: bool) -> Json:
    """Return one seat's side. The same value is returned until something changes there: don't write into it."""
    known = side.seen[own]
    if known is not None:
        return known
    shown: Json = {
        "seat": number,
        "out": side.out,
        "rows": build_rows_view(side, own),
        "guard": None if side.shape is None else build_card_view(side, side.cards[GUARD_SPOT], own),
        "hand_size": side.hand.bit_count(),
        "wounded": name_cards(side.wounded),
        "dead": name_cards(side.dead),
        "kills": side.kills,
        "modification": side.modification,
        "modification_left": 0 if side.modification is None else abs(side.modification) + 1,
        "reformed": side.reformed,
    }
    if own:
        shown["hand"] = name_cards(list_cards(side.hand))
    side.seen[own] = shown
    return shown


def build_rows_view(side: Side, own: bool) -> list[list[Json]]:
    """Return the cells of a formation, front to back."""
    if side.shape is None:
        return []
    return [
        [
            {"cell": CELL_NAMES[spot], "x": x} | build_card_view(side, side.cards[spot], own)
            for spot, x in enumerate(row, MAX_CELLS_PER_ROW * number)
        ]
        for number, row in enumerate(side.shape.rows)
    ]


def build_card_view(side: Side, card: int, own: bool) -> Json:
    """Return the content of a cell, for its owner or another seat."""
    if not card:
        return {"card": None, "shown": False}
    shown = bool(side.shown >> card & 1)
    return {"card": CARD_NAMES[card] if own or shown else HIDDEN_CARD, "shown": shown}


def lay_open(side: Side) -> Json:
    """Return all the cards of a seat that goes out (BT-40)."""
    return {
        "rows": build_rows_view(side, True),
        "guard": None if side.shape is None else build_card_view(side, side.cards[GUARD_SPOT], True),
        "hand": name_cards(list_cards(side.hand)),
        "wounded": name_cards(side.wounded),
        "dead": name_cards(side.dead),
    }
