"""The samples for all games play a game they don't know without a fault."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BOTS = Path(__file__).parents[2] / "bots"
HELLO = {"type": "hello", "protocol": 1, "game": "guess", "edition": "standard", "seat": 1}
TURN = {"type": "turn", "n": 0, "seat": 1, "view": {"decision": "guess", "to_move": 1}, "legal": ["guess 3", "guess 5"]}


@pytest.mark.parametrize("sample", ["random", "brute", "greedy"])
def test_in_an_unknown_game_a_legal_action_is_played(sample: str) -> None:
    done = subprocess.run(
        [sys.executable, str(BOTS / "samples" / sample / "bot.py")],
        input=f"{json.dumps(HELLO)}\n{json.dumps(TURN)}\n",
        env={"PYTHONPATH": str(BOTS / "kit")},
        capture_output=True,
        text=True,
        check=True,
    )
    ready, answer = map(json.loads, done.stdout.splitlines())
    assert ready == {"type": "ready"} and answer["action"] in TURN["legal"]
