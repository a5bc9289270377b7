"""`pennant new-game` and `pennant check-game`, and a bot of a game from outside the tree in its sandbox."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "example-game" / "goofspiel"
LOOKING_BOT = """
import os, sys
from pennant_kit import run
from engine.registry import find_game
package = sorted(os.listdir(os.path.join(os.path.dirname(find_game.__code__.co_filename), "..", "goofspiel")))
print(find_game("goofspiel").title, package, sorted(os.environ), file=sys.stderr)
run(lambda message: message["legal"][0])
"""


def pennant(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def run_outside(folder: Path, *words: str, games: Path | None = None, code: int = 0) -> str:
    """The output of `pennant`, run in a process of its own in another folder."""
    program = "from arena.cli import main; main()"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PENNANT_GAMES": str(games or "")}
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_new_game_keeps_the_contract_and_is_played(tmp_path: Path) -> None:
    made = pennant("new-game", "kuhn_poker", "--folder", tmp_path)
    assert made.exit_code == 0 and "kuhn_poker" in made.output
    checked = run_outside(tmp_path, "check-game", "kuhn_poker", "--plays", "2")
    assert "kuhn_poker standard: the same as the oracle … ok" in checked and "BROKEN" not in checked
    played = run_outside(tmp_path, "play", "random", "random", "--game", "kuhn_poker", games=tmp_path / "kuhn_poker")
    assert "2 legs" in played and played.count(" none ") == 2
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "kuhn_poker"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(tests, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_names_of_a_new_game_are_its_own(tmp_path: Path) -> None:
    assert pennant("new-game", "kuhn_poker", "--folder", tmp_path).exit_code == 0
    rules = (tmp_path / "kuhn_poker" / "rules" / "game.py").read_text()
    assert "class KuhnPoker(Game)" in rules and 'title = "Kuhn Poker"' in rules and 'key = "kuhn_poker"' in rules
    assert not any("uessing" in path.read_text() for path in (tmp_path / "kuhn_poker").rglob("*.py"))


@pytest.mark.parametrize(
    ("name", "words"),
    [("Kuhn Poker", "lower-case letters"), ("battleline", "already"), ("json", "already"), ("taken", "already exists")]
    + [(word, "a Python keyword") for word in ("class", "lambda")],
)
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "taken").mkdir()
    refused = pennant("new-game", name, "--folder", tmp_path)
    assert refused.exit_code == 2 and words in refused.output


def test_a_broken_game_is_told_what_to_mend(tmp_path: Path) -> None:
    pennant("new-game", "broken_game", "--folder", tmp_path)
    state = tmp_path / "broken_game" / "rules" / "state.py"
    state.write_text(state.read_text().replace('"to_move": self.to_act,', ""))
    checked = pennant("check-game", tmp_path / "broken_game", "--plays", 2)
    assert checked.exit_code == 1
    assert "decisions … BROKEN\n  view(): 'to_move' is missing" in checked.output


def test_an_error_of_the_game_itself_is_told_with_its_place(tmp_path: Path) -> None:
    pennant("new-game", "failing_game", "--folder", tmp_path)
    state = tmp_path / "failing_game" / "rules" / "state.py"
    state.write_text(state.read_text().replace("self.turn += 1", "self.turn += 1 // 0"))
    checked = pennant("check-game", tmp_path / "failing_game", "--plays", 2)
    assert "ZeroDivisionError: integer division or modulo by zero (" in checked.output
    assert f"({state}, line " in checked.output


def test_a_deal_that_depends_on_the_process_is_found(tmp_path: Path) -> None:
    pennant("new-game", "hashing_game", "--folder", tmp_path)
    game = tmp_path / "hashing_game" / "rules" / "game.py"
    game.write_text(game.read_text().replace("int(rng.random() * options", "hash(str(rng.random())) % (options"))
    checked = run_outside(tmp_path, "check-game", "hashing_game", "--plays", "2", code=1)
    assert "the same in another process … BROKEN" in checked and "Failed checks: 1." in checked


def test_an_oracle_that_cannot_be_imported_is_one_broken_check(tmp_path: Path) -> None:
    pennant("new-game", "oracle_game", "--folder", tmp_path)
    (tmp_path / "oracle_game" / "tests" / "oracle.py").write_text("import nothing_such")
    checked = pennant("check-game", tmp_path / "oracle_game", "--plays", 1)
    assert "the same as the oracle … BROKEN\n  ModuleNotFoundError" in checked.output
    assert "oracle.py, line 1)" in checked.output and "Failed checks: 1." in checked.output


@pytest.mark.parametrize(
    ("variables", "command"), [({}, "pennant"), ({"UV_RUN_RECURSION_DEPTH": "1"}, "uv run pennant")]
)
def test_the_next_commands_are_written_as_this_one_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], command: str
) -> None:
    monkeypatch.delenv("UV_RUN_RECURSION_DEPTH", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    told = pennant("new-game", "next_game", "--folder", tmp_path).output.splitlines()
    assert told[1] == f"  {command} check-game {tmp_path / 'next_game'}"
    assert f" {command} play random random" in told[2]


@pytest.mark.parametrize(
    "words",
    [
        ("-c", "from arena.cli import main; main()", "options"),
        ("-c", "from arena.cli import main; main()", "play", "random", "random"),
        ("manage.py", "up"),
    ],
    ids=["options", "play", "up"],
)
def test_a_wrong_variable_is_told_in_one_line(words: tuple[str, ...]) -> None:
    environment = os.environ | {"PENNANT_GAMES": "no_such_package"}
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == (1 if words[0] == "manage.py" else 2) and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "PENNANT_GAMES: no_such_package can't be imported" in done.stderr


def test_the_first_edition_of_a_game_is_played_where_none_is_named(tmp_path: Path) -> None:
    pennant("new-game", "other_game", "--folder", tmp_path)
    game = tmp_path / "other_game" / "rules" / "game.py"
    game.write_text(game.read_text().replace('"standard"', '"usual"'))
    words = ["random", "random", "--game", "other_game", "--no-sandbox"]
    assert "2 legs" in run_outside(tmp_path, "play", *words, games=tmp_path / "other_game")
    assert "other_game usual" in run_outside(tmp_path, "check-game", "other_game", "--plays", "1")
    run_outside(tmp_path, "tournament", *words, "--rounds", "1", games=tmp_path / "other_game")


def test_a_built_in_edition_that_is_not_there_is_refused() -> None:
    checked = pennant("check-game", EXAMPLE, "--edition", "long")
    assert checked.exit_code == 2 and "only standard, short" in checked.output
    missing = pennant("check-game", "no_such_package").output
    assert "can't be imported" in missing and "PENNANT_GAMES" not in missing


def test_a_bot_sees_the_rules_of_the_game_and_nothing_else_of_its_package(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(LOOKING_BOT)
    words = ["play", str(tmp_path / "bot.py"), "random", "--game", "goofspiel", "--edition", "short"]
    run_outside(tmp_path, *words, "--out", str(tmp_path / "out"), games=EXAMPLE)
    seen = (tmp_path / "out" / "1-1-0.stderr").read_text()
    assert seen.startswith("Goofspiel ['__init__.py', '__pycache__', 'rules']") and "PENNANT_GAMES" in seen
