"""Folders of submissions as learning platforms export them, and the page of results."""

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.cli.submissions import extract_person_name, read_files, read_submissions
from arena.runner.program import BadProgramError

FIRST = "from pennant_kit import run\nrun(lambda message: message['legal'][0])\n"
CRASHES = "from pennant_kit import run\ndef fail(message):\n    raise KeyError('plan')\nrun(fail)\n"
ILLEGAL = "from pennant_kit import run\nrun(lambda message: 'nothing')\n"


def pack(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for name, text in files.items():
            packed.writestr(name.replace("__", "/").replace("_py", ".py").replace("_zip", ".zip"), text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("Kovács Anna_12345_assignsubmission_file_", "Kovács Anna"),
        ("Kovács Anna_12345_assignsubmission_file_my bot.zip", "Kovács Anna"),
        ("kovacsanna_LATE_12345_678910_bot.zip", "kovacsanna"),
        ("Battle bots_akovacs_attempt_2026-11-26-10-00-00_bot.zip", "akovacs"),
        ("my_best.bot.zip", "my best.bot"),
        ("bot.py", "bot"),
        ("../../etc", "etc"),
        ("a\u202eb\x1b[31m", "ab[31m"),
        ("...", "submission"),
    ],
)
def test_names_are_those_of_people(source: str, name: str) -> None:
    assert extract_person_name(source) == name


@pytest.mark.parametrize(
    "files",
    [
        {"bot.py": FIRST.encode()},
        {"solution.py": FIRST.encode(), "notes.txt": b"Mine."},
        {"week 3/bot/bot.py": FIRST.encode(), "week 3/bot/plan.json": b"{}"},
        {"bot.zip": pack(bot_py=FIRST)},
        {"hand-in/bot.zip": pack(mine__bot_py=FIRST), "hand-in/readme.txt": b"Mine."},
    ],
)
def test_a_bot_is_found_whatever_is_around_it(files: dict[str, bytes]) -> None:
    assert read_files("Anna", files).files["bot.py"] == FIRST.encode()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"readme.txt": b"Later."}, "no program"),
        ({"a.py": b"1", "b.py": b"2"}, "several programs"),
        ({"bot.zip": b"PK no zip"}, "can't be read"),
        ({"bot.zip": pack(bot_py="x" * 68_000_000)}, "more than 64 MB"),
        ({"x.zip": pack(bot_py=FIRST, ______evil_py="1")}, "not a plain path"),
    ],
)
def test_what_holds_no_bot_says_why(files: dict[str, bytes], words: str) -> None:
    with pytest.raises(BadProgramError, match=words):
        read_files("Anna", files)


def test_links_to_other_places_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.py").write_text(FIRST)
    (tmp_path / "in" / "link.py").symlink_to(tmp_path / "secret.py")
    (found,) = read_submissions(tmp_path / "in", tmp_path / "out")
    assert found.program is None and "link" in found.problem


def test_a_zip_of_zips_is_a_folder_of_submissions(tmp_path: Path) -> None:
    whole = tmp_path / "all.zip"
    with zipfile.ZipFile(whole, "w") as packed:
        packed.writestr("Anna_1_assignsubmission_file_bot.zip", pack(bot_py=FIRST))
        packed.writestr("Béla_2_assignsubmission_file_/bot.py", FIRST)
        packed.writestr("__MACOSX/x", "")
    found = read_submissions(whole, tmp_path / "out")
    assert [(one.name, one.problem) for one in found] == [("Anna", ""), ("Béla", "")]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["tournament", *map(str, arguments), "--no-sandbox"])


def read_page(out: Path) -> dict[str, Any]:
    page = (out / "results.html").read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None and "url(../" not in page and "http" not in page.partition("<body>")[2].partition("id=")[0]
    told: dict[str, Any] = json.loads(found[1])
    return told


def test_those_that_start_play_and_the_others_are_told(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name, code in (("Anna", FIRST), ("Béla<!--<script>", FIRST), ("Cili", CRASHES), ("Dóra", ILLEGAL)):
        (folder / f"{name}_1_assignsubmission_file_bot.py").write_text(code)
    (folder / "Elek_5_assignsubmission_file_").mkdir()
    done = run(folder, "--format", "round-robin", "--edition", "short", "--seed", "7", "--out", out)
    assert done.exit_code == 0, done.output
    assert "Not taking part: 3 of 5 submissions" in done.stdout
    assert re.search(r"Cili \(.*\): crash in its check", done.stdout) and "KeyError: 'plan'" in done.stdout
    assert re.search(r"Dóra \(.*\): \w+ in its check", done.stdout)
    assert re.search(r"Elek \(.*\): it has no program", done.stdout)
    told = read_page(out)
    assert len(told["standings"]) == 2 and told["matches"][0]["round"] == 1 and told["tie_breaks"][0][0] == "direct"
    assert [one["name"] for one in told["submissions"] if one["problem"]] == ["Cili", "Dóra", "Elek"]
    again = run("--out", out)
    assert again.exit_code == 0 and "Not taking part: 3 of 5" in again.stdout
    assert run(folder, "--out", out).exit_code == 0
    other = run("random", "random", "--out", out)
    assert other.exit_code == 2 and "is different" in other.output


def test_too_few_that_start_are_no_tournament(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "anna.py").write_text(FIRST)
    (tmp_path / "in" / "bela.txt").write_text("Later.")
    done = run(tmp_path / "in", "--edition", "short", "--out", tmp_path / "out")
    assert done.exit_code == 2 and "Only 1 of " in done.output and "bela" in done.output
    assert not (tmp_path / "out" / "tournament.json").exists()
