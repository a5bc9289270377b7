from random import Random

import numpy as np
import pytest

from arena.ladders.rating.fit import MAX_DENSE_ENTITIES, compute_probability_stronger, fit_ratings
from arena.ladders.rating.posterior import invert_matrix
from tests.arena.ladders.rating.ledgers import entities, matches
from tests.bench.worlds.strengths import mirrored


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 130, 301])
def test_a_matrix_is_inverted_by_quarters(count: int) -> None:
    noise = np.random.default_rng(count).normal(size=(count, count))
    matrix = noise @ noise.T + count * np.eye(count)
    assert np.max(abs(invert_matrix(matrix) @ matrix - np.eye(count))) < 1e-9


def test_a_ladder_too_large_for_matrices_is_rated_the_same() -> None:
    """Some who play, alone and among so many who don't."""
    rng = Random(5)
    few, many = 200, MAX_DENSE_ENTITIES + 1
    rows = []
    for _ in range(20 * few):
        one, other = rng.sample(range(few), 2)
        rows.append((one, other, 2, mirrored((other - one) * 400 / few, rng)))
    told = matches(rows)
    small = fit_ratings(entities(few, is_anchor=[True] * 4 + [False] * (few - 4)), told, dispersion=0.95)
    large = fit_ratings(entities(many, is_anchor=[True] * 4 + [False] * (many - 4)), told, dispersion=0.95)
    assert small.covariance is not None and large.covariance is None
    assert np.max(abs(large.rating[:few] - small.rating)) < 1e-4
    assert np.max(abs(large.deviation[:few] / small.deviation - 1)) < 0.1
    assert np.all(large.deviation[few:] == 300)
    assert compute_probability_stronger(large, 0, few - 1) > 0.99
