"""Elo, for two and more. Arithmetic only."""

from collections.abc import Sequence

K = 32.0
FIRST = 1500.0
SCALE = 400.0


def expected(own: float, other: float) -> float:
    """The points, from 0 to 1, to be expected against another rating."""
    return 1.0 / (1.0 + 10.0 ** ((other - own) / SCALE))


def rate(ratings: Sequence[float], points: Sequence[float]) -> list[float]:
    """New ratings after one match. `points` are from 0 to 1 for each, half of the participants' number in sum.

    With more than two a match is made of its pairs, each of which counts as a match of its own and moves as much less
    as there are more of them for each participant: `points` are the mean over its pairs already, and so is what is
    hoped for. What one wins the others lose.
    """
    others = len(ratings) - 1
    hopes = [
        sum(expected(own, other) for j, other in enumerate(ratings) if j != i) / others for i, own in enumerate(ratings)
    ]
    return [own + K * (got - hoped) for own, got, hoped in zip(ratings, points, hopes, strict=True)]
