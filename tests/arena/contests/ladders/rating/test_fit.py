from math import sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contests.ladders.fit import (
    MAX_DENSE_ENTITIES,
    FitResult,
    Stats,
    compute_probability_stronger,
    fit_ratings,
    invert_matrix,
)
from arena.contests.ladders.rating import LOGITS_PER_ELO
from tests.arena.contests.ladders.rating.ledgers import SINGLE, entities, known, matches, stats, turned
from tests.bench.worlds.strengths import mirrored

NEAR = 1e-6
"""Elo."""


@st.composite
def ledgers(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, int, int]]]:
    """Draw a number of entities, and matches of them."""
    count = draw(st.integers(2, 6))
    two = st.permutations(range(count)).map(lambda order: order[:2])
    rows = []
    for (one, other), seats in draw(st.lists(st.tuples(two, st.integers(2, 4)), max_size=40)):
        rows.append((one, other, seats, draw(st.integers(0, 2 * seats))))
    return count, rows


def same(one: FitResult, other: FitResult) -> None:
    assert other.rating == pytest.approx(one.rating, abs=NEAR)
    assert other.deviation == pytest.approx(one.deviation, abs=NEAR)
    assert other.dispersion == pytest.approx(one.dispersion, abs=1e-9)


def play(strengths: list[float], games: int, rng: Random) -> Stats:
    """Mirrored matches of any two."""
    count = len(strengths)
    pairs = [rng.sample(range(count), 2) for _ in range(count * games // 4)]
    return matches((one, other, 2, mirrored(strengths[one] - strengths[other], rng)) for one, other in pairs)


@settings(max_examples=25, deadline=None)
@given(ledgers(), st.randoms(use_true_random=False))
def test_the_order_of_the_ledger_does_not_matter(ledger: tuple[int, list], rng: Random) -> None:
    count, rows = ledger
    told = matches(rows)
    mixed = turned(told, rng.sample(range(len(told.first)), len(told.first)))
    same(fit_ratings(entities(count), told), fit_ratings(entities(count), mixed))


@settings(max_examples=25, deadline=None)
@given(ledgers(), st.lists(st.floats(-2000, 4000), min_size=6, max_size=6))
def test_where_the_computation_starts_does_not_matter(ledger: tuple[int, list], start: list[float]) -> None:
    count, rows = ledger
    told = matches(rows)
    same(fit_ratings(entities(count), told), fit_ratings(entities(count), told, start=np.array(start[:count])))


@pytest.mark.parametrize("seed", [1757, 1687, 285])
def test_nor_does_it_where_versions_follow_each_other(seed: int) -> None:
    rng = Random(seed)
    count = rng.randint(5, 10)
    parent = [-1, -1, -1, *(rng.randrange(-1, index) for index in range(3, count))]
    rows = [(*sorted(rng.sample(range(count), 2)), 2, rng.choice((0, 2, 4, 4))) for _ in range(rng.randint(10, 40))]
    start = np.array([rng.gauss(1500, 300) for _ in range(count)])
    ladder = entities(count, parent=parent, is_anchor=[index < 2 for index in range(count)])
    same(fit_ratings(ladder, matches(rows)), fit_ratings(ladder, matches(rows), start=start))


@pytest.mark.parametrize("seed", [105, 501, 511, 554])
def test_nor_does_it_from_the_ratings_that_were_found(seed: int) -> None:
    rng = Random(seed)
    count = rng.randint(10, 50)
    parent = [-1, -1, -1, *(rng.randrange(-1, index) for index in range(3, count))]
    rows = [(*sorted(rng.sample(range(count), 2)), 2, rng.randint(0, 4)) for _ in range(rng.randint(3, 40))]
    ladder = entities(count, parent=parent, is_anchor=[index < 2 for index in range(count)])
    found = fit_ratings(ladder, matches(rows))
    same(found, fit_ratings(ladder, matches(rows), start=found.rating))


@settings(max_examples=25, deadline=None)
@given(ledgers())
def test_whoever_loses_all_that_others_won_is_as_far_below_as_they_are_above(ledger: tuple[int, list]) -> None:
    count, rows = ledger
    fitted = fit_ratings(entities(count), matches(rows))
    against = fit_ratings(
        entities(count), matches((one, other, seats, 2 * seats - won) for one, other, seats, won in rows)
    )
    assert against.rating - 1500 == pytest.approx(1500 - fitted.rating, abs=NEAR)
    assert against.deviation == pytest.approx(fitted.deviation, abs=NEAR)


@settings(max_examples=25, deadline=None)
@given(ledgers())
def test_nothing_is_ever_infinite(ledger: tuple[int, list]) -> None:
    count, rows = ledger
    fitted = fit_ratings(entities(count), matches(rows))
    assert np.all(np.isfinite(fitted.rating)) and np.all(fitted.deviation > 0) and 0.1 <= fitted.dispersion <= 1.5
    assert fitted.covariance is not None
    assert np.diag(fitted.covariance) == pytest.approx(fitted.deviation**2)


def test_as_many_copies_divide_the_variance_and_leave_the_ratings() -> None:
    rows = [(0, 1, 7, 3), (1, 2, 6, 4), (0, 2, 8, 2)]
    once = fit_ratings(known(3, 1e5), stats(rows), dispersion=SINGLE)
    nine = fit_ratings(
        known(3, 1e5), stats([(one, other, 9 * won, 9 * lost) for one, other, won, lost in rows]), dispersion=SINGLE
    )
    assert nine.rating == pytest.approx(once.rating, abs=1e-4)
    assert nine.deviation == pytest.approx(once.deviation / 3, abs=1e-4)


@pytest.mark.parametrize("shift", [0.0, 250.0, -1000.0])
def test_the_scale_hangs_on_the_anchors(shift: float) -> None:
    told = stats([(0, 1, 7, 3), (1, 2, 6, 4), (2, 3, 9, 1)])
    free = fit_ratings(entities(4), told)
    hung = fit_ratings(entities(4, is_anchor=[False, True, True, False]), told, anchor_mean=1500 + shift)
    assert hung.rating[1:3].mean() == pytest.approx(1500 + shift)
    assert hung.rating - hung.rating.mean() == pytest.approx(free.rating - 1500, abs=NEAR)
    assert hung.deviation == pytest.approx(free.deviation)


def test_without_anchors_the_mean_of_the_heads_stays() -> None:
    fitted = fit_ratings(entities(4, parent=[-1, -1, -1, 2]), stats([(0, 1, 7, 3), (1, 3, 6, 4), (0, 3, 9, 1)]))
    assert fitted.rating[:3].mean() == pytest.approx(1500)


def test_a_scale_brought_along_from_a_season_before_stays() -> None:
    """Three of known strength, and a newcomer who is as good as the best of them."""
    old = entities(4, rating0=[1400, 1600, 1800, 0], deviation0=[20, 20, 20, 0], is_root=[False, False, False, True])
    fitted = fit_ratings(old, stats([(2, 3, 200, 200)]))
    assert fitted.rating[:3] == pytest.approx([1400, 1600, 1800], abs=5)
    assert fitted.rating[3] == pytest.approx(1800, abs=20)


def test_a_newcomer_among_known_ones_is_drawn_to_their_mean() -> None:
    fitted = fit_ratings(
        entities(3, rating0=[1700, 1900, 0], deviation0=[10, 10, 0], is_root=[False, False, True]), stats([])
    )
    assert fitted.rating == pytest.approx([1700, 1900, 1800])


class TestWhoHasNotPlayed:
    def test_nobody_at_all(self) -> None:
        fitted = fit_ratings(entities(0), stats([]))
        assert len(fitted.rating) == 0 and fitted.pair_interaction_sd is None

    @pytest.mark.parametrize("count", [1, 2, 30])
    def test_a_newcomer_is_as_uncertain_as_can_be(self, count: int) -> None:
        fitted = fit_ratings(entities(count), stats([]))
        assert fitted.rating == pytest.approx([1500] * count)
        assert fitted.deviation == pytest.approx([300] * count)
        assert fitted.dispersion == 1

    def test_a_version_is_worth_its_parent_give_or_take(self) -> None:
        fitted = fit_ratings(entities(3, parent=[-1, -1, 0]), stats([(0, 1, 30, 10)]))
        assert fitted.rating[2] == pytest.approx(fitted.rating[0])

    def test_the_fiftieth_version_is_as_uncertain_as_fifty_steps(self) -> None:
        chain = [-1, *range(50)]
        fitted = fit_ratings(entities(51, parent=chain), stats([]))
        assert fitted.deviation[-1] == pytest.approx(sqrt(300**2 + 50 * 80**2))

    def test_rows_without_matches_say_nothing(self) -> None:
        empty = stats([(0, 1, 0, 0), (1, 2, 7, 3)])
        same(fit_ratings(entities(3), stats([(1, 2, 7, 3)])), fit_ratings(entities(3), empty))


def test_what_a_version_did_moves_the_one_before_it_too() -> None:
    fitted = fit_ratings(entities(3, parent=[-1, -1, 0]), stats([(1, 2, 0, 20)]))
    assert fitted.rating[2] > fitted.rating[0] > fitted.rating[1]


def test_a_long_chain_of_versions_is_computed() -> None:
    """Each wins 12 of 20 against the one before it."""
    chain = fit_ratings(entities(51, parent=[-1, *range(50)]), stats([(old, old + 1, 8, 12) for old in range(50)]))
    assert np.all(np.diff(chain.rating) > 30)


def test_islands_that_never_met_stay_finite() -> None:
    fitted = fit_ratings(entities(4), stats([(0, 1, 10, 0), (2, 3, 10, 0)]), dispersion=SINGLE)
    assert fitted.rating == pytest.approx([1756.611870, 1243.388130] * 2)


def test_nothing_but_shared_games_leaves_all_equal() -> None:
    fitted = fit_ratings(entities(3), matches([(0, 1, 2, 2), (1, 2, 2, 2)] * 30))
    assert fitted.rating == pytest.approx([1500] * 3)
    assert fitted.dispersion < 1


def test_differences_beyond_any_table_are_computed() -> None:
    """Five, each 600 Elo above the next."""
    chain = fit_ratings(known(5, 1e4), stats([(better, better + 1, 969, 31) for better in range(4)]), dispersion=SINGLE)
    assert np.diff(chain.rating) == pytest.approx([-598] * 4, abs=3)


def test_nobody_plays_against_themselves() -> None:
    with pytest.raises(ValueError, match="lower index"):
        fit_ratings(entities(2), stats([(1, 1, 1, 0)]))


def test_who_left_still_tells_of_the_others() -> None:
    told = stats([(0, 2, 30, 10), (1, 2, 10, 30)])
    fitted = fit_ratings(entities(3, is_active=[True, True, False]), told)
    assert fitted.rating[0] - fitted.rating[1] > 300


def test_deviations_are_against_the_mean_of_the_active_ones() -> None:
    told = stats([(0, 1, 30, 10), (1, 2, 20, 20), (0, 2, 25, 15)])
    fitted = fit_ratings(entities(3, is_active=[True, True, False]), told)
    assert fitted.deviation[0] == pytest.approx(fitted.deviation[1])
    assert fitted.covariance is not None
    assert fitted.covariance[:2, :2].sum() == pytest.approx(0, abs=NEAR)


def test_the_dispersion_of_mirrored_games_is_found() -> None:
    """Two legs that share no luck have 1. Two that always share all of it but in opposite directions, nearly 0."""
    rng = Random(1)
    strengths = [rng.gauss(0, 50) for _ in range(20)]
    assert fit_ratings(entities(20), play(strengths, 800, rng)).dispersion == pytest.approx(1 - 0.064, abs=0.05)
    opposite = [(*rng.sample(range(20), 2), 2, 2) for _ in range(4000)]
    assert fit_ratings(entities(20), matches(opposite)).dispersion == pytest.approx(0.1)


@pytest.mark.parametrize("rows", [30, 300, 900])
def test_few_matches_of_many_leave_the_dispersion_near_one(rows: int) -> None:
    rng = Random(rows)
    told = matches((*rng.sample(range(400), 2), 2, 2 * rng.randint(0, 1) + 2 * rng.randint(0, 1)) for _ in range(rows))
    assert fit_ratings(entities(400), told).dispersion == pytest.approx(1, abs=0.25)


def test_what_ratings_can_not_tell_is_measured() -> None:
    """Paper, stone and scissors, each 100 Elo better than the next one round."""
    chance = 1 / (1 + 10 ** (-100 / 400))
    won = round(10_000 * chance)
    lost = 10_000 - won
    fitted = fit_ratings(
        entities(3), stats([(0, 1, won, lost), (1, 2, won, lost), (0, 2, lost, won)]), dispersion=SINGLE
    )
    assert fitted.rating == pytest.approx([1500] * 3, abs=1)
    assert fitted.pair_interaction_sd == pytest.approx(100, abs=6)


def test_what_ratings_can_not_tell_makes_them_uncertain_however_many_matches_there_are() -> None:
    """An error of 100 Elo in each of two opponents, evened out by two: 71 Elo."""
    chance = 1 / (1 + 10 ** (-100 / 400))
    won = round(10_000 * chance)
    lost = 10_000 - won
    told = stats([(0, 1, won, lost), (1, 2, won, lost), (0, 2, lost, won)])
    assert fit_ratings(entities(3), told).deviation == pytest.approx([71] * 3, abs=5)
    assert max(fit_ratings(entities(3), told, dispersion=SINGLE).deviation) < 3


def test_larger_tables_count_less_for_each_two() -> None:
    def deviation(seats: int) -> float:
        """After as many legs."""
        return float(
            fit_ratings(entities(2), matches([(0, 1, seats, seats)] * (2400 // seats)), dispersion=1.0).deviation[0]
        )

    assert deviation(3) == pytest.approx(deviation(2) / sqrt(7 / 9), rel=0.01)
    assert deviation(4) == pytest.approx(deviation(2) / sqrt(23 / 36), rel=0.01)


class TestProbabilityBetter:
    told = stats([(0, 1, 60, 40), (1, 2, 50, 50)])

    def test_of_the_same_is_half(self) -> None:
        assert compute_probability_stronger(fit_ratings(entities(3), self.told), 1, 1) == 0.5

    def test_both_sides_make_a_whole(self) -> None:
        fitted = fit_ratings(entities(3), self.told)
        assert compute_probability_stronger(fitted, 0, 1) + compute_probability_stronger(fitted, 1, 0) == pytest.approx(
            1
        )

    def test_sixty_of_a_hundred_is_two_deviations(self) -> None:
        """35 Elo to each side of the middle, 17.66 Elo of deviation each, of opposite signs: 1.98 deviations."""
        fitted = fit_ratings(entities(2), stats([(0, 1, 60, 40)]), dispersion=SINGLE)
        assert compute_probability_stronger(fitted, 0, 1) == pytest.approx(0.9761, abs=1e-3)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held, all_of_them = 0, 0
    for seed in range(8):
        rng = Random(seed)
        strengths = np.array([rng.gauss(0, 200) for _ in range(40)])
        fitted = fit_ratings(entities(40), play(list(strengths), 60, rng))
        away = (fitted.rating - fitted.rating.mean()) - (strengths - strengths.mean())
        held += int(np.count_nonzero(abs(away) <= 1.96 * fitted.deviation))
        all_of_them += 40
    assert 0.91 < held / all_of_them < 0.99


def test_logits_of_a_step_are_elo_times_a_constant() -> None:
    assert 400 * LOGITS_PER_ELO == pytest.approx(np.log(10))


def test_entities_are_looked_at_only_where_they_matter() -> None:
    """First ratings are of those who come from another season."""
    told = stats([(0, 1, 7, 3), (1, 2, 6, 4)])
    plain = entities(3, parent=[-1, -1, 1])
    other = entities(3, parent=[-1, -1, 1], rating0=[9.0] * 3, deviation0=[1.0] * 3)
    same(fit_ratings(plain, told), fit_ratings(other, told))


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
