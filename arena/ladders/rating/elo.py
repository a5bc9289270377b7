"""The Elo scale: its logistic curve and initial values."""

from math import log

Q = log(10) / 400
"""Logits per Elo point: Glicko's q."""
FIRST_RATING = 1500.0
FIRST_DEVIATION = 300.0
"""Standard deviation of a new bot's rating, in Elo."""
VERSION_DEVIATION = 80.0
"""Standard deviation of the difference between a version and the one before it, in Elo."""
Z_95 = 1.96
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


def expected_score(difference: float) -> float:
    """Return the expected score, from 0 to 1, of a player stronger by `difference` Elo."""
    odds: float = 10.0 ** (-difference / 400.0)
    return 1.0 / (1.0 + odds)
