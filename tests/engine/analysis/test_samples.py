"""The luck of the samples' draws: none of them knows the deck."""

import math
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import fmean, stdev

import pytest

from arena.runner.limits import Limits
from arena.runner.match import MatchSpec, play_match
from arena.runner.program import read_program
from arena.runner.sandbox import Sandbox
from engine.analysis.evaluators import find_evaluator
from engine.registry import find_game
from tests.engine.analysis.test_leg import measure_luck

SAMPLES = Path(__file__).parents[3] / "bots" / "samples"
NAMES = ("random", "brute", "greedy", "careful", "searcher")
PAIRS = 250
"""Mirrored pairs of each two samples: 5,000 legs in all."""


@pytest.mark.full
def test_the_mean_luck_of_every_sample_is_0(bare: Sandbox) -> None:
    """Play so many legs that the standard error means something."""
    game, evaluator = find_game("battleline"), find_evaluator("battleline", "standard")
    assert evaluator is not None
    options = game.options("standard")
    programs = {name: read_program(SAMPLES / name) for name in NAMES}
    luck: dict[str, list[float]] = {name: [] for name in NAMES}
    for first, second in combinations(NAMES, 2):
        for number in range(PAIRS):
            spec = MatchSpec(
                game="battleline",
                edition="standard",
                options=options,
                deal=game.deal(options, 2, Random(f"{first} {second} {number}")),
                salts=("a" * 32, "b" * 32),
                limits=Limits(),
                programs=(programs[first], programs[second]),
            )
            for leg in play_match(spec, bare, lambda progress: None).legs:
                for seat, index in enumerate(leg.seating):
                    luck[(first, second)[index]].append(sum(measure_luck(leg.record, evaluator, seat)))
    for name, sums in luck.items():
        assert abs(fmean(sums) / (stdev(sums) / math.sqrt(len(sums)))) < 3, name
