"""Score a series of games (BL-25), for tournaments and for games between people."""

from collections.abc import Sequence

from engine.core import Outcome, Seat


def series_score(outcomes: Sequence[tuple[Outcome, Sequence[int]]], players: int = 2) -> list[float]:
    """Return points by player for outcomes with the players by seat.

    The winner of a game scores 5, the other its flags.
    """
    totals = [0.0] * players
    for outcome, seating in outcomes:
        for player, score in zip(seating, outcome.scores, strict=True):
            totals[player] += score
    return totals


def next_first_player(outcome: Outcome, seating: Sequence[int]) -> int:
    """Return who sits at seat 0 in the next game: the winner of this one, after a draw the same player again."""
    first: Seat = 0 if len(set(outcome.places)) == 1 else outcome.places.index(1)
    return seating[first]
