"""Why an action that is understood isn't legal: one sentence with the place and the ruling."""

from collections.abc import Callable

from engine.games.battalion.cards import JACK, KING, NAMES, QUEEN, can_guard
from engine.games.battalion.geometry import BadShape, shape_of
from engine.games.battalion.layout import read_layout, unpack
from engine.games.battalion.legal import attackable
from engine.games.battalion.moves import (
    ATTACK,
    CELL_NAMES,
    LAYOUT,
    MODIFY,
    MOVE,
    PICKUP,
    REINFORCE,
    decode,
    kind_of,
)
from engine.games.battalion.paths import GUARD
from engine.games.battalion.position import DEPLOY, Position, Side
from engine.games.battalion.reform import refuse_layout


def explain_refusal(table: Position, seat: int, move: int) -> str | None:
    """A sentence on why this move isn't legal; None where it is a layout and is legal."""
    if kind_of(move) == LAYOUT:
        text = unpack(move)
        return refuse_deployment(table, text) if text.startswith("deploy") else refuse_reforming(table, seat, text)
    if table.decision == DEPLOY:
        return "the referee asks for a deployment now (BT-2)"
    kind, first, other, second = decode(move)
    return REFUSALS[kind](table, seat, first, other, second)


def refuse_deployment(table: Position, text: str) -> str | None:
    if table.decision != DEPLOY:
        return "formations are deployed once, before the first turn (BT-2)"
    layout = read_layout(text)
    twice = layout.find_twice()
    if twice:
        first, second = (layout.name_place(number) for number in twice)
        return f"{NAMES[layout.cards[twice[0]]]} lies {first} and {second}, but a seat has one of each card (BT-1)"
    if not can_guard(layout.beside):
        return f"the guard is a card from 2 to 10, not {NAMES[layout.beside]} (BT-2)"
    try:
        shape_of(layout.columns)
    except BadShape as error:
        return str(error)
    return None


def refuse_reforming(table: Position, seat: int, text: str) -> str | None:
    if table.decision == DEPLOY:
        return "the referee asks for a deployment now (BT-2)"
    side = table.sides[seat]
    if side.reformed:
        return "this seat has reformed already, and may do so once a game (BT-35)"
    if table.picked_up:
        return "in a turn in which the wounded were picked up there is no reforming (BT-14)"
    if table.moved:
        return "reforming is a whole turn, and cards have been moved in this one (BT-10)"
    if not side.occupied:
        return "there is no card in the formation that could be laid out anew (BT-35)"
    return refuse_layout(side, read_layout(text))


def refuse_pickup(table: Position, seat: int, first: int, other: int, second: int) -> str:
    side = table.sides[seat]
    if table.moved:
        return "the wounded are picked up as the first thing in a turn, before any move (BT-14)"
    if side.hand:
        return "the wounded are picked up only with no card in the hand (BT-14)"
    return "there is no wounded card to pick up (BT-14)"


def refuse_start(side: Side, spot: int, ruling: str) -> str | None:
    """Why no card can be moved or attack from this cell; None where there is one that may."""
    name = CELL_NAMES[spot]
    if spot == GUARD and side.cards[GUARD]:
        if side.has_only_guard():
            return None
        return "the guard stays in its cell while its seat has any other card (BT-17)"
    if not has_cell(side, spot):
        return f"the own formation has no cell {name} ({ruling})"
    return None if side.cards[spot] else f"the own cell {name} is empty ({ruling})"


def has_cell(side: Side, spot: int) -> bool:
    return side.shape is not None and (spot == GUARD or bool(side.graph.cells >> spot & 1))


