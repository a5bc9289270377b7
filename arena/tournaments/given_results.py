"""Results that an organiser gives a pairing instead of its matches. Pure: no database."""

from collections.abc import Sequence

from arena.tournaments.formats.base import Pairing, Result

EVEN_POINTS = 0.5


def build_winner_points(seats: int, winner: int) -> tuple[float, ...]:
    """Return the points by seat where one has won; at a larger table the others share the places behind it."""
    behind = (seats - 2) / 2 / (seats - 1)
    return tuple(1.0 if seat == winner else behind for seat in range(seats))


def build_even_points(seats: int) -> tuple[float, ...]:
    """Return the points by seat where all are even."""
    return (EVEN_POINTS,) * seats


def build_lost_points(seats: int) -> tuple[float, ...]:
    """Return the points by seat where all have lost."""
    return (0.0,) * seats


def may_give(pairing: Pairing, points: Sequence[float]) -> bool:
    """Return whether an organiser can give a pairing these points: where one advances, one has won."""
    seats = len(pairing.entrants)
    if seats < 2:
        return False
    allowed = [build_winner_points(seats, winner) for winner in range(seats)]
    if not pairing.must_decide:
        allowed += [build_even_points(seats), build_lost_points(seats)]
    return tuple(points) in allowed


def build_given_result(pairing: Pairing, points: Sequence[float]) -> Result:
    """Return the result with these points. It counts as one without play: a win is like a walkover."""
    return Result(pairing, tuple(points), (0.0,) * len(pairing.entrants), played=False)
