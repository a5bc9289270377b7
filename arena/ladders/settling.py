"""When a rating is known well enough for a rank."""

DEVIATION = 60.0
"""Elo."""
MATCHES = 20
OPPONENTS = 8
MANY = 60
"""After so many matches it doesn't matter how many it met: who is far better than all others has few to play with."""


def is_settled(deviation: float, matches: int, opponents: int, others: int) -> bool:
    """`others`: how many there are that it may meet. Who has met them all has met enough."""
    has_met_enough = opponents >= min(OPPONENTS, others) or matches >= MANY
    return deviation <= DEVIATION and matches >= MATCHES and has_met_enough
