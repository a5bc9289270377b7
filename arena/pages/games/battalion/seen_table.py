"""Rebuild the table from what one seat sees of it, so that the engine's own paths and refusals answer for it.

Where the seat sees a back, a card lies that stands for any: only whether its cell is occupied is ever asked.
"""

from engine.core import Json
from engine.games.battalion.cards import CARDS_BY_NAME, card_set
from engine.games.battalion.geometry import build_shape
from engine.games.battalion.moves import SPOTS_BY_CELL_NAME
from engine.games.battalion.options import SEAT_0, Rules
from engine.games.battalion.paths import GUARD_SPOT
from engine.games.battalion.position import Position, Side

ANY_CARD = CARDS_BY_NAME["2"]
"""The card that stands for one that the seat doesn't see."""
NO_RULES = Rules(quiet_rounds=0, round_limit=0, start=SEAT_0)
"""Nothing is played on a rebuilt table, so no rule can end it."""


def rebuild_table(view: Json) -> Position:
    """Return the table of a view, to be asked and never to be played on."""
    sides = view["seats"]
    table = Position(NO_RULES, len(sides), ())
    table.sides = [rebuild_side(side) for side in sides]
    table.seats_in = tuple(side["seat"] for side in sides if not side["out"])
    table.to_act, table.decision, table.round = view["to_move"], view["decision"], view["round"]
    table.last_attacked, table.picked_up = view["last_attacked"], view["picked_up"]
    table.moved = tuple(SPOTS_BY_CELL_NAME[cell] for cell in view["moved"])
    return table


def rebuild_side(view: Json) -> Side:
    """Return one seat's side; of a hand that is not seen nothing is kept."""
    side = Side()
    side.out, side.reformed, side.modification = view["out"], view["reformed"], view["modification"]
    side.hand = card_set(tuple(CARDS_BY_NAME[card] for card in view.get("hand", [])))
    side.wounded = tuple(CARDS_BY_NAME[card] for card in view["wounded"])
    side.dead = tuple(CARDS_BY_NAME[card] for card in view["dead"])
    if not view["rows"]:
        return side
    cells = [cell for row in view["rows"] for cell in row]
    shape = build_shape(tuple(tuple(cell["x"] for cell in row) for row in view["rows"]))
    side.lay_out(shape, tuple(read_seen_card(cell["card"]) for cell in cells))
    for cell in cells:
        if cell["card"] is None:
            side.take(SPOTS_BY_CELL_NAME[cell["cell"]])
    side.cards[GUARD_SPOT] = read_seen_card(view["guard"]["card"])
    return side


def read_seen_card(card: str | None) -> int:
    """Return a card of a view: 0 for none, ANY_CARD for a back."""
    return CARDS_BY_NAME.get(card, ANY_CARD) if card is not None else 0
