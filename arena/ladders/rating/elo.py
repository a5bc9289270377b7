"""The scale: Elo's logistic curve, and where a rating begins."""

from math import log

Q = log(10) / 400
"""Logits to an Elo."""
FIRST = 1500.0
FIRST_DEVIATION = 300.0
"""Standard deviation of a newcomer's rating, in Elo."""
VERSION_DEVIATION = 80.0
"""Standard deviation of the difference between a version and the one before it, in Elo."""
INTERVAL = 1.96
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


def expected(difference: float) -> float:
    """The share of points, from 0 to 1, to be expected by who is better by so many Elo."""
    odds: float = 10.0 ** (-difference / 400.0)
    return 1.0 / (1.0 + odds)
