"""Explain why a well-formed action isn't legal, with the place and the ruling."""

from collections.abc import Callable
from typing import Final

from engine.core import Refusal, refuse
from engine.games.battalion.cards import CARD_NAMES, JACK, KING, QUEEN, can_guard
from engine.games.battalion.geometry import BadShape, build_shape
from engine.games.battalion.layout import read_layout, unpack_layout
from engine.games.battalion.legal import list_attackable_seats
from engine.games.battalion.moves import (
    ATTACK,
    CELL_NAMES,
    LAYOUT,
    MODIFY,
    MOVE,
    PICKUP,
    REINFORCE,
    decode_move,
    get_move_kind,
)
from engine.games.battalion.paths import GUARD_SPOT
from engine.games.battalion.position import DEPLOY, Position, Side
from engine.games.battalion.reform import refuse_layout
from engine.message import gettext_noop


def explain_refusal(table: Position, seat: int, move: int) -> Refusal | None:
    """Return why this move isn't legal, or None where it is a legal layout."""
    if get_move_kind(move) == LAYOUT:
        text = unpack_layout(move)
        return refuse_deployment(table, text) if text.startswith("deploy") else refuse_reforming(table, seat, text)
    if table.decision == DEPLOY:
        return refuse_before_deployment()
    kind, first, other, second = decode_move(move)
    return REFUSAL_FUNCTIONS_BY_MOVE_KIND[kind](table, seat, first, other, second)


def refuse_before_deployment() -> Refusal:
    """Refuse anything but a deployment while seats deploy."""
    return refuse(gettext_noop("a deployment is expected now"), "BT-2")


def refuse_deployment(table: Position, text: str) -> Refusal | None:
    """Return why this deployment isn't legal, or None where it is."""
    if table.decision != DEPLOY:
        return refuse(gettext_noop("formations are deployed once, before the first turn"), "BT-2")
    layout = read_layout(text)
    twice = layout.find_twice()
    if twice:
        first, second = (layout.describe_place(number) for number in twice)
        return refuse(
            gettext_noop("%(card)s lies %(first_place)s and %(second_place)s, but a seat has one of each card"),
            "BT-1",
            card=CARD_NAMES[layout.cards[twice[0]]],
            first_place=first,
            second_place=second,
        )
    if not can_guard(layout.beside):
        return refuse_guard(layout.beside, "BT-2")
    try:
        build_shape(layout.columns)
    except BadShape as error:
        return error.refusal
    return None


def refuse_guard(card: int, ruling: str) -> Refusal:
    """Refuse a card that can't be the guard."""
    return refuse(
        gettext_noop("only a card from 2 to 10 can be the guard, not %(card)s"), ruling, card=CARD_NAMES[card]
    )


def refuse_reforming(table: Position, seat: int, text: str) -> Refusal | None:
    """Return why this reforming isn't legal, or None where it is."""
    if table.decision == DEPLOY:
        return refuse_before_deployment()
    side = table.sides[seat]
    if side.reformed:
        return refuse(gettext_noop("this seat has already reformed, and may do so once a game"), "BT-35")
    if table.picked_up:
        return refuse(gettext_noop("there is no reforming in a turn in which the wounded were picked up"), "BT-14")
    if table.moved:
        return refuse(gettext_noop("reforming takes a whole turn, and cards have been moved in this one"), "BT-10")
    if not side.occupied:
        return refuse(gettext_noop("there is no card in the formation that could be laid out anew"), "BT-35")
    return refuse_layout(side, read_layout(text))


