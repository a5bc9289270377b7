"""How long bots live on after a kill -9 of their player, or of the process that started it: `python -m
tests.bench.bench_kill [ROUNDS]`. One of the two bots is stopped each time, and so is the player."""

import os
import signal
import statistics
import subprocess
import sys
from time import monotonic

from tests.players import catch_in_match, find_descendants, read_parents

PLAYS = """
from pathlib import Path
from random import Random
from arena.matches.runner_process import RunnerProcess
from arena.runner.program import Limits
from arena.runner.match import MatchSpec
from arena.runner.program import read_program
from engine.registry import find_game

game = find_game("battleline")
options = game.options("standard")
bot = read_program(Path("bots/samples/random"))
runner = RunnerProcess()
while True:
    deal = game.deal(options, 2, Random(1))
    spec = MatchSpec("battleline", "standard", options, deal, ("a", "b"), Limits(), (bot, bot))
    runner.play(spec, lambda _: None)
"""


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for whom in ("player", "worker"):
        took_ms = [one_round(whom) for _ in range(rounds)]
        print(
            f"{whom} killed: all gone after {statistics.median(took_ms):.1f} ms (median of {rounds}),"
            f" {max(took_ms):.1f} ms at most"
        )


def one_round(whom: str) -> float:
    """Milliseconds."""
    with subprocess.Popen([sys.executable, "-c", PLAYS], stderr=subprocess.DEVNULL) as worker:
        player = catch_in_match(worker.pid)
        bots = find_descendants(player)
        began = monotonic()
        os.kill(player if whom == "player" else worker.pid, signal.SIGKILL)
        while bots & read_parents().keys():
            pass
        took_ms = (monotonic() - began) * 1000
        worker.kill()
    return took_ms


if __name__ == "__main__":
    main()
