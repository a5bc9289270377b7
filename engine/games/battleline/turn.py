"""Carry out each kind of move (BL-1 to BL-5)."""

from collections.abc import Callable
from typing import Final

from engine.core import Outcome
from engine.games.battleline.cards import FIRST_TACTIC
from engine.games.battleline.ending import award_provable_flags, build_outcome, winning_rule
from engine.games.battleline.moves import (
    BETRAY,
    CLAIM,
    DESERT,
    DONE,
    DRAW,
    DRAW_MANY,
    LAY,
    PASS,
    PICK,
    PLACE,
    PUT_BACK,
    REDEPLOY_CARD,
    REMOVE,
    SCOUT_OUT,
)
from engine.games.battleline.options import HAND_SIZE
from engine.games.battleline.position import FINISH, PLAY, RETURNING, Position
from engine.games.battleline.tactics import play_at_flag, play_deserter, play_redeploy, play_scout, play_traitor
from engine.games.battleline.terrain import lay_tile, pick_tile, remove_troop, trigger_tile


def claim(table: Position, seat: int, card: int, flag: int, target: int) -> Outcome | None:
    """Claim a flag."""
    if table.decision == PLAY:
        table.claimed_before_play = True
    table.claim(seat, flag)
    reason = winning_rule(table, seat)
    if reason:
        return build_outcome(table, seat, reason)
    if table.tiles[flag] is not None:
        trigger_tile(table, seat, flag)
    return None


def place(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Place a card at a flag."""
    if card >= FIRST_TACTIC:
        play_at_flag(table, seat, card, flag)
        return
    table.passed = False
    table.decision = FINISH
    table.leave_hand(seat, card)
    table.place(card, seat, flag)


def do_pass(table: Position, seat: int, card: int, flag: int, target: int) -> Outcome | None:
    """Pass; the second pass in a row ends the play (BL-24)."""
    if table.passed:
        return award_provable_flags(table, 1 - seat)
    table.passed = True
    table.decision = FINISH
    return None


def draw(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Draw a card for a Scout or at the end of the turn."""
    table.draw(seat, flag)
    if table.decision == FINISH:
        end_turn(table)
        return
    table.draws_left -= 1
    if not table.draws_left:
        return_or_finish(table, seat)


def draw_many(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Draw all cards of a Scout at once."""
    for deck, count in enumerate((flag, target)):
        for _ in range(count):
            table.draw(seat, deck)
    return_or_finish(table, seat)


def put_back(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Put a card back for a Scout or Fields."""
    table.put_back(seat, card)
    if not table.fields_left:
        return_or_finish(table, seat)
        return
    table.fields_left -= 1
    if not table.fields_left:
        table.decision = table.resume


def return_or_finish(table: Position, seat: int) -> None:
    """Go on to putting cards back, or to the end of the turn."""
    table.decision = RETURNING if len(table.hands[seat]) > HAND_SIZE else FINISH


def done(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """End a turn without a draw."""
    end_turn(table)


def end_turn(table: Position) -> None:
    """End the turn; the other seat is to act."""
    table.turn += 1
    table.to_act = 1 - table.turn % 2
    table.decision = PLAY
    table.scouted = table.claimed_before_play = False


EFFECTS: Final[dict[int, Callable[[Position, int, int, int, int], Outcome | None]]] = {
    CLAIM: claim,
    PLACE: place,
    SCOUT_OUT: play_scout,
    REDEPLOY_CARD: play_redeploy,
    DESERT: play_deserter,
    BETRAY: play_traitor,
    PASS: do_pass,
    DRAW: draw,
    DRAW_MANY: draw_many,
    DONE: done,
    PUT_BACK: put_back,
    REMOVE: remove_troop,
    PICK: pick_tile,
    LAY: lay_tile,
}
"""By kind: change the table for `(table, seat, card, flag, target)`; an outcome where that ends the play."""
