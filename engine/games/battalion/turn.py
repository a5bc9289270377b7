"""Carry out each kind of move (BT-2, BT-10 to BT-14, BT-30)."""

from collections.abc import Callable
from typing import Final

from engine.core import Outcome
from engine.games.battalion.cards import card_set
from engine.games.battalion.combat import carry_out_attack, judge_attack_on_table
from engine.games.battalion.ending import pass_turn
from engine.games.battalion.geometry import build_shape
from engine.games.battalion.knowledge import HAND_PLACE
from engine.games.battalion.layout import read_layout
from engine.games.battalion.moves import ATTACK, MODIFY, MOVE, PASS, PICKUP, REINFORCE
from engine.games.battalion.paths import GUARD_SPOT
from engine.games.battalion.position import DEPLOY, REVEALED, TURN, Position, Side
from engine.games.battalion.reform import reform_formation

ROLL_OF_ZERO: Final = 3
"""The roll that gives modification 0 (BT-30)."""


def pick_up(table: Position, seat: int, first: int, other: int, second: int) -> None:
    """Take the wounded pile into the hand (BT-14)."""
    side = table.sides[seat]
    side.knowledge = side.knowledge.pick_up(side.wounded)
    side.hand = card_set(side.wounded)
    side.wounded = ()
    side.seen = [None, None]
    table.picked_up = True


def move(table: Position, seat: int, first: int, other: int, second: int) -> None:
    """Move a card within the formation (BT-12)."""
    side = table.sides[seat]
    side.knowledge = side.knowledge.move(first, second)
    side.move(first, second)
    table.moved += (second,)


def do_pass(table: Position, seat: int, first: int, other: int, second: int) -> Outcome | None:
    """End the turn (BT-15)."""
    return end_turn(table, seat)


def attack(table: Position, seat: int, first: int, other: int, second: int) -> Outcome | None:
    """Attack a cell of another seat (BT-20)."""
    clash = judge_attack_on_table(table, seat, first, other, second)
    add_detail(table, clash)
    carry_out_attack(table, seat, first, other, second, clash)
    return end_turn(table, seat, attacked=other)


def reinforce(table: Position, seat: int, first: int, other: int, second: int) -> Outcome | None:
    """Bring a card from the hand (BT-13)."""
    side = table.sides[seat]
    side.knowledge = side.knowledge.move(HAND_PLACE, second)
    side.hand &= ~(1 << first)
    side.put(first, second)
    return end_turn(table, seat)


def modify(table: Position, seat: int, first: int, other: int, second: int) -> Outcome | None:
    """Roll the die for a modification.

    It stays as rolled to the end of the next turn (BT-30), so it is not aged here.
    """
    side = table.sides[seat]
    roll = table.roll()
    add_detail(table, roll)
    side.modification = roll - ROLL_OF_ZERO
    side.seen = [None, None]
    table.last_attacked = None
    return pass_turn(table, seat)


def add_detail(table: Position, detail: object) -> None:
    """Add what follows from the move being played to its log entry."""
    kind, seat, datum, _ = table.log[-1]
    table.log[-1] = (kind, seat, datum, detail)


def end_turn(table: Position, seat: int, attacked: int | None = None) -> Outcome | None:
    """End a turn other than a roll: the die goes one step, and the next seat is to act."""
    table.last_attacked = attacked
    if not table.sides[seat].out:
        age_die(table.sides[seat])
    return pass_turn(table, seat)


def age_die(side: Side) -> None:
    """Move the die one step toward zero, or from zero back to the emperor (BT-30)."""
    if side.modification is None:
        return
    step = side.modification
    side.modification = None if step == 0 else step - 1 if step > 0 else step + 1
    side.seen = [None, None]


def deploy(table: Position, seat: int, text: str) -> Outcome | None:
    """Keep a deployment. Nothing is laid out before every seat has deployed (BT-2)."""
    table.deployed[seat] = text
    ask_for_deployment(table)
    return None


def ask_for_deployment(table: Position) -> None:
    """Go on to the next seat that has not deployed, or reveal all shapes and begin."""
    waiting = [seat for seat in table.seats_in if table.deployed[seat] is None]
    if waiting:
        table.to_act = waiting[0]
        return
    for seat in table.seats_in:
        text = table.deployed[seat]
        assert text is not None
        lay_out(table.sides[seat], text)
        table.log.append((REVEALED, seat, text, None))
    table.decision = TURN
    table.round = 1
    table.to_act = min(table.seats_in, key=table.turn_order)


def lay_out(side: Side, text: str) -> None:
    """Lay out a deployment."""
    layout = read_layout(text)
    side.lay_out(build_shape(layout.columns), tuple(card for row in layout.rows for _, card in row))
    side.cards[GUARD_SPOT] = layout.beside
    side.hand &= ~card_set(layout.cards)


def do_reform(table: Position, seat: int, text: str) -> Outcome | None:
    """Reform, and end the turn."""
    reform_formation(table.sides[seat], text)
    return end_turn(table, seat)


EFFECTS: Final[dict[int, Callable[[Position, int, int, int, int], Outcome | None]]] = {
    PICKUP: pick_up,
    MOVE: move,
    PASS: do_pass,
    ATTACK: attack,
    REINFORCE: reinforce,
    MODIFY: modify,
}
"""By kind: change the table for `(table, seat, first, other, second)`; an outcome where that ends the play."""

LAYOUTS: Final[dict[str, Callable[[Position, int, str], Outcome | None]]] = {DEPLOY: deploy, TURN: do_reform}
"""By decision: what a layout's text does, for `(table, seat, text)`."""
