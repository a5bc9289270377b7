"""The engine and a second referee, written from the rules' text alone, agree at every ply of random plays."""

from collections import Counter

import pytest

from tests.engine.battalion.lockstep import Lockstep
from tests.engine.plays import how_many

PLAYS = how_many(20)
KINDS = ("deploy", "pickup", "move", "pass", "attack", "reinforce", "modify", "reform", "hand=")
RESULTS = [f"result {name}" for name in ("wins", "loses", "tie", "look", "strike", "emperor")]
ENDS = [f"end {name}" for name in ("last-standing", "quiet", "limit")]
WANTED = (*KINDS, *RESULTS, *ENDS, "enters guard cell", "leaves guard cell")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_engine_and_a_second_referee_agree_at_every_ply(seats: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(PLAYS):
        Lockstep(seats, seed, seen).play_out()
    print(f"{seats} seats: {', '.join(f'{count} {name}' for name, count in sorted(seen.items()))}")
    assert not [name for name in WANTED if not seen[name]]
