"""Whether anything but a bot's own thinking costs it time. Prints figures; run it on a machine that is otherwise quiet.

uv run python -m tests.bench.bench_fairness --matches 500
"""

import argparse
import os
import random
from contextlib import ExitStack
from statistics import mean, median, stdev
from textwrap import dedent

from arena.runner.match import LegSpec, MatchSpec, play_leg, play_match
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import find_sandbox
from engine.core import Json
from engine.registry import find_game
from tests.runner.processes import busy_processes

ROUNDS = 20
MOVES = 40
WORK_MS = 25
"""CPU time of each answer where timeouts are counted, and what it may cost:"""
MOVE_MS = 40

HONEST = """
import sys
for line in sys.stdin:
    for _ in range(200_000):
        pass
    print("done", flush=True)
"""
PONDERING = """
import hashlib, sys, threading
DATA = bytes(1 << 20)

def ponder():
    while True:
        hashlib.sha256(DATA)

for _ in range(4):
    threading.Thread(target=ponder, daemon=True).start()
for line in sys.stdin:
    print("done", flush=True)
"""
THINKER = """
import hashlib, random, threading, time
from pennant_kit import run

DATA = bytes(1 << 16)
IDLE = threading.Event()

def spin():
    while True:
        IDLE.wait()
        hashlib.sha256(DATA)

def choose(message):
    IDLE.clear()
    end, thoughts = time.perf_counter() + 0.001, 0
    while time.perf_counter() < end:
        thoughts += 1
    if SPINS:
        IDLE.set()
    return {"action": random.choice(message["legal"]), "note": str(thoughts)}

if SPINS:
    threading.Thread(target=spin, daemon=True).start()
run(choose)
"""
"""Chance decides what it plays, and it tells how much it could have thought in a millisecond."""
WORKER = """
import random, time
from pennant_kit import run

def choose(message):
    end = time.process_time() + WORK_MS / 1000
    while time.process_time() < end:
        pass
    return random.choice(message["legal"])

run(choose)
"""


def written(source: str, name: str, **values: object) -> Program:
    source = dedent(source)
    for key, value in values.items():
        source = source.replace(key, repr(value))
    return Program(name, 1, {"bot.py": source.encode()})


def moves(sandbox: Sandbox, programs: list[Program]) -> tuple[float, float]:
    """Milliseconds of CPU and of wall time in a move of the first, the median; the others are asked in between."""
    with ExitStack() as leg:
        bots = []
        for program in programs:
            bots.append(sandbox.start(program, Limits()))
            leg.callback(bots[-1].close)
        spent = []
        for _ in range(MOVES):
            for bot in bots:
                bot.ask(b"?\n", 5)
            spent.append((bots[0].cpu_s * 1000, bots[0].wall_s * 1000))
    cpu, wall = zip(*spent[1:], strict=True)
    return median(cpu), median(wall)


def ponderers(sandbox: Sandbox) -> None:
    honest, pondering = written(HONEST, "honest"), written(PONDERING, "pondering")
    alone, beside = [], []
    for _ in range(ROUNDS):
        alone.append(moves(sandbox, [honest]))
        beside.append(moves(sandbox, [honest, pondering, pondering]))
    for name, column in (("CPU", 0), ("wall", 1)):
        first, second = (median(times[column] for times in rounds) for rounds in (alone, beside))
        print(f"{name} of a move: {first:.2f} ms alone, {second:.2f} ms with two ponderers: {second / first:.3f}")


def deal(number: int) -> Json:
    game = find_game("battleline")
    return game.deal(game.options("standard"), 2, random.Random(number))


def advantage(sandbox: Sandbox, matches: int) -> None:
    options = find_game("battleline").options("standard")
    bots = written(THINKER, "rests", SPINS=False), written(THINKER, "spins", SPINS=True)
    points, thoughts, verdicts = [], ([], []), 0
    for number in range(matches):
        spec = MatchSpec("battleline", "standard", options, deal(number), ("a", "b"), Limits(), bots)
        report = play_match(spec, sandbox)
        points.append(report.points[1] - report.points[0])
        for leg in report.legs:
            verdicts += sum(fault is not None for fault in leg.faults)
            for entry in leg.record["actions"]:
                if "note" in entry:
                    thoughts[leg.seating[entry["seat"]]].append(int(entry["note"]))
    error = stdev(points) / len(points) ** 0.5
    print(f"{matches} mirrored matches: whoever spins is {mean(points):+.3f} points ahead, standard error {error:.3f}")
    rests, spins = map(mean, thoughts)
    print(f"thoughts in a millisecond: {rests:.0f} who rests, {spins:.0f} who spins: {spins / rests:.3f}")
    print(f"verdicts other than ok: {verdicts}")


def timeouts(sandbox: Sandbox, legs: int) -> None:
    options = find_game("battleline").options("standard")
    worker = written(WORKER, "worker", WORK_MS=WORK_MS)
    limits = Limits(move_ms=MOVE_MS)
    for spinning in (0, os.cpu_count() or 1, 2 * (os.cpu_count() or 1)):
        late, faults, answers = 0, 0, 0
        with busy_processes(spinning):
            for number in range(legs):
                spec = LegSpec("battleline", "standard", options, deal(number), "a", limits, (0, 1), (worker, worker))
                report = play_leg(spec, sandbox, lambda _: None)
                faults += sum(fault is not None for fault in report.faults)
                answers += sum(report.answers)
                late += sum(entry.get("ms", 0) > MOVE_MS for entry in report.record["actions"])
        print(
            f"{spinning} spinning beside {legs} legs: {faults} timeouts in {answers} answers of {WORK_MS} ms, "
            f"{MOVE_MS} ms allowed; by the wall clock alone it had been {late}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--legs", type=int, default=5)
    wanted = parser.parse_args()
    sandbox = find_sandbox()
    print(f"sandbox {sandbox.name}, level {sandbox.level}, load {os.getloadavg()[0]:.1f}")
    ponderers(sandbox)
    timeouts(sandbox, wanted.legs)
    advantage(sandbox, wanted.matches)


if __name__ == "__main__":
    main()
