"""Tournaments that can't be played are refused before the first match."""

import os
import re
from pathlib import Path

import pytest

from tests.cli.test_tournament import lines, run


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Which bots?"),
        (["random"], "A tournament can have 2 to 256 entrants, not 1"),
        (["random", "nobody"], "nobody isn't a file, a folder or a sample bot"),
        (["random", "random", "--game", "chess"], "no game 'chess'"),
        (["random", "random", "--edition", "gold"], "no edition 'gold'; editions are: standard"),
        (["random", "random", "--option", "tiles=none", "--option", "wind=1"], "no option 'wind'"),
        (["random", "random", "--format", "chess"], "'chess' is not one of 'swiss'"),
        (["random", "random", "--scoring", "goals"], "'goals' is not one of 'wins', 'game_points'"),
        (["random", "random", "--rounds", "0"], "Choose 1 to 99 rounds, not 0"),
        (["random", "random", "--matches-per-pairing", "26"], "Choose 1 to 25 matches per pairing, not 26"),
        (["random", "random", "--format", "groups"], "These groups need at least 4 entrants"),
        (["random", "random", "--format", "swiss-knockout"], "--knockout-size: This knockout needs at least 4"),
        (
            ["random", "random", "--format", "single-elimination", "--third-place-match"],
            "--third-place-match: A third-place match needs a knockout of at least 4 bots, not 2",
        ),
        (
            ["random", "random", "--format", "single-elimination", "--matches-per-pairing", "2"],
            "--matches-per-pairing: In a knockout, a pairing needs an odd number",
        ),
        (["random", "random", "--out", "README.md"], "README.md"),
    ],
)
def test_what_can_not_be_played_is_refused_in_a_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("README.md").touch()
    done = run(*arguments)
    assert done.exit_code in (1, 2) and done.stdout == ""
    assert sentence in re.sub(r"\s+", " ", done.stderr)
    assert os.listdir() == ["README.md"]


def test_bots_that_can_not_be_built_stop_it_before_the_first_match(tmp_path: Path) -> None:
    (tmp_path / "heron.c").write_text("int main(void) { return wing; }")
    done = run(tmp_path / "heron.c", "random", "--out", tmp_path / "out", "--no-sandbox")
    assert done.exit_code == 1 and "heron" in done.stderr
    assert lines(tmp_path / "out") == []
