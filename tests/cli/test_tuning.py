"""`pennant tune` finds better parameters, and what an author writes wrongly gets a sentence."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from arena.cli import main
from arena.cli.tuning import ParameterRange, ParameterRangeType, fit_to_values, with_parameters
from arena.runner.program import PARAMETERS_FILE, Program
from tests.cli.running import pennant

FAILS_WHERE_DEPTH_IS_ABOVE_3 = """
import json
from pathlib import Path
from pennant_kit import run

PARAMETERS = json.loads(Path(__file__).with_name("params.json").read_text())


def choose(message):
    if PARAMETERS["depth"] > 3 or not 0 <= PARAMETERS["greed"] <= 1:
        raise ValueError("too deep")
    return message["legal"][0]


run(choose)
"""


@pytest.fixture
def diver(tmp_path: Path) -> Path:
    folder = tmp_path / "diver"
    folder.mkdir()
    (folder / "bot.py").write_text(FAILS_WHERE_DEPTH_IS_ABOVE_3)
    (folder / PARAMETERS_FILE).write_text('{"depth": 8, "greed": 0.5, "name": "kept"}')
    return folder


@pytest.mark.full
def test_better_parameters_are_found_and_written_where_that_is_asked_for(diver: Path) -> None:
    arguments = (
        "tune",
        diver,
        "--param",
        "depth=1:8",
        "--param",
        "greed=0:1",
        "--opponent",
        "faulty/crashes",
        "--no-sandbox",
    )
    rest = ("--samples", "12", "--matches", "1", "--seed", "5", "--out", diver.parent / "out", "--json")
    done = pennant(*arguments, *rest)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    present, *others = printed["settings"]
    assert present["is_present"] and present["values"] == {"depth": 8, "greed": 0.5} and present["share"]["value"] == 0
    assert all(1 <= one["values"]["depth"] <= 8 and 0 <= one["values"]["greed"] <= 1 for one in others)
    assert printed["best"]["depth"] <= 3
    assert json.loads((diver / PARAMETERS_FILE).read_text())["depth"] == 8
    again = pennant(*arguments, *rest, "--apply")
    assert again.returncode == 0 and json.loads(again.stdout) == printed
    assert json.loads((diver / PARAMETERS_FILE).read_text()) == {**printed["best"], "name": "kept"}
    other = pennant(*arguments, *rest)
    assert other.returncode == 1 and "is different: bot" in other.stderr


@given(st.integers(-9, 9), st.integers(1, 9), st.booleans())
def test_ranges_are_of_whole_numbers_where_both_bounds_and_the_value_are(low: int, width: int, fraction: bool) -> None:
    found = ParameterRangeType().convert(f"depth={low}:{low + width}", None, None)
    assert (found.name, found.low, found.high, found.is_whole) == ("depth", low, low + width, True)
    fitted = fit_to_values((found,), {"depth": low + 0.5 if fraction else low})
    assert fitted[0].is_whole is not fraction


def test_one_fraction_makes_a_range_of_fractions() -> None:
    found = ParameterRangeType().convert("greed=0:1.5", None, None)
    assert found == ParameterRange("greed", 0.0, 1.5) and not found.is_whole


def test_the_file_is_put_beside_what_is_run() -> None:
    program = Program("diver", 1, {"bot.py": b"", PARAMETERS_FILE: b"{}"})
    assert json.loads(with_parameters(program, {"depth": 3}).files[PARAMETERS_FILE]) == {"depth": 3}
    assert program.files[PARAMETERS_FILE] == b"{}"


@pytest.mark.parametrize(
    ("arguments", "content", "sentence"),
    [
        (["--param", "depth"], "{}", "'depth' should be NAME=LOW:HIGH"),
        (["--param", "depth=1:nan"], "{}", "'depth=1:nan' should be NAME=LOW:HIGH"),
        (["--param", "depth=5:1"], "{}", "'depth=5:1' should begin with the smaller number"),
        (["--param", "depth=1:5", "--param", "depth=1:6"], "{}", "depth is given twice"),
        (["--param", "depth=1:5"], "[]", "is JSON, but not an object"),
        (["--param", "depth=1:5"], "{", "isn't JSON"),
        (["--param", "depth=1:5"], '{"depth": "deep"}', "only numbers can be tuned"),
        ([], "{}", "Missing option '--param'"),
    ],
)
def test_what_can_not_be_tuned_is_refused_in_a_sentence(
    diver: Path, arguments: list[str], content: str, sentence: str
) -> None:
    (diver / PARAMETERS_FILE).write_text(content)
    done = CliRunner().invoke(main, ["tune", str(diver), *arguments, "--out", str(diver.parent / "out")])
    assert done.exit_code in (1, 2) and sentence in done.output, done.output
    assert isinstance(done.exception, SystemExit)
