"""The Elo scale: its logistic curve and initial values."""

from math import log

LOGITS_PER_ELO = log(10) / 400
"""Logits per Elo point: Glicko's q."""
INITIAL_RATING_ELO = 1500.0
INITIAL_DEVIATION_ELO = 300.0
"""Standard deviation of a new bot's rating, in Elo."""
VERSION_CHANGE_SD_ELO = 80.0
"""Standard deviation of the difference between a version and the one before it, in Elo."""
Z_SCORE_95 = 1.96
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


def expected_score(rating_difference: float) -> float:
    """Return the expected score, from 0 to 1, of a player stronger by `difference` Elo."""
    odds: float = 10.0 ** (-rating_difference / 400.0)
    return 1.0 / (1.0 + odds)


def find_upset_chance(winner_rating: float, loser_rating: float) -> float | None:
    """Return the expected score of a winner who was the weaker by its rating; None for one who was not."""
    return expected_score(winner_rating - loser_rating) if winner_rating < loser_rating else None
