import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.bots import running
from arena.cli import main
from arena.cli.bot_paths import choose_game, find_program, list_sample_games, list_samples
from arena.runner.program import BadProgramError
from engine.registry import GAMES, PACKAGES


def test_samples_are_found_by_name() -> None:
    assert {"random", "faulty/spins", "languages/java"} <= set(list_samples())
    program = find_program("random")
    assert program.name == "random" and b"pennant_kit" in program.files["bot.py"]


def test_a_path_comes_before_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "random").mkdir()
    (tmp_path / "random" / "bot.py").write_text("mine")
    monkeypatch.chdir(tmp_path)
    assert find_program("random").files == {"bot.py": b"mine"}


def test_a_zip_is_read_as_the_arena_reads_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "heron.zip", "w") as zipped:
        zipped.writestr("heron/bot.py", "mine")
        zipped.writestr("heron/.venv/pip.py", "not mine")
    program = find_program(str(tmp_path / "heron.zip"))
    assert (program.name, dict(program.files)) == ("heron", {"bot.py": b"mine"})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nobody", "isn't a file, a folder or a sample bot: .*random"),
        ("../random", "isn't a file"),
        ("", "isn't a file|no bot.py"),
        (".", "no bot.py, bot.js, .* at the top"),
    ],
)
def test_what_is_no_bot_is_named(text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadProgramError, match=sentence):
        find_program(text)


@pytest.mark.parametrize(
    ("bots", "wanted", "game"),
    [
        (("general", "random"), None, "battalion"),
        (("greedy", "brute"), None, "battleline"),
        (("greedy", "brute"), "battalion", "battalion"),
        (("faulty/spins", "mine.py"), None, "battleline"),
        ((), None, "battleline"),
    ],
)
def test_samples_say_which_game_is_played(bots: tuple[str, ...], wanted: str | None, game: str) -> None:
    assert choose_game(bots, wanted) == game


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["play", "careful", "general"], "no game in common: careful plays battleline; general plays battalion"),
        (
            ["play", "general", "random", "--game", "battleline"],
            "The sample bot general plays battalion, not battleline",
        ),
        (["tournament", "careful", "random", "--game", "battalion"], "careful plays battleline, not battalion"),
        (["gauntlet", "careful", "general"], "have no game in common"),
    ],
)
def test_a_sample_of_another_game_is_refused(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2 and sentence in done.stderr and not list(tmp_path.iterdir())


def test_the_house_has_the_samples_that_say_they_play_a_game() -> None:
    own = [key for key in GAMES if key not in PACKAGES]
    assert {key for name in list_samples() for key in list_sample_games(name) or ()} == set(own)
    for key in own:
        for name in running.list_samples(key):
            games = list_sample_games(name)
            assert games is None or key in games


def test_a_file_of_the_same_name_may_play_any_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("general").mkdir()
    assert choose_game(("general",), None) == "battleline"


def test_what_is_nearly_a_bot_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kingfisher").mkdir()
    Path("kingfisher/bot.py").touch()
    for text, near in (("kingfsher", "kingfisher"), ("gredy", "greedy")):
        done = CliRunner().invoke(main, ["play", text, "random"])
        assert done.exit_code == 2 and f"Did you mean {near}?" in done.stderr


def test_a_main_file_without_the_files_beside_it_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("bot.py", "params.json", ".git"):
        (tmp_path / name).touch()
    assert list(find_program(str(tmp_path / "bot.py")).files) == ["bot.py"]
    assert capsys.readouterr().err == f"Only bot.py is used. If it needs params.json, name its folder: {tmp_path}\n"
    find_program(str(tmp_path))
    assert capsys.readouterr().err == ""
