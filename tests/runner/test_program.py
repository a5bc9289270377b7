from pathlib import Path

import pytest

from arena.runner.program import MAX_FILES, BadProgram, Program, read_program


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a//b", "./a", "a/../../b", "a/", "", "nul\0", "\ud800", "x" * 201, "bot.py/x"]
)
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(BadProgram):
        Program("bot", 1, {"bot.py": b"", path: b""})


def test_a_program_begins_with_bot_py() -> None:
    with pytest.raises(BadProgram, match="no bot.py"):
        Program("bot", 1, {"main.py": b""})


def test_a_program_has_no_more_files_than_can_be_open_at_once() -> None:
    with pytest.raises(BadProgram, match="too many"):
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


def test_a_bot_py_is_called_after_its_folder(tmp_path: Path) -> None:
    (tmp_path / "egret").mkdir()
    (tmp_path / "egret" / "bot.py").write_text("pass")
    assert read_program(tmp_path / "egret" / "bot.py").name == "egret"


def test_a_folder_without_bot_py_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadProgram, match="no bot.py at the top of"):
        read_program(tmp_path)
