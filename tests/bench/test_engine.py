"""The engine stays as fast as was aimed at, give or take a busy machine."""

import pytest

from tests.bench.bench_engine import plays_per_second

AIM = 1_500
"""Random plays a second in one process."""


@pytest.mark.speed
def test_random_plays_are_not_far_slower_than_the_aim() -> None:
    assert plays_per_second("standard", plays=200) > AIM / 3
