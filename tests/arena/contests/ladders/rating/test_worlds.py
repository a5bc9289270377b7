"""Ratings in small worlds where the truth is known. What is asked of them at full size is measured beside the suite."""

from tests.bench.worlds import cold, living, seats
from tests.bench.worlds.figures import mean_of


def test_a_cold_start_ends_nearer_the_truth_than_elo_does() -> None:
    runs = [cold.run(12, 192, seed) for seed in range(4)]
    naive, shipped = (mean_of([getattr(one, way)[192] for one in runs]) for way in ("naive", "shipped"))
    assert shipped.rmse < 0.8 * naive.rmse
    assert 0.85 < shipped.slope < 1.15
    assert 0.8 < shipped.coverage


def test_on_a_ladder_that_lives_anchors_stand_and_ratings_are_nearer_the_truth() -> None:
    naive, shipped = living.run(1, living.Size(bots=30, games=24, days=12, begin=6))
    assert shipped.mean.rmse < 0.9 * naive.mean.rmse
    assert abs(shipped.drift) < 1e-6 < abs(naive.drift)


def test_tables_of_four_are_rated_as_well() -> None:
    runs = [seats.run(4, 48, seed, count=24) for seed in range(4)]
    naive, shipped = (mean_of([getattr(one, way) for one in runs]) for way in ("naive", "shipped"))
    assert shipped.rmse < 0.9 * naive.rmse
    assert 0.8 < shipped.coverage
