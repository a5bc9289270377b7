"""When a rating is known well enough for a rank."""

MAX_RANKED_DEVIATION_ELO = 60.0
"""Elo."""
MIN_RANKED_MATCHES = 20
MIN_RANKED_OPPONENTS = 8
MATCHES_WAIVING_OPPONENTS = 60
"""After so many matches it doesn't matter how many it met: who is far better than all others has few to play with."""


def is_ranked(deviation: float, matches: int, opponents: int, others: int) -> bool:
    """`others`: how many there are that it may meet. Who has met them all has met enough."""
    has_met_enough = opponents >= min(MIN_RANKED_OPPONENTS, others) or matches >= MATCHES_WAIVING_OPPONENTS
    return deviation <= MAX_RANKED_DEVIATION_ELO and matches >= MIN_RANKED_MATCHES and has_met_enough
