from dataclasses import astuple
from itertools import chain, combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.ladders import rating
from arena.contests.ladders.fit import COMPARISON_BLOCK_ROWS, assign_rank_groups, compute_rank_ranges
from arena.contests.ladders.rating import (
    PairResult,
    Rating,
    compute_mean_score,
    compute_pair_results,
    count_equivalent_games,
    expected_score,
    find_upset_chance,
    update_ratings,
)

some = st.builds(Rating, st.floats(500, 2500), st.floats(5, 350))
WON, SHARED = 4, 2


@pytest.mark.parametrize(
    "before, halves, dispersion, after",
    [
        # A single game is a match of two legs with twice the dispersion.
        ((1500, 350, 1500, 350), WON, 2, (1619.434528, 316.048191, 1380.565472, 316.048191)),
        ((1500, 350, 1500, 350), WON, 1, (1674.458764, 299.112452, 1325.541236, 299.112452)),
        ((1500, 350, 1500, 350), SHARED, 1, (1500, 299.112452, 1500, 299.112452)),
        ((1500, 350, 1700, 50), WON, 0.95, (1867.200320, 260.437660, 1692.506116, 49.771773)),
        ((1500, 50, 1500, 50), WON, 1, (1513.015386, 49.077689, 1486.984614, 49.077689)),
        ((1800, 40, 1500, 60), SHARED, 1, (1794.090209, 39.743998, 1513.297030, 59.132487)),
    ],
)
def test_one_match_of_two_does_what_the_formulas_say(
    before: tuple[float, ...], halves: int, dispersion: float, after: tuple[float, ...]
) -> None:
    ratings = [Rating(*before[:2]), Rating(*before[2:])]
    changed = update_ratings(ratings, [PairResult(0, 1, halves, 2)], dispersion)
    assert list(chain.from_iterable(map(astuple, changed))) == pytest.approx(after, abs=1e-6)


@given(some, some, st.integers(0, 4))
def test_the_short_way_for_two_is_the_long_one(one: Rating, other: Rating, halves: int) -> None:
    result = PairResult(0, 1, halves, 2)
    bystander = Rating(1500, 100)
    *long, unmoved = update_ratings([one, other, bystander], [result], 0.95)
    for short, same in zip(rating.update_ratings([one, other], [result], 0.95), long, strict=True):
        assert astuple(short) == pytest.approx(astuple(same), rel=1e-9)
    assert astuple(unmoved) == pytest.approx(astuple(bystander))


@given(some, some, st.integers(0, 4), st.floats(0.1, 1.5))
def test_every_match_makes_both_more_certain(one: Rating, other: Rating, halves: int, dispersion: float) -> None:
    for before, after in zip(
        (one, other), update_ratings([one, other], [PairResult(0, 1, halves, 2)], dispersion), strict=True
    ):
        assert 0 < after.deviation <= before.deviation


@given(some, some, st.integers(0, 4))
def test_sides_may_be_exchanged(one: Rating, other: Rating, halves: int) -> None:
    here = update_ratings([one, other], [PairResult(0, 1, halves, 2)], 0.95)
    there = update_ratings([other, one], [PairResult(0, 1, 4 - halves, 2)], 0.95)
    for seen, same in zip(here, reversed(there), strict=True):
        assert astuple(seen) == pytest.approx(astuple(same))


@given(some, some, st.integers(0, 4))
def test_what_one_wins_the_other_loses_by_their_variances(one: Rating, other: Rating, halves: int) -> None:
    """Equal and opposite if, and only if, both are equally uncertain."""
    after = update_ratings([one, other], [PairResult(0, 1, halves, 2)], 0.95)
    won, lost = after[0].rating - one.rating, other.rating - after[1].rating
    assert won * other.deviation**2 == pytest.approx(lost * one.deviation**2, rel=1e-6, abs=1e-3)


@given(st.integers(2, 4), st.data())
def test_among_equally_uncertain_ones_nothing_is_won_that_nobody_lost(seats: int, data: st.DataObject) -> None:
    ratings = [Rating(data.draw(st.floats(1000, 2000)), 120) for _ in range(seats)]
    places = list(range(1, seats + 1))
    legs = [data.draw(st.permutations(places)) for _ in range(seats)]
    after = update_ratings(ratings, compute_pair_results(legs), 0.95)
    assert sum(one.rating for one in after) == pytest.approx(sum(one.rating for one in ratings))


