"""Eliminate seats, pass turns and rounds, and end the play (BT-40 to BT-42)."""

from typing import Final

from engine.core import Outcome
from engine.games.battalion.position import FELL, Position
from engine.games.battalion.view import lay_open

LAST_STANDING: Final = "last-standing"
QUIET: Final = "quiet"
LIMIT: Final = "limit"


def eliminate_seat(table: Position, seat: int) -> None:
    """Remove a seat whose emperor is dead, and show all its cards (BT-40)."""
    table.log.append((FELL, seat, lay_open(table.sides[seat]), None))
    table.sides[seat].clear()
    table.fallen += (seat,)
    table.seats_in = tuple(still for still in table.seats_in if still != seat)


def pass_turn(table: Position, seat: int) -> Outcome | None:
    """End the seat's turn, and return the outcome where that ends the play."""
    table.moved = ()
    table.picked_up = False
    left = table.seats_in
    if len(left) == 1:
        return build_outcome(table, LAST_STANDING)
    following = left[0] if seat >= left[-1] else next(after for after in left if after > seat)
    if table.turn_order(following) <= table.turn_order(seat):
        reason = end_round(table)
        if reason:
            return build_outcome(table, reason)
    table.to_act = following
    return None


def end_round(table: Position) -> str | None:
    """End a round, and return the reason where that ends the play (BT-42)."""
    table.quiet = 0 if table.died else table.quiet + 1
    table.died = False
    if table.quiet >= table.rules.quiet_rounds:
        return QUIET
    if table.round >= table.rules.round_limit:
        return LIMIT
    table.round += 1
    return None


def build_outcome(table: Position, reason: str) -> Outcome:
    """Return places and scores: who is still in by kills, then the others, those who fell later first."""
    tiers = [[seat] for seat in table.fallen[::-1]]
    left = table.seats_in
    for kills in sorted({table.sides[seat].kills for seat in left}):
        tiers.insert(0, [seat for seat in left if table.sides[seat].kills == kills])
    return rank_tiers(tiers, reason)


def rank_tiers(tiers: list[list[int]], reason: str) -> Outcome:
    """Return the outcome for seats from best to worst.

    Those of a tier share their places and the mean of their scores.
    """
    scores = [0.0] * sum(len(tier) for tier in tiers)
    behind = len(scores)
    for tier in tiers:
        for seat in tier:
            scores[seat] = float(behind) - (len(tier) + 1) / 2
        behind -= len(tier)
    return Outcome.from_scores(scores, reason)
