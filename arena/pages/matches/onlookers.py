"""The onlookers of a leg in addresses: everything, what one seat sees, or what is public."""

from collections.abc import Sequence

from arena.pages.matches.replay import PUBLIC_ONLOOKER

EVERYTHING, PUBLIC = "all", "public"


def read_view(asked: str, own: Sequence[int], seats: int) -> int | None:
    """Return the onlooker asked for; by default the seat of the reader's own bot if it has one seat, else None."""
    if asked == EVERYTHING:
        return None
    if asked == PUBLIC:
        return PUBLIC_ONLOOKER
    if asked.isdecimal() and int(asked) < seats:
        return int(asked)
    return own[0] if len(own) == 1 else None


def name_view(onlooker: int | None) -> str:
    """Return the value of `view` in an address for an onlooker."""
    if onlooker is None:
        return EVERYTHING
    return PUBLIC if onlooker == PUBLIC_ONLOOKER else str(onlooker)
