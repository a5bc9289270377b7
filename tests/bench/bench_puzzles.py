"""Check many claim puzzles: `uv run python -m tests.bench.bench_puzzles [--puzzles N] [--records FOLDER]`.

Samples play mirrored matches in this process until their legs have given so many puzzles. With `--records`, matches of
earlier runs are read from a folder first, and new ones are added to it. Every answer is proved again from the view
alone by trying every unseen troop. The program fails where a position comes twice, an answer is wrong, or there is a
second right answer, and prints how hard the puzzles are.
"""

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from time import process_time

from pennant.local_bots import LocalBot

from engine.core import Json
from engine.games.battleline.plain_proof import prove
from engine.games.battleline.puzzles import EASIEST, HARDEST, ClaimPuzzle, find_claim_puzzles
from engine.registry import find_game
from engine.replay import states
from tests.engine.analysis.luck_of_bots import play_record

GAME = find_game("battleline")
NAMES = ("greedy", "brute", "random", "greedy", "brute", "random", "careful")
EDITIONS = ("standard", "advanced", "short", "long", "medieval", "highlands")
MATCHES_PER_FILE = 50


def play_match(number: int) -> list[Json]:
    """Play both legs of a match between two samples: which ones, and in which edition, its number says."""
    rng = Random(f"puzzles {number}")
    edition = EDITIONS[number % len(EDITIONS)]
    bots = [LocalBot(rng.choice(NAMES)) for _ in range(2)]
    deal = GAME.deal(GAME.options(edition), 2, rng)
    return [play_record(order, edition, deal, f"{number} {leg}") for leg, order in enumerate((bots, bots[::-1]))]


def list_matches(folder: Path | None) -> Iterator[list[Json]]:
    """Yield matches without end: first those that the folder has, then new ones, which are added to it."""
    for part in count():
        path = folder / f"{part:04}.jsonl.gz" if folder is not None else None
        if path is not None and path.exists():
            yield from map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
            continue
        matches = []
        for number in range(part * MATCHES_PER_FILE, (part + 1) * MATCHES_PER_FILE):
            matches.append(play_match(number))
            yield matches[-1]
        if path is not None:
            path.write_bytes(gzip.compress("\n".join(map(json.dumps, matches)).encode()))


def check_leg(record: Json, found: list[ClaimPuzzle]) -> int:
    """Prove the puzzles of a leg again, and return the number of wrong answers."""
    wrong = 0
    by_turn = {turn: [one for one in found if one.turn == turn] for turn in {one.turn for one in found}}
    for turn, state in enumerate(states(record)):
        for puzzle in by_turn.get(turn, ()):
            proof = prove(record["options"], state.view(puzzle.seat), puzzle.seat, puzzle.flag)
            expected = () if puzzle.card is None else ((puzzle.card,),)
            is_legal = f"claim {puzzle.flag}" in state.actions()
            if (proof.holds, proof.refutations) != (puzzle.card is None, expected) or is_legal != proof.holds:
                wrong += 1
                print(f"Wrong: {puzzle} in {record['deal_hash']}, {proof}")
    return wrong


def main() -> None:
    """Find and check the puzzles, and print what they are like."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_puzzles", description="Check many puzzles.")
    parser.add_argument("--puzzles", type=int, default=10_000, help="look for so many puzzles")
    parser.add_argument("--records", type=Path, help="folder of matches from earlier runs")
    asked = parser.parse_args()
    if asked.records is not None:
        asked.records.mkdir(parents=True, exist_ok=True)
    positions: Counter[str] = Counter()
    kinds: Counter[tuple[bool, int]] = Counter()
    editions: Counter[str] = Counter()
    matches = wrong = known = 0
    begun = process_time()
    for match in list_matches(asked.records):
        matches += 1
        for record in match:
            listed = list(find_claim_puzzles(record))
            found = [one for one in listed if one.position_hash not in positions]
            known += len(listed) - len(found)
            positions.update(one.position_hash for one in found)
            kinds.update((one.card is None, one.difficulty) for one in found)
            editions[record["edition"]] += len(found)
            wrong += check_leg(record, found)
        if sum(kinds.values()) >= asked.puzzles:
            break
    twice = sum(times - 1 for times in positions.values())
    print(f"{sum(kinds.values())} puzzles of {matches} matches in {process_time() - begun:.0f} s of processor time")
    print(f"left out since another match had their position: {known}; positions that still come twice: {twice}")
    print(f"wrong answers or second right ones: {wrong}")
    print_difficulties(kinds)
    print("editions:", ", ".join(f"{edition} {number}" for edition, number in sorted(editions.items())))
    sys.exit(1 if wrong or twice else 0)


def print_difficulties(kinds: Counter[tuple[bool, int]]) -> None:
    """Print how many puzzles with each answer have each difficulty."""
    print("difficulty:", *(f"{level:>7}" for level in range(EASIEST, HARDEST + 1)), f"{'all':>7}")
    for holds, words in ((True, "can claim"), (False, "one refutes")):
        counts = [kinds[holds, level] for level in range(EASIEST, HARDEST + 1)]
        print(f"{words:>11}", *(f"{number:>7}" for number in [*counts, sum(counts)]))


if __name__ == "__main__":
    main()
