"""End the play: adjacent flags, flags in all, or two passes (BL-21, BL-24, BL-25, BL-64)."""

from typing import Final

from engine.core import Outcome
from engine.games.battleline.position import AWARDED, Position
from engine.games.battleline.proof import is_claim_provable
from engine.games.battleline.tiles import TOWN, TOWN_FLAG_COUNT

WIN_SCORE: Final = 5
"""The score of a won game (BL-25)."""
BREAKTHROUGH_FLAGS: Final = 3


def winning_rule(table: Position, seat: int) -> str | None:
    """Return the rule by which the seat's flags win, or None where they don't (BL-21)."""
    if table.rules.breakthrough and has_breakthrough(table, seat):
        return "breakthrough"
    return "envelopment" if count_flags(table, seat) >= table.rules.envelopment else None


def has_breakthrough(table: Position, seat: int) -> bool:
    """Return whether the seat has enough adjacent flags; a Town is adjacent to none."""
    row = 0
    for flag, owner in enumerate(table.owner):
        row = row + 1 if owner == seat and table.tiles[flag] != TOWN else 0
        if row == BREAKTHROUGH_FLAGS:
            return True
    return False


def count_flags(table: Position, seat: int) -> int:
    """Return the number of a seat's flags, a Town counting two."""
    return sum(
        TOWN_FLAG_COUNT if tile == TOWN else 1
        for owner, tile in zip(table.owner, table.tiles, strict=True)
        if owner == seat
    )


def build_outcome(table: Position, winner: int | None, reason: str) -> Outcome:
    """Return the outcome with `winner` (None: nobody) first. Scores follow BL-25."""
    flags = [count_flags(table, seat) for seat in (0, 1)]
    return Outcome.from_scores([WIN_SCORE if seat == winner else flags[seat] for seat in (0, 1)], reason)


def award_provable_flags(table: Position, first: int) -> Outcome:
    """End the play after two passes in a row (BL-24).

    Each seat in turn gets the flags it can prove, `first` before the other.
    """
    for seat in (first, 1 - first):
        for flag, owner in enumerate(table.owner):
            if owner is None and is_claim_provable(table, seat, flag):
                table.claim(seat, flag)
                table.record(AWARDED, seat, flag)
                reason = winning_rule(table, seat)
                if reason:
                    return build_outcome(table, seat, reason)
    mine, theirs = count_flags(table, 0), count_flags(table, 1)
    return build_outcome(table, None if mine == theirs else 0 if mine > theirs else 1, "passes")
