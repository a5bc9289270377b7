"""The bots to begin with play both games without a fault in the real sandbox, all alike, and better than by chance."""

import json
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from arena.cli.bot_paths import build_program
from arena.cli.starting import MODEL_STARTER, TEST_COMMANDS
from arena.runner.data_files import DOCS_FOLDER
from arena.runner.languages import LANGUAGES, STARTER_LANGUAGES
from arena.runner.live_turn import rerun_seat
from arena.runner.match import MatchSpec, play_match
from arena.runner.program import Limits, Program, read_program
from arena.runner.protocol import encode, list_example_messages
from arena.runner.sandbox.base import NoSandboxError, Sandbox
from arena.runner.sandbox.detection import find_sandbox
from engine.core import Json
from engine.registry import BUILT_IN_GAMES
from engine.replay import verify
from tests.engine.facts import find_facts
from tests.full import full_only, is_full_run, one_of_each
from tests.story.manual_blocks import read_blocks

BOTS = Path(__file__).parents[2] / "bots"
STARTERS = BOTS / "starters"
INTERPRETED = {"python": "Python", "javascript": "JavaScript"}
"""The others are compiled."""
SHARED_FILES = ("params.json", "turns.jsonl")
EDITIONS = [(game.key, edition) for game in BUILT_IN_GAMES.values() for edition in game.editions]
DEFAULT_EDITIONS = (("battleline", "hundred-years"), ("battalion", "standard"))
"""The first has every kind of decision in Battle Line: tactics, tiles that are drafted and laid, and their effects."""
MATCHES = 12


@pytest.fixture(scope="module")
def box() -> Sandbox:
    try:
        return find_sandbox(set(STARTER_LANGUAGES))
    except NoSandboxError as error:
        pytest.skip(f"no sandbox: {error}")


def play(pair: tuple[Program, Program], game_key: str, edition: str, sandbox: Sandbox, number: int = 0) -> list[Json]:
    """Return the verified records of a match, after a check that nobody had a fault."""
    game = BUILT_IN_GAMES[game_key]
    options = game.options(edition)
    deal = game.deal(options, 2, Random(f"starters-{number}"))
    report = play_match(MatchSpec(game_key, edition, options, deal, ("salt", "pepper"), Limits(), pair), sandbox)
    for leg in report.legs:
        assert leg.record["result"]["verdicts"] == ["ok", "ok"], leg.faults
        verify(leg.record)
    return [leg.record for leg in report.legs]


@pytest.fixture(scope="module")
def played(box: Sandbox) -> dict[tuple[str, str], list[Json]]:
    """Two legs of Python's starter against `random`, by game and edition."""
    pair = (read_program(STARTERS / "python"), read_program(BOTS / "samples" / "random"))
    return {each: play(pair, *each, box) for each in (EDITIONS if is_full_run() else DEFAULT_EDITIONS)}


def test_there_is_a_starter_in_each_language_that_is_built_here() -> None:
    assert {path.name for path in STARTERS.iterdir()} == {*STARTER_LANGUAGES, MODEL_STARTER} == set(TEST_COMMANDS)
    for language in STARTER_LANGUAGES:
        for name in SHARED_FILES:
            assert (STARTERS / language / name).read_text() == (STARTERS / "python" / name).read_text()


@pytest.mark.parametrize("language", STARTER_LANGUAGES)
def test_a_starter_plays_without_a_fault_and_as_the_one_in_python(
    language: str, box: Sandbox, played: dict[tuple[str, str], list[Json]]
) -> None:
    if language not in box.languages:
        pytest.skip(f"no {language} here")
    program = build_program(read_program(STARTERS / language), box)
    for records in played.values():
        for seat, record in enumerate(records):
            answers = list(rerun_seat(record, seat, program, box))
            assert answers and not [(one.problem, one.log) for one in answers if one.problem]
            assert [one.answer for one in answers] == [one.recorded for one in answers]
    play((program, read_program(BOTS / "samples" / "greedy")), "battleline", "standard", box)
    hello, _, turn, _, refused = list_example_messages(BUILT_IN_GAMES["battleline"], "standard")[:5]
    assert refused["type"] == "refused"
    process = box.start(program, Limits())
    try:
        for asked in ([hello], [turn], [refused, turn]):
            answer = json.loads(process.ask(b"".join(map(encode, asked)), 10))
        assert answer["action"] in turn["legal"], "types that it doesn't know are passed over"
    finally:
        process.close()


