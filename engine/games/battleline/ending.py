"""How a play ends: adjacent flags, flags in all, or two passes (BL-21, BL-24, BL-25, BL-64)."""

from engine.core import Outcome
from engine.games.battleline.position import AWARDED, Position
from engine.games.battleline.proof import is_provable
from engine.games.battleline.tiles import TOWN, TOWN_FLAGS

WIN_SCORE = 5
"""What a won game scores (BL-25)."""
BREAKTHROUGH_FLAGS = 3


def winning_rule(table: Position, seat: int) -> str | None:
    """How the seat's flags win the game; None where they don't (BL-21)."""
    if table.rules.breakthrough and has_breakthrough(table, seat):
        return "breakthrough"
    return "envelopment" if count_flags(table, seat) >= table.rules.envelopment else None


def has_breakthrough(table: Position, seat: int) -> bool:
    row = 0
    for flag, owner in enumerate(table.owner):
        row = row + 1 if owner == seat and table.tiles[flag] != TOWN else 0
        if row == BREAKTHROUGH_FLAGS:
            return True
    return False


def count_flags(table: Position, seat: int) -> int:
    """Flags of a seat, a Town counting two."""
    return sum(
        TOWN_FLAGS if tile == TOWN else 1 for owner, tile in zip(table.owner, table.tiles, strict=True) if owner == seat
    )


def decide(table: Position, winner: int | None, reason: str) -> Outcome:
    """The outcome when `winner` (None: nobody) is first; scores as BL-25."""
    flags = [count_flags(table, seat) for seat in (0, 1)]
    if winner is None:
        return Outcome((1, 1), (flags[0], flags[1]), reason)
    scores = [WIN_SCORE if seat == winner else flags[seat] for seat in (0, 1)]
    return Outcome((1, 2) if winner == 0 else (2, 1), (scores[0], scores[1]), reason)


def award_flags(table: Position, first: int) -> Outcome:
    """Two passes in a row: each in turn gets what it can prove, `first` before the other (BL-24)."""
    for seat in (first, 1 - first):
        for flag, owner in enumerate(table.owner):
            if owner is None and is_provable(table, seat, flag):
                table.claim(seat, flag)
                table.record(AWARDED, seat, flag)
                reason = winning_rule(table, seat)
                if reason:
                    return decide(table, seat, reason)
    mine, theirs = count_flags(table, 0), count_flags(table, 1)
    return decide(table, None if mine == theirs else 0 if mine > theirs else 1, "passes")
