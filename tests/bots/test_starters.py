"""The bots to begin with play both games without a fault in the real sandbox, and no worse than by chance."""

from pathlib import Path
from random import Random

import pytest

from arena.cli.bot_paths import build_program
from arena.runner.limits import Limits
from arena.runner.match import MatchSpec, play_match
from arena.runner.program import read_program
from arena.runner.sandbox import find_sandbox
from arena.runner.sandbox.base import NoSandboxError
from engine.registry import GAMES
from engine.replay import verify
from tests.engine.facts import find_facts
from tests.full import one_of_each

BOTS = Path(__file__).parents[2] / "bots"
STARTERS = ("python", "javascript", "cpp", "rust")
MATCHES = 12


def first_game(case: tuple[str, str]) -> str:
    """Return the kind of a case: Python's starter plays every game by default, the others the first one."""
    language, game_key = case
    return f"{language} {game_key}" if language == "python" else language


def test_every_folder_is_a_starter() -> None:
    assert {path.name for path in (BOTS / "starters").iterdir()} == set(STARTERS)


@pytest.mark.parametrize(
    ("language", "game_key"), one_of_each([(language, key) for key in GAMES for language in STARTERS], kind=first_game)
)
def test_a_starter_plays_without_a_fault_and_no_worse_than_by_chance(language: str, game_key: str) -> None:
    try:
        sandbox = find_sandbox({"python", language})
    except NoSandboxError as error:
        pytest.skip(f"no sandbox: {error}")
    if language not in sandbox.languages:
        pytest.skip(f"no {language} here")
    program = build_program(read_program(BOTS / "starters" / language), sandbox)
    rival = read_program(BOTS / "samples" / "random")
    game = GAMES[game_key]
    edition = next(iter(game.editions))
    options = game.options(edition)
    points = 0.0
    for number in range(MATCHES):
        deal = game.deal(options, 2, Random(f"starters-{number}"))
        spec = MatchSpec(game_key, edition, options, deal, ("salt", "pepper"), Limits(), (program, rival))
        report = play_match(spec, sandbox)
        for leg in report.legs:
            assert leg.record["result"]["verdicts"] == ["ok", "ok"], leg.faults
            verify(leg.record)
        points += report.points[0]
    assert points / MATCHES >= find_facts(game_key).min_starter_points
