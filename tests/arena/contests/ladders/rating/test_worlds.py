"""Ratings in small worlds where the truth is known. What is asked of them at full size is measured beside the suite."""

from itertools import combinations

import numpy as np

from arena.contests.ladders.fit import Entities, Stats, fit_ratings
from arena.contests.ladders.rating import LOGITS_PER_ELO, Z_SCORE_95, compute_pair_results, expected_score
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


def test_a_single_leg_is_one_game_and_its_intervals_hold_the_truth() -> None:
    """With deals that no second leg mirrors, a bot's luck is a part of its result; intervals are as wide as that."""
    held, wide, dispersions = [], [], []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        truth = rng.normal(1500.0, 200.0, BOTS)
        stats = play_single_legs(truth, rng)
        fitted = fit_ratings(ENTITIES, stats)
        error = fitted.rating - fitted.rating.mean() - (truth - truth.mean())
        held.append(np.abs(error) <= Z_SCORE_95 * fitted.deviation)
        wide.append(fitted.deviation)
        dispersions.append(fitted.dispersion)
    assert 0.93 < np.mean(held) < 0.97
    assert 0.95 < np.mean(dispersions) < 1.05
    games = 30 * (BOTS - 1)  # an equal opponent tells a quarter of a squared logit a game
    assert np.mean(wide) > 1 / (LOGITS_PER_ELO * np.sqrt(games / 4))


BOTS = 12
ENTITIES = Entities(
    rating0=np.full(BOTS, 1500.0),
    deviation0=np.full(BOTS, 300.0),
    parent=np.full(BOTS, -1),
    is_root=np.full(BOTS, True),
    is_active=np.full(BOTS, True),
    is_anchor=np.full(BOTS, False),
)


def play_single_legs(truth: np.ndarray, rng: np.random.Generator) -> Stats:
    """Thirty matches of one leg between each two, as a ladder sums them up."""
    rows = []
    for first, second in combinations(range(BOTS), 2):
        wins = rng.random(30) < expected_score(truth[first] - truth[second])
        [won], [lost] = (compute_pair_results([places]) for places in ([1, 2], [2, 1]))
        halves = np.where(wins, won.halves, lost.halves)
        rows.append((first, second, won.seats, 30, halves.sum(), (halves**2).sum()))
    return Stats(*np.array(rows, dtype=np.int64).T)
