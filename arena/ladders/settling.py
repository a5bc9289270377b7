"""When a rating is known well enough for a rank."""

DEVIATION = 60.0
"""Elo."""
MATCHES = 20
OPPONENTS = 8


def is_settled(deviation: float, matches: int, opponents: int, others: int) -> bool:
    """`others`: how many there are that it may meet. Who has met them all has met enough."""
    return deviation <= DEVIATION and matches >= MATCHES and opponents >= min(OPPONENTS, others)
