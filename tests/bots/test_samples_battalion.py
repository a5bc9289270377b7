"""The samples play Battalion at every number of seats without a fault, and the cleverer ones are better."""

from random import Random

import pytest

from arena.runner.match import MatchReport, MatchSpec, play_match
from arena.runner.program import Limits
from arena.runner.sandbox.base import Sandbox
from engine.registry import find_game
from engine.replay import verify
from tests.full import full_only
from tests.runner.conftest import sample
from tests.runner.conftest import sandbox as sandbox

MATCHES = 12
"""Enough here: the worse ones win one leg in ten."""


def play(names: tuple[str, ...], luck: str, sandbox: Sandbox) -> MatchReport:
    """A match on a deal of its own: one leg a rotation of the seats, every record verified."""
    game, seats = find_game("battalion"), len(names)
    options = game.options("standard")
    deal = game.deal(options, seats, Random(f"samples-{luck}"))
    salts = ("salt", "pepper", "thyme", "sage")[:seats]
    programs = tuple(sample(name) for name in names)
    report = play_match(MatchSpec("battalion", "standard", options, deal, salts, Limits(), programs), sandbox)
    assert len(report.legs) == seats
    for leg in report.legs:
        assert leg.record["result"]["verdicts"] == ["ok"] * seats, leg.faults
        verify(leg.record)
    return report


@pytest.mark.parametrize(
    ("better", "worse", "least"),
    full_only([("general", "greedy", 0.65), ("greedy", "random", 0.65), ("greedy", "brute", 0.5)]),
)
def test_one_sample_is_clearly_better_than_another(better: str, worse: str, least: float, sandbox: Sandbox) -> None:
    points = sum(play((better, worse), str(number), sandbox).points[0] for number in range(MATCHES))
    assert points / MATCHES >= least


@pytest.mark.full
@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize(("better", "worse"), [("general", "greedy"), ("greedy", "random")])
def test_the_better_one_stands_out_among_several(better: str, worse: str, seats: int, sandbox: Sandbox) -> None:
    """Points are a half by chance, at every number of seats."""
    names = (better, *[worse] * (seats - 1))
    points = sum(play(names, f"{seats}-{number}", sandbox).points[0] for number in range(4))
    assert points / 4 > 0.55
