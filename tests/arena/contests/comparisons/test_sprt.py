"""The test of versions against the values of fishtest's own code, and against what must hold of any such test."""

from math import isfinite, log, sqrt
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contests.comparisons.sprt import (
    FIELD,
    HEAD_TO_HEAD,
    LLR_BOUND,
    MIN_PAIRS,
    NELO,
    PRESETS,
    AdjustedSums,
    adjusted_log_likelihood_ratio,
    decide,
    decide_adjusted,
    estimate,
    estimate_adjusted,
    fit_t_value,
    log_likelihood_ratio,
)
from tests.bench.bench_luck import ASKED, run_tests
from tests.bench.bench_sprt import closed_form, field, head_to_head
from tests.full import default_and_full

NORMALIZED = [
    ((39, 2226, 31451, 2412, 40), (0.764, 3.439), 2.162941),
    ((365, 16618, 36229, 16974, 390), (0, 2), 2.250368),
    ((127, 4883, 10712, 5150, 104), (-1.75, 0.25), 3.010154),
    ((10, 0, 60, 0, 30), (0, 20), 2.255348),
    ((100, 0, 300, 0, 150), (0, 20), 4.224675),
    ((20, 5, 200, 5, 45), (0, 20), 3.228744),
    ((0, 0, 10, 0, 0), (0, 20), -0.061723),
]
CLOSED = [
    ((10, 0, 60, 0, 30), 2.282732),
    ((100, 0, 300, 0, 150), 4.247727),
    ((20, 5, 200, 5, 45), 3.230590),
    ((0, 0, 10, 0, 0), -0.033095),
]

five_counts = st.lists(st.integers(0, 5000), min_size=5, max_size=5)
nine_counts = st.lists(st.integers(0, 5000), min_size=9, max_size=9)
presets = st.sampled_from(list(PRESETS.values()))


@pytest.mark.parametrize(("counts", "bounds", "expected"), NORMALIZED)
def test_normalized_ratios_are_those_of_fishtest(counts, bounds, expected):
    assert log_likelihood_ratio(counts, HEAD_TO_HEAD, *bounds) == pytest.approx(expected, abs=1e-6)


@given(five_counts, presets)
def test_swapped_sides_have_the_opposite_ratio_at_mirrored_bounds(counts, preset):
    forth = log_likelihood_ratio(counts, HEAD_TO_HEAD, preset.elo0, preset.elo1)
    back = log_likelihood_ratio(counts[::-1], HEAD_TO_HEAD, -preset.elo1, -preset.elo0)
    assert forth == pytest.approx(-back, abs=1e-6, rel=1e-6)


@given(st.one_of(five_counts, nine_counts), presets)
def test_any_counts_have_a_ratio_and_an_estimate(counts, preset):
    unit = HEAD_TO_HEAD if len(counts) == 5 else FIELD
    assert isfinite(log_likelihood_ratio(counts, unit, preset.elo0, preset.elo1))
    found = estimate(counts, unit)
    if not any(counts):
        assert found is None
    else:
        assert found.low <= found.elo <= found.high and 0 <= found.likelihood <= 1


@settings(max_examples=50)
@given(st.lists(st.integers(1, 500), min_size=5, max_size=9), st.floats(-0.1, 0.1))
def test_fitted_distributions_are_distributions_with_what_was_asked_for(counts, t):
    shares = [count / sum(counts) for count in counts]
    values = [number / (len(counts) - 1) for number in range(len(counts))]
    fitted = fit_t_value(shares, t)
    mean = sum(share * value for share, value in zip(fitted, values, strict=True))
    variance = sum(share * (value - mean) ** 2 for share, value in zip(fitted, values, strict=True))
    assert min(fitted) > 0 and sum(fitted) == pytest.approx(1)
    assert (mean - 0.5) / variance**0.5 == pytest.approx(t, abs=1e-6)
    assert likelihood(shares, fitted) <= likelihood(shares, shares) + 1e-9


def likelihood(shares, fitted):
    return sum(share * log(chance) for share, chance in zip(shares, fitted, strict=True))


def test_a_result_of_a_field_without_its_finer_steps_counts_as_one_head_to_head_where_it_is_as_noisy():
    """A field's t-value is that of one game and a pair's that of two, so the bounds are not the same."""
    counts = (12, 31, 80, 40, 20)
    spread = [count for one in counts for count in (one, 0)][:-1]
    narrow = 20 / HEAD_TO_HEAD.t_per_game
    ratio = log_likelihood_ratio(spread, FIELD, 0, 20)
    assert ratio == pytest.approx(log_likelihood_ratio(counts, HEAD_TO_HEAD, 0, narrow), rel=2e-3)


def test_nothing_counted_decides_nothing():
    assert decide([0] * 5, HEAD_TO_HEAD, 0, 20) == (0.0, None)


def test_few_pairs_decide_nothing_however_they_end():
    ratio, decision = decide([0, 0, 0, 0, MIN_PAIRS - 1], HEAD_TO_HEAD, 0, 100)
    assert ratio > LLR_BOUND and decision is None
    assert decide([0, 0, 0, 0, MIN_PAIRS], HEAD_TO_HEAD, 0, 100)[1] is True


def test_one_who_always_wins_is_better_and_one_who_always_loses_is_not():
    assert decide([0, 0, 0, 0, 60], HEAD_TO_HEAD, 0, 20)[1] is True
    assert decide([60, 0, 0, 0, 0], HEAD_TO_HEAD, 0, 20)[1] is False


def test_equals_who_share_every_pair_are_told_to_be_no_better():
    _, decision = decide([0, 0, 600, 0, 0], HEAD_TO_HEAD, 0, 20)
    assert decision is False


@pytest.mark.parametrize(("counts", "expected"), CLOSED)
def test_the_benchmark_passes_over_pairs_by_the_published_closed_form(counts, expected):
    assert closed_form(list(counts), HEAD_TO_HEAD, 0, 20) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("nelo", "unit", "draw"), [(0, HEAD_TO_HEAD, head_to_head), (100, HEAD_TO_HEAD, head_to_head), (0, FIELD, field)]
)
def test_worlds_of_the_benchmark_are_as_strong_as_they_say(nelo, unit, draw):
    rng, results = Random(3), draw(nelo)
    counts = [0] * unit.results
    for _ in range(4000):
        counts[results(rng)] += 1
    shares = [one / 4000 for one in counts]
    values = [number / (unit.results - 1) for number in range(unit.results)]
    mean = sum(share * value for share, value in zip(shares, values, strict=True))
    deviation = sum(share * (value - mean) ** 2 for share, value in zip(shares, values, strict=True)) ** 0.5
    assert (mean - 0.5) / deviation / unit.t_per_game * NELO == pytest.approx(nelo, abs=15)


# The test of results less luck: its formula, and that it errs no more often and ends sooner.

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
