"""Games from outside the tree: what PENNANT_GAMES may name, and what is refused in words."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.packages import BadGamePackage, list_packages, load_package, write_variable

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "example-game" / "goofspiel"


def test_a_package_is_named_by_its_folder_or_its_module() -> None:
    by_folder, by_name = load_package(str(EXAMPLE)), load_package("goofspiel")
    assert by_folder == by_name and by_folder.folder == EXAMPLE and by_folder.game.key == "goofspiel"
    assert write_variable({"goofspiel": by_name}) == str(EXAMPLE)
    assert list_packages("") == () and list_packages(f" {EXAMPLE} , ") == (by_folder,)


def test_bots_see_the_rules_of_a_package_and_nothing_else() -> None:
    files = load_package("goofspiel").rule_files
    assert sorted(files) == [
        "goofspiel/__init__.py", "goofspiel/rules/__init__.py", "goofspiel/rules/game.py", "goofspiel/rules/state.py",
    ]  # fmt: skip
    assert all(path.is_file() for path in files.values())


def test_what_is_no_game_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "__init__.py").touch()
    for name, words in (
        ("no_such_package", "can't be imported"),
        (str(tmp_path), "there is no __init__.py"),
        (str(tmp_path / "json"), "another package is called json"),
        ("engine.games", "can't be imported"),
        (f"{EXAMPLE},goofspiel", "the game goofspiel is there twice"),
    ):
        with pytest.raises(BadGamePackage, match=words):
            list_packages(name)


def test_rules_without_a_game_are_refused(tmp_path: Path) -> None:
    (tmp_path / "gameless").mkdir()
    for name in ("__init__.py", "rules.py"):
        (tmp_path / "gameless" / name).touch()
    with pytest.raises(BadGamePackage, match="has no GAME in its rules"):
        load_package(str(tmp_path / "gameless"))


def test_a_folder_may_begin_with_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(EXAMPLE.parent))
    assert [package.folder for package in list_packages("~/goofspiel")] == [EXAMPLE]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("GAME = = 1", "SyntaxError: invalid syntax"),
        ("import json\nGAME = 1 // 0", "ZeroDivisionError: integer division or modulo by zero"),
        ("from engine.core import Gime", "ImportError: cannot import name 'Gime'"),
    ],
)
def test_an_error_in_the_rules_is_told_with_its_file_and_line(tmp_path: Path, rules: str, words: str) -> None:
    folder = tmp_path / f"broken_{len(rules)}"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "rules.py").write_text(rules)
    with pytest.raises(BadGamePackage) as refused:
        load_package(str(folder))
    line = len(rules.splitlines())
    assert words in str(refused.value) and f"({folder / 'rules.py'}, line {line})" in str(refused.value)
    assert "PENNANT_GAMES" not in str(refused.value) and "\n" not in str(refused.value)


def list_games(value: str) -> subprocess.CompletedProcess[str]:
    code = "from engine.registry import GAMES; print(*GAMES)"
    environment = os.environ | {"PENNANT_GAMES": value}
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_a_package_joins_the_list_and_without_one_nothing_changes() -> None:
    assert list_games("docs/example-game/goofspiel").stdout.split() == ["battleline", "battalion", "goofspiel"]
    assert list_games("").stdout.split() == ["battleline", "battalion"]
    assert "no_such_package can't be imported" in list_games("no_such_package").stderr
