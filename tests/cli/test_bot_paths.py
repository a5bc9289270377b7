from pathlib import Path

import pytest

from arena.cli.bot_paths import find_program, list_samples
from arena.runner.program import BadProgramError


def test_samples_are_found_by_name() -> None:
    assert {"random", "faulty/spins", "languages/java"} <= set(list_samples())
    program = find_program("random")
    assert program.name == "random" and b"pennant_kit" in program.files["bot.py"]


def test_a_path_comes_before_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "random").mkdir()
    (tmp_path / "random" / "bot.py").write_text("mine")
    monkeypatch.chdir(tmp_path)
    assert find_program("random").files == {"bot.py": b"mine"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nobody", "no file, no folder, and none of the samples: .*random"),
        ("../random", "no file"),
        ("", "no file|no bot.py"),
        (".", "no bot.py, bot.js, .* at the top"),
    ],
)
def test_what_is_no_bot_is_named(text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadProgramError, match=sentence):
        find_program(text)
