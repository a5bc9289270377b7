"""The engine and a second referee, written from the rules' text alone, agree at every ply of random plays."""

from collections import Counter

from tests.engine.battalion.lockstep import Lockstep
from tests.engine.plays import how_many
from tests.full import is_full_run

PLAYS = how_many(14 if is_full_run() else 5)
KINDS = ("deploy", "pickup", "move", "pass", "attack", "reinforce", "modify", "reform", "hand=")
RESULTS = [f"result {name}" for name in ("wins", "loses", "tie", "look", "strike", "emperor")]
ENDS = [f"end {name}" for name in ("last-standing", "quiet", "limit")]
WANTED = (*KINDS, *RESULTS, *ENDS, "enters guard cell", "leaves guard cell")


def test_the_engine_and_a_second_referee_agree_at_every_ply() -> None:
    every: Counter[str] = Counter()
    for seats in (2, 3, 4):
        seen: Counter[str] = Counter()
        for seed in range(PLAYS):
            Lockstep(seats, seed, seen).play_out()
        print(f"{seats} seats: {', '.join(f'{count:,} {name}' for name, count in sorted(seen.items()))}")
        every += seen
    assert not [name for name in WANTED if not every[name]]
