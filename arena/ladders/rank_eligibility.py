"""Decide whether a rating is certain enough for a rank."""

MAX_RANKED_DEVIATION_ELO = 60.0
MIN_RANKED_MATCHES = 20
MIN_RANKED_OPPONENTS = 8
MATCHES_WAIVING_OPPONENTS = 60
"""With so many matches the number of opponents is waived: an entry far stronger than all others finds few."""


def is_ranked(deviation: float, matches: int, opponents: int, others: int, *, was_ranked: bool = False) -> bool:
    """Return whether an entry gets or keeps a rank.

    `others` is the number of entries it may meet; all of them are enough. Whoever `was_ranked` in the season before has
    met enough, however many newcomers there are: only a rating that is no longer certain takes the rank away.
    """
    has_met_enough = (
        was_ranked or opponents >= min(MIN_RANKED_OPPONENTS, others) or matches >= MATCHES_WAIVING_OPPONENTS
    )
    return deviation <= MAX_RANKED_DEVIATION_ELO and matches >= MIN_RANKED_MATCHES and has_met_enough
