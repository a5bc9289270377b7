from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladders.rating import K, expected, rate

ratings = st.lists(st.floats(0, 4000), min_size=2, max_size=4)


@pytest.mark.parametrize(("difference", "percent"), [(0, 50), (50, 57), (100, 64), (200, 76), (300, 85), (400, 91)])
def test_expectation_is_that_of_the_published_table(difference: int, percent: int) -> None:
    """FIDE's handbook rounds a normal curve; Elo's logistic curve is within a point of it."""
    assert expected(1500 + difference, 1500) * 100 == pytest.approx(percent, abs=1)


def test_a_win_among_equals_is_worth_half_of_k() -> None:
    assert rate([1500, 1500], [1, 0]) == [1500 + K / 2, 1500 - K / 2]


def test_equals_that_share_stay_where_they_are() -> None:
    assert rate([1500, 1500], [0.5, 0.5]) == [1500, 1500]


def test_half_a_match_moves_half_as_much() -> None:
    whole, half = rate([1500, 1500], [1, 0]), rate([1500, 1500], [0.75, 0.25])
    assert half[0] - 1500 == pytest.approx((whole[0] - 1500) / 2)


@given(st.floats(0, 4000), st.floats(0, 4000), st.floats(0, 1))
def test_between_two_it_is_plain_elo(one: float, other: float, points: float) -> None:
    after = rate([one, other], [points, 1 - points])
    assert after == [one + K * (points - expected(one, other)), other + K * (1 - points - expected(other, one))]


@given(ratings, st.data())
def test_a_table_counts_as_all_of_its_pairs_each_by_its_share(before: list[float], data: st.DataObject) -> None:
    places = [data.draw(st.integers(1, 4)) for _ in before]
    others = len(before) - 1
    sides = range(len(before))
    beaten = {(i, j): (places[i] < places[j]) + (places[i] == places[j]) / 2 for i, j in permutations(sides, 2)}
    points = [sum(beaten[i, j] for j in sides if j != i) / others for i in sides]
    changes = [
        sum(rate([before[i], before[j]], [beaten[i, j], beaten[j, i]])[0] - before[i] for j in sides if j != i)
        for i in sides
    ]
    expected_after = [own + change / others for own, change in zip(before, changes, strict=True)]
    assert rate(before, points) == pytest.approx(expected_after)


@given(ratings, st.data())
def test_nothing_is_won_that_nobody_lost(before: list[float], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(before))))
    points = [place / (len(before) - 1) for place in order]
    assert sum(rate(before, points)) == pytest.approx(sum(before))


@given(ratings)
def test_the_order_of_seats_does_not_matter(before: list[float]) -> None:
    points = [seat / (len(before) - 1) for seat in range(len(before))]
    assert rate(before[::-1], points[::-1]) == pytest.approx(rate(before, points)[::-1])