def refuse_pickup(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse to pick up the wounded."""
    side = table.sides[seat]
    if table.moved:
        return refuse(gettext_noop("the wounded are picked up first in a turn, before any move"), "BT-14")
    if side.hand:
        return refuse(gettext_noop("the wounded are picked up only while the hand is empty"), "BT-14")
    return refuse(gettext_noop("there is no wounded card to pick up"), "BT-14")


def refuse_start(side: Side, spot: int, ruling: str) -> Refusal | None:
    """Return why no card can move or attack from this cell, or None where there is one that may."""
    if spot == GUARD_SPOT and side.cards[GUARD_SPOT]:
        if side.has_only_guard():
            return None
        return refuse(gettext_noop("the guard stays in its cell while its seat has any other card"), "BT-17")
    if not has_cell(side, spot):
        return refuse_no_cell(spot, ruling)
    if side.cards[spot]:
        return None
    return refuse(gettext_noop("this seat's cell %(cell)s is empty"), ruling, cell=CELL_NAMES[spot])


def has_cell(side: Side, spot: int) -> bool:
    """Return whether the formation has this cell; it always has a guard cell."""
    return side.shape is not None and (spot == GUARD_SPOT or bool(side.graph.cells >> spot & 1))


def refuse_no_cell(spot: int, ruling: str) -> Refusal:
    """Refuse a cell that the seat's own formation doesn't have."""
    return refuse(gettext_noop("this seat's formation has no cell %(cell)s"), ruling, cell=CELL_NAMES[spot])


def refuse_move(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse a move within the formation."""
    side = table.sides[seat]
    refused = refuse_start(side, first, "BT-12")
    if refused:
        return refused
    if first in table.moved:
        template = gettext_noop("the card in %(cell)s has already moved in this turn")
        return refuse(template, "BT-12", cell=CELL_NAMES[first])
    if second == GUARD_SPOT and not can_guard(side.cards[first]) and not side.cards[GUARD_SPOT]:
        return refuse_guard(side.cards[first], "BT-12")
    return refuse_goal(side, second, "BT-12") or refuse(
        gettext_noop("no direct path leads from %(start)s to %(goal)s through empty cells of this seat's formation"),
        "BT-11",
        "BT-12",
        start=CELL_NAMES[first],
        goal=CELL_NAMES[second],
    )


def refuse_goal(side: Side, spot: int, ruling: str) -> Refusal | None:
    """Return why no card of the seat's own can enter this cell, or None where one can."""
    if not has_cell(side, spot):
        return refuse_no_cell(spot, ruling)
    if side.cards[spot]:
        return refuse(gettext_noop("this seat's cell %(cell)s is not empty"), ruling, cell=CELL_NAMES[spot])
    return None


def refuse_reinforcement(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse to bring a card from the hand."""
    side = table.sides[seat]
    if not side.hand >> first & 1:
        return refuse(gettext_noop("%(card)s is not in the hand"), "BT-13", card=CARD_NAMES[first])
    if second == GUARD_SPOT and not can_guard(first) and not side.cards[GUARD_SPOT]:
        return refuse_guard(first, "BT-13")
    if not side.graph.back & ~side.occupied:
        return refuse(gettext_noop("the back row has no empty cell where a card could enter"), "BT-13")
    return refuse_goal(side, second, "BT-13") or refuse(
        gettext_noop("no direct path leads from an empty cell of the back row to %(goal)s"),
        "BT-11",
        "BT-13",
        goal=CELL_NAMES[second],
    )


def refuse_die(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse to roll the die while a modification is in force."""
    return refuse(
        gettext_noop("a modification of %(change)s is in force, and the die is not rolled again before it has ended"),
        "BT-30",
        change=f"{table.sides[seat].modification:+d}",
    )


def refuse_attack(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse an attack."""
    side = table.sides[seat]
    return (
        refuse_start(side, first, "BT-20")
        or refuse_victim(table, seat, other)
        or refuse_target(table, side, first, other, second)
    )


def refuse_victim(table: Position, seat: int, other: int) -> Refusal | None:
    """Return why this seat can't be attacked at all, or None where it can."""
    if other == seat:
        return refuse(gettext_noop("a seat does not attack its own cards"), "BT-20")
    if other >= table.seats:
        template = gettext_noop("there is no seat %(seat)s; seats are 0 to %(last)s")
        return refuse(template, "BT-1", seat=other, last=table.seats - 1)
    if table.sides[other].out:
        return refuse(gettext_noop("seat %(seat)s is out"), "BT-40", seat=other)
    if other not in list_attackable_seats(table, seat):
        return refuse(
            gettext_noop("seat %(seat)s was attacked in the turn before, and not twice in a row"), "BT-16", seat=other
        )
    return None


def refuse_target(table: Position, side: Side, first: int, other: int, second: int) -> Refusal:
    """Refuse an attack on this cell of a seat that may be attacked."""
    foe, card = table.sides[other], side.cards[first]
    target, start = f"{other}:{CELL_NAMES[second]}", CELL_NAMES[first]
    if not has_cell(foe, second):
        template = gettext_noop("seat %(seat)s's formation has no cell %(cell)s")
        return refuse(template, "BT-20", seat=other, cell=CELL_NAMES[second])
    if second == GUARD_SPOT and card == KING:
        return refuse(gettext_noop("a King strikes no guard and no guard cell"), "BT-25")
    if second == GUARD_SPOT and card == JACK and not foe.cards[GUARD_SPOT]:
        template = gettext_noop("the guard cell %(target)s is empty, so a Jack has nothing to look at")
        return refuse(template, "BT-24", target=target)
    if second != GUARD_SPOT and not foe.cards[second]:
        return refuse(gettext_noop("the cell %(target)s is empty"), "BT-20", target=target)
    if card in (QUEEN, JACK):
        template = gettext_noop("every path from %(start)s to %(target)s has more than one occupied cell between")
        return refuse(template, "BT-22", "BT-26", start=start, target=target)
    template = gettext_noop("no direct path leads from %(start)s to %(target)s: cells between are occupied")
    return refuse(template, "BT-11", "BT-20", start=start, target=target)


REFUSAL_FUNCTIONS_BY_MOVE_KIND: Final[dict[int, Callable[[Position, int, int, int, int], Refusal]]] = {
    PICKUP: refuse_pickup,
    MOVE: refuse_move,
    ATTACK: refuse_attack,
    REINFORCE: refuse_reinforcement,
    MODIFY: refuse_die,
}
"""By kind of move. Passing is always legal (BT-15)."""
