from pathlib import Path

import pytest

from arena.runner.program import MAX_FILES, BadProgramError, Program, read_program


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a//b", "./a", "a/../../b", "a/", "", "nul\0", "\ud800", "x" * 201, "bot.py/x"]
)
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(BadProgramError):
        Program("bot", 1, {"bot.py": b"", path: b""})


@pytest.mark.parametrize(("language", "entry"), [("python", "bot.py"), ("java", "Bot.java")])
def test_a_program_begins_with_the_entry_of_its_language(language: str, entry: str) -> None:
    with pytest.raises(BadProgramError, match=f"no {entry}"):
        Program("bot", 1, {"main.py": b""}, language)


def test_what_was_built_is_a_program_too() -> None:
    assert Program("bot", 1, {"bot.jar": b""}, "java").files
    with pytest.raises(BadProgramError, match="no bot.c"):
        Program("bot", 1, {"bot.jar": b""}, "c")


def test_a_language_nobody_knows_is_refused() -> None:
    with pytest.raises(BadProgramError, match="no language 'ruby'"):
        Program("bot", 1, {"bot.rb": b""}, "ruby")


def test_a_program_has_no_more_files_than_can_be_open_at_once() -> None:
    with pytest.raises(BadProgramError, match="too many"):
        Program("bot", 1, {"bot.py": b""} | {f"{number}.txt": b"" for number in range(MAX_FILES)})


def test_a_folder_is_read_with_its_folders_and_without_leavings(tmp_path: Path) -> None:
    kingfisher = tmp_path / "kingfisher"
    for path in ("bot.py", "tables/book.txt", "__pycache__/bot.pyc", ".git/config"):
        (kingfisher / path).parent.mkdir(parents=True, exist_ok=True)
        (kingfisher / path).write_text(path)
    program = read_program(kingfisher)
    assert program.name == "kingfisher"
    assert program.files == {"bot.py": b"bot.py", "tables/book.txt": b"tables/book.txt"}


def test_a_single_file_is_a_program(tmp_path: Path) -> None:
    (tmp_path / "heron.py").write_text("pass")
    assert read_program(tmp_path / "heron.py") == Program("heron", 1, {"bot.py": b"pass"})


def test_a_single_file_of_another_language_becomes_its_entry(tmp_path: Path) -> None:
    (tmp_path / "heron.c").write_text("int main;")
    assert read_program(tmp_path / "heron.c") == Program("heron", 1, {"bot.c": b"int main;"}, "c")


def test_a_folder_is_of_the_language_of_its_entry(tmp_path: Path) -> None:
    for name in ("Bot.java", "Wing.java", "setup.py"):
        (tmp_path / name).touch()
    assert read_program(tmp_path).language == "java"


def test_a_bot_py_is_called_after_its_folder(tmp_path: Path) -> None:
    (tmp_path / "egret").mkdir()
    (tmp_path / "egret" / "bot.py").write_text("pass")
    assert read_program(tmp_path / "egret" / "bot.py").name == "egret"


def test_a_folder_without_an_entry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadProgramError, match=f"{tmp_path}: there is no bot.py, .* at the top"):
        read_program(tmp_path)
