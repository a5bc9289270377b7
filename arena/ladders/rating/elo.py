"""The scale: Elo's logistic curve, and where a rating begins."""

from math import log

Q = log(10) / 400
"""Logits to an Elo."""
FIRST = 1500.0
FIRST_DEVIATION = 300.0
"""Of somebody of whom nothing is known: standard deviation, Elo."""
VERSION_DEVIATION = 80.0
"""How much a new version differs from the one before it: standard deviation, Elo."""
INTERVAL = 1.96
"""So many standard deviations on both sides hold 95 %."""


def expected(difference: float) -> float:
    """The share of points, from 0 to 1, to be expected by who is better by so many Elo."""
    odds: float = 10.0 ** (-difference / 400.0)
    return 1.0 / (1.0 + odds)
