"""`pennant analyse`: the site's figures at home."""

import json
from pathlib import Path

from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import analyse_coarsely
from tests.cli.running import pennant


def test_records_are_analysed_as_on_the_site(tmp_path: Path) -> None:
    rules = ("--edition", "short", "--seed", "3", "--no-sandbox")
    assert pennant("play", "brute", "random", *rules, "--out", tmp_path / "games").returncode == 0
    out = tmp_path / "found"
    done = pennant("analyse", tmp_path / "games", "--quick", "--json", "--out", out)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [one["record"] for one in told] == ["1-1", "1-2"]
    assert [json.loads(line)["done"] for line in done.stderr.splitlines()] == [1, 2]
    record = json.loads((tmp_path / "games" / "1-1.json").read_text())
    evaluator = find_evaluator("battleline", "short", record["options"])
    assert evaluator is not None
    expected = json.loads(json.dumps(analyse_coarsely(record, evaluator)))
    assert told[0] == {"record": "1-1", **expected}
    assert json.loads((out / "1-1-analysis.json").read_text()) == expected
    shown = pennant("analyse", tmp_path / "games" / "1-1.json", "--quick", "--bot", "brute", COLUMNS="120").stdout
    assert "accuracy" in shown and "brute" in shown and "random" not in shown and ", better: " in shown


def test_what_has_no_value_function_is_left_out(tmp_path: Path) -> None:
    rules = ("--game", "battalion", "--seed", "3", "--no-sandbox")
    assert pennant("play", "random", "random", *rules, "--out", tmp_path).returncode == 0
    done = pennant("analyse", tmp_path / "1-1.json")
    assert done.returncode == 2 and "Skipped 1-1: its rules have no value function." in done.stderr
