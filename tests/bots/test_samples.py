"""The samples play without a fault, and each is clearly better than the one before."""

from pathlib import Path
from random import Random

import pytest

from arena.runner.match import MatchSpec, play_match
from arena.runner.program import Limits, Program, read_program
from arena.runner.sandbox.base import NoSandboxError, Sandbox
from arena.runner.sandbox.detection import find_sandbox
from engine.registry import find_game
from engine.replay import verify
from tests.engine.battleline.staging import EDITION_CASES
from tests.full import default_and_full, is_full_run

SAMPLES = Path(__file__).parents[2] / "bots" / "samples"
MATCHES = 25 if is_full_run() else 12
"""Enough here: only random has chance in it, and the deals are fixed."""
EDITIONS_WITH_SLOW_SAMPLES = ("short", "terrain")
"""One in which `marshal` has a value function, and one in which it has none."""


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    try:
        return find_sandbox({"python"})
    except NoSandboxError as error:
        pytest.skip(f"no sandbox: {error}")


def load_sample(name: str) -> Program:
    return read_program(SAMPLES / name)


@pytest.mark.parametrize(
    ("better", "worse"),
    default_and_full([("greedy", "brute")], [("brute", "random"), ("careful", "greedy"), ("marshal", "careful")]),
)
def test_each_sample_is_clearly_better_than_the_one_before(better: str, worse: str, bare: Sandbox) -> None:
    """How strong a bot is doesn't depend on the sandbox, in which a match takes several times as long."""
    game = find_game("battleline")
    options = game.options("standard")
    programs = (load_sample(better), load_sample(worse))
    points = 0.0
    for number in range(MATCHES):
        deal = game.deal(options, 2, Random(f"samples-{number}"))
        report = play_match(
            MatchSpec("battleline", "standard", options, deal, ("salt", "pepper"), Limits(), programs), bare
        )
        for leg in report.legs:
            assert leg.record["result"]["verdicts"] == ["ok", "ok"], leg.faults
            verify(leg.record)
        points += report.points[0]
    assert points / MATCHES >= 0.6


@pytest.mark.parametrize("edition", EDITION_CASES)
def test_samples_play_every_edition_without_a_fault(edition: str, sandbox: Sandbox, bare: Sandbox) -> None:
    """In the sandbox where all of them play, by default; with `--full`, in every edition."""
    game = find_game("battleline")
    options = game.options(edition)
    deal = game.deal(options, 2, Random(f"samples-{edition}"))
    hasty = Limits(bank_ms=2500)
    has_slow = is_full_run() or edition in EDITIONS_WITH_SLOW_SAMPLES
    slow = [("searcher", "careful"), ("marshal", "random")] if has_slow else [("careful", "random")]
    for names in (("greedy", "random"), ("brute", "brute"), *slow):
        programs = tuple(load_sample(name) for name in names)
        spec = MatchSpec("battleline", edition, options, deal, ("salt", "pepper"), hasty, programs)
        for leg in play_match(spec, sandbox if has_slow else bare).legs:
            assert leg.record["result"]["verdicts"] == ["ok", "ok"], leg.faults
            verify(leg.record)
