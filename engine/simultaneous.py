"""Mask the choices that seats make at the same time.

They are asked for one seat after the other. A game logs each choice when it is made, and once more when all have chosen
and it is revealed; of the two entries every seat is told one.
"""

from engine.core import Json, Seat


def knows_choice(seat: Seat | None, actor: Seat) -> bool:
    """Return whether `seat` knows what `actor` chose before all have; None knows everything."""
    return seat is None or seat == actor


def tell_choice(seat: Seat | None, actor: Seat, action: str) -> Json | None:
    """Return the event of a choice when it is made, or None for those who don't know it yet."""
    return {"seat": actor, "action": action} if knows_choice(seat, actor) else None


def tell_revealed_choice(seat: Seat | None, actor: Seat, action: str) -> Json | None:
    """Return the event of a choice when it is revealed, or None for those who knew it before.

    `action` is what all may know of it then.
    """
    return None if knows_choice(seat, actor) else {"seat": actor, "action": action}
