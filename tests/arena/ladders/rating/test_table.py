from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladders.rating.table import PairResult, compute_mean_score, compute_pair_results, count_equivalent_games


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


@pytest.mark.parametrize("seats, worth", [(2, 2), (3, 7 / 3), (4, 23 / 9)])
def test_a_match_is_worth_its_legs_less_what_its_pairs_have_in_common(seats: int, worth: float) -> None:
    assert count_equivalent_games(seats) == pytest.approx(worth)


@pytest.mark.parametrize("legs", [[], [[1]], [[1, 2]], [[1, 2, 3], [1, 2, 3]], [[1, 2, 3, 4, 5]] * 5])
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
