"""The bots to begin with play both games without a fault in the real sandbox, and no worse than by chance."""

import json
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from arena.cli.bot_paths import build_program
from arena.runner.match import MatchSpec, play_match
from arena.runner.program import Limits, read_program
from arena.runner.protocol import list_example_messages
from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.detection import find_sandbox
from engine.registry import BUILT_IN_GAMES, GAMES
from engine.replay import verify
from tests.engine.facts import find_facts
from tests.full import is_full_run, one_of_each

BOTS = Path(__file__).parents[2] / "bots"
STARTERS = ("python", "javascript", "cpp", "rust")
MATCHES = 12 if is_full_run() else 1
"""Too few to measure strength by default: then only faults are looked for, in both seats."""


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
    if is_full_run():
        assert points / MATCHES >= find_facts(game_key).min_starter_points


@pytest.mark.skipif(shutil.which("rustc") is None, reason="no rustc")
def test_types_of_the_starter_in_rust_read_every_message(tmp_path: Path) -> None:
    """They come from the schemas; a field that is missing or of another type ends the bot."""
    built = tmp_path / "bot"
    source = BOTS / "starters" / "rust" / "bot.rs"
    subprocess.run(["rustc", "--edition", "2021", "-D", "warnings", "-o", built, source], check=True)
    for game in BUILT_IN_GAMES.values():
        for edition in game.editions:
            told = [one for one in list_example_messages(game, edition) if "type" in one and one["type"] != "ready"]
            lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in told)
            done = subprocess.run([built], input=lines, capture_output=True, text=True, check=True)
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            requests = [one for one in told if one["type"] == "turn"]
            assert answers[0] == {"type": "ready"} and len(answers) == 1 + len(requests)
            for request, answer in zip(requests, answers[1:], strict=True):
                assert answer["action"] in request["legal"]
