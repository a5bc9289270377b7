"""The luck of the samples' draws: none of them knows the deck, and one that did would be caught."""

import pytest
from pennant.local_bots import LocalBot

from tests.engine.analysis.luck_of_bots import ToldBot, compute_z, measure_luck_of

MIN_DRAWS = 500
"""The arena audits no bot with fewer."""
MAX_Z = 4.0
"""Where the arena takes a bot's luck for more than chance."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "level", "legs"),
    [
        ("random", "", 1_500),
        ("brute", "", 1_500),
        ("greedy", "", 1_500),
        ("careful", "", 1_000),
        ("searcher", "", 200),
        ("marshal", "3", 200),
    ],
)
def test_the_mean_luck_of_every_sample_is_0(name: str, level: str, legs: int) -> None:
    """As many legs as some minutes allow; tests/bench/bench_luck.py plays 5,000."""
    luck = measure_luck_of(LocalBot(name, level), LocalBot("greedy"), legs)
    assert luck.draws > 10 * legs
    assert abs(compute_z(luck)) < 3


@pytest.mark.full
@pytest.mark.parametrize("name", ["greedy", "careful"])
def test_a_sample_that_is_told_the_deck_is_caught(name: str) -> None:
    luck = measure_luck_of(ToldBot(name), LocalBot("greedy"), legs=40)
    assert luck.draws > MIN_DRAWS
    assert compute_z(luck) > MAX_Z
