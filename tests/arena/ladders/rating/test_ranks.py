import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladders.rating.ranks import COMPARISON_BLOCK_ROWS, assign_rank_groups, compute_rank_ranges


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
