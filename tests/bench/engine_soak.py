"""Whether an engine that plays and plays keeps its size: `uv run python -m tests.bench.engine_soak [PLAYS]`.

What is remembered between plays (see `formations`) has an upper bound, so memory may rise at first, and then stays.
"""

import sys
from pathlib import Path
from random import Random
from resource import getpagesize

from engine.registry import GAMES
from tests.engine.plays import begin, play_out

LINES = 20


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize() / 1e6


def main(plays: int) -> None:
    editions = [(game, edition) for game in GAMES.values() for edition in game.editions]
    for number in range(plays + 1):
        if number % (plays // LINES) == 0:
            print(f"{number:>9,} plays{resident_mb():>9.1f} MB", flush=True)
        game, edition = editions[number % len(editions)]
        play_out(begin(game, edition, number), Random(number))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
