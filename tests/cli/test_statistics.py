"""The statistics at home: intervals that hold, and the arena's own sequential test."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.files import SequentialTest, count_pairs, estimate_elo, estimate_share, format_elo, sort_by_number
from arena.contests.comparisons.sprt import HEAD_TO_HEAD, MIN_PAIRS, decide, estimate

POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)


@pytest.mark.parametrize("weights", [(1, 2, 4, 2, 1), (1, 0, 8, 1, 6), (0, 0, 1, 4, 30)])
def test_the_interval_of_a_share_holds_the_truth_in_19_of_20_cases(weights: tuple[int, ...]) -> None:
    rng, plays, held = Random(5), 600, 0
    truth = sum(map(float.__mul__, POINTS, map(float, weights))) / sum(weights)
    for _ in range(plays):
        found = estimate_share(rng.choices(POINTS, weights, k=60))
        held += found.low <= truth <= found.high
    assert 0.9 <= held / plays <= 0.99


@pytest.mark.parametrize(("point", "low", "high"), [(1.0, 0.97, 1.0), (0.0, 0.0, 0.03), (0.5, 0.47, 0.53)])
def test_results_that_are_all_the_same_leave_doubt(point: float, low: float, high: float) -> None:
    found = estimate_share([point] * 100)
    assert (found.value, found.low, found.high) == pytest.approx((point, low, high))
    elo = estimate_elo(count_pairs([point] * 100))
    assert elo is not None
    assert (elo.low is None, elo.elo is None, elo.high is None) == (point == 0, point != 0.5, point == 1)


def test_the_difference_is_that_of_the_arena() -> None:
    points = Random(3).choices(POINTS, (1, 2, 3, 4, 5), k=100)
    found, arenas = estimate_elo(count_pairs(points)), estimate(count_pairs(points), HEAD_TO_HEAD)
    assert found is not None and arenas is not None
    assert (found.elo, found.low, found.high, found.likelihood) == (
        arenas.elo,
        arenas.low,
        arenas.high,
        arenas.likelihood,
    )
    assert format_elo(found) == f"{arenas.elo:+.0f} ± {arenas.margin_95:.0f}"
    assert estimate_elo([0] * HEAD_TO_HEAD.results) is None


@pytest.mark.parametrize("weights", [(1, 2, 4, 2, 1), (1, 0, 8, 1, 6), (0, 0, 1, 4, 30), (1, 0, 0, 0, 9)])
@pytest.mark.parametrize("matches", [1, 3, MIN_PAIRS - 1])
def test_few_matches_have_intervals_that_hold_the_truth(weights: tuple[int, ...], matches: int) -> None:
    rng, plays, held = Random(5), 600, 0
    truth = sum(map(float.__mul__, POINTS, map(float, weights))) / sum(weights)
    for _ in range(plays):
        points = rng.choices(POINTS, weights, k=matches)
        found, elo = estimate_share(points), estimate_elo(count_pairs(points))
        held += found.low <= truth <= found.high
        assert found.low <= found.value <= found.high and elo is not None
    assert held / plays >= 0.94


def test_few_matches_are_told_with_both_bounds() -> None:
    assert format_elo(estimate_elo(count_pairs([1.0] * 5))) == "above +54"
    assert format_elo(estimate_elo(count_pairs([0.5]))) == "not known"
    assert format_elo(estimate_elo(count_pairs([0.75] * 6 + [1.0] * 4 + [0.5] * 4))) == "+191 ± 122"


@pytest.mark.parametrize("weights", [(1, 1, 2, 3, 5), (5, 3, 2, 1, 1), (1, 2, 6, 2, 1)])
def test_the_test_ends_where_that_of_the_arena_does(weights: tuple[int, ...]) -> None:
    points = Random(11).choices(POINTS, weights, k=400)
    test = SequentialTest(0, 20)
    used = next((number for number, point in enumerate(points, start=1) if test.add(point)), len(points))
    expected = next(
        (
            (number, answer)
            for number in range(1, len(points) + 1)
            if (answer := decide(count_pairs(points[:number]), HEAD_TO_HEAD, 0, 20)[1]) is not None
        ),
        (len(points), None),
    )
    assert (used, test.is_better) == expected


@given(st.permutations(range(1, 30)))
def test_matches_are_counted_in_their_order(numbers: list[int]) -> None:
    assert list(sort_by_number((number, str(number)) for number in numbers)) == [(n, str(n)) for n in range(1, 30)]