@pytest.mark.parametrize(("game_key", "edition"), full_only(EDITIONS))
def test_starters_win_against_chance(game_key: str, edition: str, box: Sandbox) -> None:
    pair = (read_program(STARTERS / "python"), read_program(BOTS / "samples" / "random"))
    wins = 0
    for number in range(MATCHES):
        records = play(pair, game_key, edition, box, number)
        wins += sum(record["result"]["places"][seat] == 1 for seat, record in enumerate(records))
    assert wins / (2 * MATCHES) >= find_facts(game_key).min_starter_points


@pytest.mark.parametrize("language", one_of_each(STARTER_LANGUAGES, kind=INTERPRETED.get))
def test_the_tests_of_a_starter_pass_until_it_is_changed(language: str, tmp_path: Path) -> None:
    if LANGUAGES[language].find() is None or shutil.which(TEST_COMMANDS[language].split()[0]) is None:
        pytest.skip(f"no {language} here")
    folder = tmp_path / language
    shutil.copytree(STARTERS / language, folder)

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)

    done = run(TEST_COMMANDS[language])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr
    turns = (folder / "turns.jsonl").read_text()
    (folder / "turns.jsonl").write_text(turns.replace('"answer":"draw troop"', '"answer":"draw tactic"'))
    assert run(TEST_COMMANDS[language].split(" && ")[-1]).returncode != 0


def test_a_turn_of_several_decisions_is_in_the_example() -> None:
    lines = [json.loads(line) for line in (STARTERS / "python" / "turns.jsonl").read_text().splitlines()]
    battle_line = [one for one in lines if "turn" in one.get("view", {})]
    assert len({one["view"]["turn"] for one in battle_line}) == 1
    assert [one["answer"].split()[0] for one in battle_line] == ["claim", "play", "claim", "draw"]


@pytest.mark.skipif(shutil.which("rustc") is None, reason="no rustc")
def test_types_of_the_starter_in_rust_read_every_message(tmp_path: Path) -> None:
    """They come from the schemas; a field that is missing or of another type ends the bot."""
    built = tmp_path / "bot"
    source = STARTERS / "rust" / "bot.rs"
    subprocess.run(["rustc", "--edition", "2021", "-D", "warnings", "-o", built, source], check=True)
    shutil.copy(STARTERS / "rust" / "params.json", tmp_path)
    for game in BUILT_IN_GAMES.values():
        for edition in game.editions:
            told = [one for one in list_example_messages(game, edition) if "type" in one and one["type"] != "ready"]
            lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in told)
            done = subprocess.run([built], input=lines, capture_output=True, text=True, check=True, cwd=tmp_path)
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            requests = [one for one in told if one["type"] == "turn"]
            assert answers[0] == {"type": "ready"} and len(answers) == 1 + len(requests)
            for request, answer in zip(requests, answers[1:], strict=True):
                assert answer["action"] in request["legal"]


def test_the_steps_of_the_tutorial_lead_from_the_starter_to_a_bot_that_beats_greedy(
    box: Sandbox, tmp_path: Path
) -> None:
    """As a reader does it; the figures on the page are from more matches."""
    shutil.copytree(STARTERS / "python", tmp_path / "mybot")
    blocks = read_blocks(DOCS_FOLDER / "tutorials" / "beat-greedy.md")
    points = {}
    for block in blocks:
        commands = (
            [line for line in block.command.splitlines() if not line.startswith("pennant ")] if block.is_run else []
        )
        subprocess.run(["bash", "-e", "-c", "\n".join(commands)], cwd=tmp_path, check=True)
        if (tmp_path / "mybot" / "fit.py").exists() and "pennant play" in block.text:
            pair = (read_program(tmp_path / "mybot"), read_program(BOTS / "samples" / "greedy"))
            numbers = range(8 if "UNSEEN" in block.text else 1)
            legs = [record for number in numbers for record in play(pair, "battleline", "standard", box, number)]
            points[block.line] = [leg["result"]["places"][seat % 2] == 1 for seat, leg in enumerate(legs)]
    assert len(points) == 3 and sum(list(points.values())[-1]) > 8
