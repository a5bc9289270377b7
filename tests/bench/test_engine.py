"""The engine stays as fast as was aimed at, give or take a busy machine."""

from statistics import median

import pytest

from tests.bench import bench_battalion
from tests.bench.bench_engine import plays_per_second

AIM = 1_500
"""Random plays a second in one process."""
BATTALION_AIM = 1_000
"""The same for Battalion with two seats."""
LIST_AIM_US = 50
"""Median of Battalion's legal lists with four seats."""


@pytest.mark.speed
def test_random_plays_are_not_far_slower_than_the_aim() -> None:
    assert plays_per_second("standard", plays=200) > AIM / 3


@pytest.mark.speed
def test_random_plays_of_battalion_are_not_far_slower_than_the_aim() -> None:
    assert bench_battalion.plays_per_second(plays=200) > BATTALION_AIM / 3


@pytest.mark.speed
def test_legal_lists_of_battalion_do_not_take_far_longer_than_the_aim() -> None:
    assert median(bench_battalion.list_times(4, plays=20)) * 1e6 < LIST_AIM_US * 3
