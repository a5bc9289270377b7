"""The test of results less luck: its formula, and that it errs no more often and ends sooner."""

from math import sqrt
from statistics import fmean

import pytest

from arena.comparisons.adjusted_sprt import (
    AdjustedSums,
    adjusted_log_likelihood_ratio,
    decide_adjusted,
    estimate_adjusted,
)
from arena.comparisons.sprt import FIELD, HEAD_TO_HEAD, MIN_PAIRS, NELO, estimate
from tests.bench.bench_luck import ASKED, run_tests
from tests.bench.bench_sprt import closed_form
from tests.full import default_and_full

COUNTS = [20, 5, 200, 5, 45]
PAIRS = sum(COUNTS)


def sums_of(results: list[float]) -> AdjustedSums:
    return AdjustedSums(len(results), sum(results), sum(result**2 for result in results))


def counted(counts: list[int]) -> list[float]:
    return [number / (len(counts) - 1) for number, count in enumerate(counts) for _ in range(count)]


def test_without_any_luck_it_is_the_closed_form_of_the_usual_test() -> None:
    found = adjusted_log_likelihood_ratio(sums_of(counted(COUNTS)), COUNTS, HEAD_TO_HEAD, 0, 20)
    assert found == pytest.approx(closed_form(COUNTS, HEAD_TO_HEAD, 0, 20), rel=1e-3)
    assert found == pytest.approx(3.230590, rel=1e-3)


def test_half_the_variance_is_twice_the_evidence() -> None:
    mean = 0.54
    wide, narrow = (AdjustedSums(1000, 1000 * mean, 1000 * (mean**2 + variance)) for variance in (0.06, 0.03))
    counts = [100, 0, 720, 0, 180]
    ratios = [adjusted_log_likelihood_ratio(sums, counts, HEAD_TO_HEAD, 0, 20) for sums in (wide, narrow)]
    assert ratios[1] == pytest.approx(2 * ratios[0], rel=0.02)


def test_bounds_are_means_of_the_results_as_they_were_counted() -> None:
    """At the middle between the two bounds nothing speaks for either, however little luck is left."""
    counts = [250, 0, 500, 0, 250]
    middle = 0.5 + 10 / NELO * sqrt(2) * sqrt(0.125)
    for variance in (0.12, 0.01):
        sums = AdjustedSums(1000, 1000 * middle, 1000 * (middle**2 + variance))
        assert adjusted_log_likelihood_ratio(sums, counts, HEAD_TO_HEAD, 0, 20) == pytest.approx(0, abs=1e-3)


def test_nothing_is_decided_early_or_without_any_spread() -> None:
    counts = [0, 0, 0, 0, MIN_PAIRS - 1]
    results = [1 + number / 100 for number in range(MIN_PAIRS - 1)]
    assert decide_adjusted(sums_of(results), counts, HEAD_TO_HEAD, 0, 100)[1] is None
    assert decide_adjusted(sums_of([1.0] * MIN_PAIRS), [0, 0, 0, 0, MIN_PAIRS], HEAD_TO_HEAD, 0, 20) == (0.0, None)
    assert decide_adjusted(sums_of([*results, 1.5]), [0, 0, 0, 0, MIN_PAIRS], HEAD_TO_HEAD, 0, 400)[1] is True
    assert estimate_adjusted(sums_of([1.0] * 3), HEAD_TO_HEAD) is None is estimate_adjusted(sums_of([]), FIELD)


@pytest.mark.parametrize("unit", [HEAD_TO_HEAD, FIELD])
def test_an_estimate_without_luck_is_the_usual_one(unit) -> None:
    counts = COUNTS if unit is HEAD_TO_HEAD else [1, 4, 20, 60, 100, 70, 25, 5, 1]
    usual, found = estimate(counts, unit), estimate_adjusted(sums_of(counted(counts)), unit)
    assert usual is not None and found is not None
    assert (found.elo, found.low, found.high) == pytest.approx((usual.elo, usual.low, usual.high), abs=0.2)


@pytest.mark.parametrize(("runs", "asked"), default_and_full([(20, 0.25)], [(600, ASKED)]))
def test_it_errs_no_more_often(runs, asked) -> None:
    for nelo, is_better in ((0.0, False), (20.0, True)):
        ends = [run_tests(nelo, f"{nelo} {run}", only_adjusted=True)[0] for run in range(runs)]
        assert fmean(end.is_better is not is_better for end in ends) <= asked


@pytest.mark.parametrize("runs", default_and_full([8], [300]))
def test_the_usual_test_of_the_same_results_takes_longer(runs) -> None:
    ends = [run_tests(50.0, str(run)) for run in range(runs)]
    less, usual = (fmean(end[way].pairs for end in ends) for way in (0, 1))
    assert less < 0.95 * usual