def refuse_move(table: Position, seat: int, first: int, other: int, second: int) -> str:
    side = table.sides[seat]
    wrong = refuse_start(side, first, "BT-12")
    if wrong:
        return wrong
    if first in table.moved:
        return f"the card in {CELL_NAMES[first]} has moved in this turn already (BT-12)"
    if second == GUARD and not can_guard(side.cards[first]) and not side.cards[GUARD]:
        return f"only a card from 2 to 10 can be the guard, not {NAMES[side.cards[first]]} (BT-12)"
    return refuse_goal(side, second, "BT-12") or (
        f"no direct path leads from {CELL_NAMES[first]} to {CELL_NAMES[second]} through empty cells of the own "
        "formation (BT-11, BT-12)"
    )


def refuse_goal(side: Side, spot: int, ruling: str) -> str | None:
    """Why no own card can come to lie in this cell."""
    if not has_cell(side, spot):
        return f"the own formation has no cell {CELL_NAMES[spot]} ({ruling})"
    if side.cards[spot]:
        return f"the own cell {CELL_NAMES[spot]} is not empty ({ruling})"
    return None


def refuse_reinforcement(table: Position, seat: int, first: int, other: int, second: int) -> str:
    side = table.sides[seat]
    if not side.hand >> first & 1:
        return f"{NAMES[first]} is not in the hand (BT-13)"
    if second == GUARD and not can_guard(first) and not side.cards[GUARD]:
        return f"only a card from 2 to 10 can be the guard, not {NAMES[first]} (BT-13)"
    if not side.graph.back & ~side.occupied:
        return "the back row has no empty cell where a card could enter (BT-13)"
    return refuse_goal(side, second, "BT-13") or (
        f"no direct path leads from an empty cell of the back row to {CELL_NAMES[second]} (BT-11, BT-13)"
    )


def refuse_die(table: Position, seat: int, first: int, other: int, second: int) -> str:
    still = table.sides[seat].modification
    return f"a modification of {still:+d} is in force, and the die is not rolled before it is back (BT-30)"


def refuse_attack(table: Position, seat: int, first: int, other: int, second: int) -> str:
    side = table.sides[seat]
    return (
        refuse_start(side, first, "BT-20")
        or refuse_victim(table, seat, other)
        or refuse_target(table, side, first, other, second)
    )


def refuse_victim(table: Position, seat: int, other: int) -> str | None:
    """Why this seat can't be attacked at all."""
    if other == seat:
        return "a seat does not attack its own cards (BT-20)"
    if other >= table.seats:
        return f"there is no seat {other}; seats are 0 to {table.seats - 1} (BT-1)"
    if table.sides[other].out:
        return f"seat {other} is out (BT-40)"
    if other not in attackable(table, seat):
        return f"seat {other} was attacked in the turn before, and not twice in a row (BT-16)"
    return None


def refuse_target(table: Position, side: Side, first: int, other: int, second: int) -> str:
    foe, card = table.sides[other], side.cards[first]
    name = f"{other}:{CELL_NAMES[second]}"
    if not has_cell(foe, second):
        return f"seat {other}'s formation has no cell {CELL_NAMES[second]} (BT-20)"
    if second == GUARD and card == KING:
        return "a King strikes no guard and no guard cell (BT-25)"
    if second == GUARD and card == JACK and not foe.cards[GUARD]:
        return f"the guard cell {name} is empty, so a Jack has nothing to look at (BT-24)"
    if second != GUARD and not foe.cards[second]:
        return f"the cell {name} is empty (BT-20)"
    if card in (QUEEN, JACK):
        return f"every path from {CELL_NAMES[first]} to {name} has more than one occupied cell between (BT-22, BT-26)"
    return f"no direct path leads from {CELL_NAMES[first]} to {name}: cells between are occupied (BT-11, BT-20)"


REFUSALS: dict[int, Callable[[Position, int, int, int, int], str]] = {
    PICKUP: refuse_pickup,
    MOVE: refuse_move,
    ATTACK: refuse_attack,
    REINFORCE: refuse_reinforcement,
    MODIFY: refuse_die,
}
"""By kind. Passing is always legal (BT-15)."""