def test_the_order_at_the_table_does_not_matter() -> None:
    ratings = [Rating(1400, 300), Rating(1500, 60), Rating(1600, 90), Rating(1700, 200)]
    places = [2, 1, 4, 3]
    seen = update_ratings(ratings, compute_pair_results([places] * 4), 0.95)
    for order in permutations(range(4)):
        turned = update_ratings(
            [ratings[seat] for seat in order], compute_pair_results([[places[seat] for seat in order]] * 4), 0.95
        )
        for seat, one in zip(order, turned, strict=True):
            assert astuple(one) == pytest.approx(astuple(seen[seat]))


def test_a_certain_rating_hardly_moves() -> None:
    after = update_ratings([Rating(1500, 2.3), Rating(1500, 300)], [PairResult(0, 1, 0, 2)], 0.95)
    assert abs(after[0].rating - 1500) < 0.1


def test_a_giant_who_wins_learns_next_to_nothing() -> None:
    after = update_ratings([Rating(3200, 50), Rating(1000, 50)], [PairResult(0, 1, WON, 2)], 0.95)
    assert after[0].rating == pytest.approx(3200, abs=0.1)
    assert after[0].deviation == pytest.approx(50, abs=0.1)


@st.composite
def standings(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    rows = draw(st.lists(st.tuples(st.floats(1000, 2000), st.floats(0, 100)), max_size=30))
    rows.sort(reverse=True)
    return np.array([rating for rating, _ in rows]), np.array([deviation for _, deviation in rows])


def test_certain_ratings_have_certain_ranks() -> None:
    best, worst = compute_rank_ranges(np.array([1700.0, 1600, 1500]), np.array([1.0, 1, 1]), None)
    assert best.tolist() == worst.tolist() == [1, 2, 3]
    assert assign_rank_groups(np.array([1700.0, 1600, 1500]), np.array([1.0, 1, 1]), None).tolist() == [1, 2, 3]


def test_who_can_not_be_told_apart_shares_ranks_and_a_group() -> None:
    rating, deviation = np.array([1700.0, 1690, 1500]), np.array([20.0, 20, 20])
    best, worst = compute_rank_ranges(rating, deviation, None)
    assert list(zip(best.tolist(), worst.tolist(), strict=True)) == [(1, 2), (1, 2), (3, 3)]
    assert assign_rank_groups(rating, deviation, None).tolist() == [1, 1, 2]


def test_neighbours_in_a_row_are_not_one_group_for_all_that() -> None:
    """The first can't be told from the second, nor that from the third; the first and the third can."""
    rating, deviation = np.array([1700.0, 1660, 1620]), np.array([20.0, 20, 20])
    best, worst = compute_rank_ranges(rating, deviation, None)
    assert list(zip(best.tolist(), worst.tolist(), strict=True)) == [(1, 2), (1, 3), (2, 3)]
    assert assign_rank_groups(rating, deviation, None).tolist() == [1, 1, 2]


def test_ratings_that_move_together_are_told_apart_sooner() -> None:
    rating, deviation = np.array([1540.0, 1500]), np.array([20.0, 20])
    assert assign_rank_groups(rating, deviation, None).tolist() == [1, 1]
    assert assign_rank_groups(rating, deviation, np.array([[400.0, 300], [300, 400]])).tolist() == [1, 2]


def test_nobody_has_no_ranks() -> None:
    nothing = np.empty(0)
    assert [
        len(column)
        for column in (*compute_rank_ranges(nothing, nothing, None), assign_rank_groups(nothing, nothing, None))
    ] == [0] * 3


def test_long_standings_are_compared_in_blocks() -> None:
    count = COMPARISON_BLOCK_ROWS + 10
    rating = 3000.0 - np.arange(count)
    best, worst = compute_rank_ranges(rating, np.zeros(count), None)
    assert best.tolist() == worst.tolist() == list(range(1, count + 1))


@given(standings())
def test_the_rank_that_is_shown_is_plausible(standing: tuple[np.ndarray, np.ndarray]) -> None:
    rating, deviation = standing
    best, worst = compute_rank_ranges(rating, deviation, None)
    ranks = np.arange(1, len(rating) + 1)
    assert np.all(best <= ranks) and np.all(ranks <= worst)


@given(standings())
def test_groups_go_down_one_by_one(standing: tuple[np.ndarray, np.ndarray]) -> None:
    steps = np.diff(assign_rank_groups(*standing, None), prepend=0 if len(standing[0]) == 0 else 1)
    assert set(steps.tolist()) <= {0, 1}


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_the_unit_of_the_scale_does_not_matter(share: float) -> None:
    rating, deviation = np.array([1700.0, 1660, 1620]), np.array([20.0, 20, 20])
    assert (
        assign_rank_groups(rating * share, deviation * share, None).tolist()
        == assign_rank_groups(rating, deviation, None).tolist()
    )


@st.composite
def matches(draw: st.DrawFn) -> list[list[int]]:
    seats = draw(st.integers(2, 4))
    leg = st.lists(st.integers(1, seats), min_size=seats, max_size=seats)
    return draw(st.lists(leg, min_size=seats, max_size=seats))


def test_two_wins_of_two_are_the_whole() -> None:
    [result] = compute_pair_results([[1, 2], [1, 2]])
    assert result == PairResult(first=0, second=1, halves=4, seats=2)
    assert compute_mean_score(result) == 1


def test_a_win_each_is_half() -> None:
    assert [compute_mean_score(result) for result in compute_pair_results([[1, 2], [2, 1]])] == [0.5]


def test_three_who_share_the_last_places_of_four_have_half_of_each_other() -> None:
    results = compute_pair_results([[1, 2, 2, 2]] * 4)
    assert [compute_mean_score(result) for result in results] == [1, 1, 1, 0.5, 0.5, 0.5]


def test_a_single_leg_of_two_moves_ratings_half_as_much_as_two_legs_that_end_alike() -> None:
    [single], [pair] = compute_pair_results([[1, 2]]), compute_pair_results([[1, 2], [1, 2]])
    assert (single.halves, single.seats, compute_mean_score(single)) == (2, 1, 1.0)
    certain = [Rating(1500.0, 10.0), Rating(1500.0, 10.0)]
    once, twice = (update_ratings(certain, [result], 1.0)[0] for result in (single, pair))
    assert twice.rating - 1500.0 == pytest.approx(2 * (once.rating - 1500.0), rel=0.01)


@pytest.mark.parametrize("seats, worth", [(1, 1), (2, 2), (3, 7 / 3), (4, 23 / 9)])
def test_a_match_is_worth_its_legs_less_what_its_pairs_have_in_common(seats: int, worth: float) -> None:
    assert count_equivalent_games(seats) == pytest.approx(worth)


@pytest.mark.parametrize("legs", [[], [[1]], [[1, 2, 3]], [[1, 2, 3], [1, 2, 3]], [[1, 2, 3, 4, 5]] * 5])
def test_a_match_has_a_leg_for_each(legs: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="as many legs as participants"):
        compute_pair_results(legs)


@given(matches())
def test_each_two_of_the_table_are_there_once(legs: list[list[int]]) -> None:
    results = compute_pair_results(legs)
    assert [(result.first, result.second) for result in results] == list(combinations(range(len(legs)), 2))
    assert all(0 <= result.halves <= 2 * result.seats for result in results)


@given(matches())
def test_seen_from_the_other_end_the_rest_is_theirs(legs: list[list[int]]) -> None:
    there = {(result.first, result.second): compute_mean_score(result) for result in compute_pair_results(legs)}
    last = len(legs) - 1
    for back in compute_pair_results([places[::-1] for places in legs]):
        assert compute_mean_score(back) == pytest.approx(1 - there[last - back.second, last - back.first])


@pytest.mark.parametrize("lead, share", [(0, 0.5), (100, 0.640065), (400, 0.909091), (700, 0.982528)])
def test_expectation_is_that_of_the_published_curve(lead: float, share: float) -> None:
    assert expected_score(lead) == pytest.approx(share, abs=1e-6)


def test_a_tournament_is_expected_as_in_the_textbook() -> None:
    """The worked example of the Elo article: 1613 against five opponents."""
    assert sum(expected_score(1613 - other) for other in (1609, 1477, 1388, 1586, 1720)) == pytest.approx(
        2.8666, abs=1e-4
    )


@given(st.floats(-5000, 5000))
def test_both_shares_make_a_whole(lead: float) -> None:
    assert expected_score(lead) + expected_score(-lead) == pytest.approx(1)


def test_only_the_win_of_the_weaker_is_an_upset() -> None:
    assert find_upset_chance(1500, 1600) == pytest.approx(0.359935, abs=1e-6)
    assert find_upset_chance(1600, 1500) is None and find_upset_chance(1500, 1500) is None
