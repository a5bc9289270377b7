"""Prove claims (BL-16 to BL-20): whether a seat may claim a flag, and what would refute it."""

from engine.games.battleline.formations import compute_strength, find_best_reach
from engine.games.battleline.position import Position


def is_claim_provable(table: Position, seat: int, flag: int) -> bool:
    """Return whether `seat` may claim an unclaimed flag."""
    known = table.refutations[seat][flag]
    if known and not known & ~table.unseen:
        return False
    if len(table.sides[seat][flag]) != table.slots[seat][flag]:
        return False
    if len(table.sides[1 - seat][flag]) == table.slots[1 - seat][flag]:
        return wins_with_both_complete(table, seat, flag)
    refutation = find_refutation(table, seat, flag)
    table.refutations[seat][flag] = refutation or 0
    return refutation is None


def compute_side_strength(table: Position, seat: int, flag: int) -> int:
    """Return the strength of a seat's complete side."""
    return compute_strength(table.sets[seat][flag], table.grounds[seat][flag])


def wins_with_both_complete(table: Position, seat: int, flag: int) -> bool:
    """Return whether the seat's side is the higher of two complete ones, or equal and complete first (BL-15)."""
    mine, theirs = compute_side_strength(table, seat, flag), compute_side_strength(table, 1 - seat, flag)
    return theirs < mine or (theirs == mine and table.last_seat(flag) != seat)


def find_refutation(table: Position, seat: int, flag: int) -> int | None:
    """Return the unseen troops with which the other side beats the complete one of `seat`, or None (BL-18, BL-19).

    The troops are a card set, empty where the other side is complete.
    """
    other = 1 - seat
    mine = compute_side_strength(table, seat, flag)
    free = table.slots[other][flag] - len(table.sides[other][flag])
    theirs, cards = find_best_reach(table.sets[other][flag], free, table.unseen, table.grounds[other][flag], mine)
    return cards if theirs > mine else None
