"""`pennant gauntlet`: one bot against many, which goes on where it was stopped."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.runner.sandbox import Sandbox
from tests.cli.running import SAMPLES, pennant, pennant_process
from tests.runner.conftest import sandbox as sandbox

PICKS = "from pennant_kit import run\nrun(lambda message: message['legal'][{chosen}])\n"


@pytest.fixture
def heron(tmp_path: Path) -> Path:
    (tmp_path / "heron.py").write_text(PICKS.format(chosen=0))
    return tmp_path / "heron.py"


def run(heron: Path, *opponents: str | Path, matches: int, seed: str = "3") -> dict[str, Any]:
    out = heron.parent / "out"
    done = pennant(
        "gauntlet", heron, *opponents, "--matches", str(matches), "--seed", seed, "--out", out, "--json", "--no-sandbox"
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_each_opponent_is_played_as_play_would(heron: Path) -> None:
    printed = run(heron, "brute", "greedy", matches=2)
    assert [row["opponent"] for row in printed["opponents"]] == ["brute", "greedy"]
    for row in printed["opponents"]:
        played = pennant(
            "play", heron, row["opponent"], "--matches", "2", "--seed", "3", "--json", "--no-sandbox", "--allow-faults"
        )
        # The legs of a match are two, and each counts one point there.
        assert row["points"] * 2 == json.loads(played.stdout)["bots"][0]["points"]
        assert row["matches"] == sum(row["pentanomial"]) == 2


def test_it_goes_on_where_it_was_stopped(heron: Path) -> None:
    log = heron.parent / "out" / "matches.jsonl"
    run(heron, "brute", matches=2)
    before = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(before[0] + before[1][:20])
    printed = run(heron, "brute", "greedy", matches=2)
    after = log.read_bytes().splitlines(keepends=True)
    assert after[0] == before[0] and len(after) == 4
    assert [row["matches"] for row in printed["opponents"]] == [2, 2]
    assert json.loads(after[1])["points"] == json.loads(before[1])["points"]


def test_other_files_are_not_mixed_with_those_of_before(heron: Path) -> None:
    opponent = heron.with_name("egret.py")
    opponent.write_text(PICKS.format(chosen=-1))
    run(heron, opponent, matches=1)
    opponent.write_text(PICKS.format(chosen=0))
    assert [row["matches"] for row in run(heron, opponent, matches=1)["opponents"]] == [1]
    assert len((heron.parent / "out" / "matches.jsonl").read_text().splitlines()) == 2
    heron.write_text(PICKS.format(chosen=-1))
    done = pennant_process("gauntlet", heron, opponent, "--out", heron.parent / "out", "--no-sandbox")
    assert done.returncode == 1
    assert "the files of the bot have changed" in done.stderr and "name another folder: --out" in done.stderr


def test_faults_are_told_and_their_records_kept(sandbox: Sandbox, tmp_path: Path) -> None:
    done = pennant("gauntlet", SAMPLES / "faulty" / "crashes", "random", "--matches", "1", "--out", tmp_path)
    assert done.returncode == 1, done.stderr
    assert "against random, 1-1: crashes (crash) at decision " in done.stdout
    assert len(list((tmp_path / "records" / "random").glob("*.json"))) == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["random", "greedy", "greedy"], "greedy is named twice"),
        (["random", "nobody"], "nobody is no file"),
        (["random"], "Missing argument 'OPPONENT…'"),
        (["random", "greedy", "--edition", "gold"], "there is no edition 'gold'; there are: standard"),
    ],
)
def test_what_can_not_be_played_is_refused_in_a_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    done = pennant("gauntlet", *arguments, "--out", tmp_path / "out")
    assert done.returncode != 0 and sentence in done.stderr and "Traceback" not in done.stderr
