from dataclasses import astuple
from itertools import chain, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladders.rating import online
from arena.ladders.rating.online import Rating, update_ratings
from arena.ladders.rating.table import PairResult, compute_pair_results

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
    for short, same in zip(online.update_ratings([one, other], [result], 0.95), long, strict=True):
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
