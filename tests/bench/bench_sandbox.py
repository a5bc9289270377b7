"""Measure the cost of sandboxes in one run: `uv run python -m tests.bench.bench_sandbox [rounds]`.

Every round starts each candidate once, in turn, so that other work on the machine falls on all of them; it only ever
adds, so the best tenth tells what a quiet machine would have shown. First answers
are those of the sample bot `random` to `hello`, from before `start`; round trips are of a bot that does nothing, with
all processes on one core; the CPU time of an answer is compared with what the bot's own clock says. On a busy machine
root can have a quiet one to itself: `chrt -r 1 .venv/bin/python -m tests.bench.bench_sandbox`.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from time import perf_counter, sleep

from arena.runner.match import pin_to_core
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import NoSandboxError, Sandbox
from arena.runner.sandbox.detection import find_unsandboxed
from tests.runner.conftest import sample
from tests.runner.sandboxes import find_bwrap, find_landlock

ROUNDS = 40
TRIPS = 300
SETTLED_S = 0.15
"""Long enough for a sandbox to be in the warm pool."""
LIMITS = Limits()
HELLO = b'{"type": "hello", "game": "battleline"}\n'
ECHO = Program("echo", 1, {"bot.py": b"import os\nwhile os.read(0, 65536): os.write(1, b'{}\\n')\n"})
WORKER = b"""
from time import process_time_ns
before = process_time_ns()
while True:
    milliseconds = int(input())
    end = process_time_ns() + milliseconds * 1_000_000
    while process_time_ns() < end:
        pass
    print(process_time_ns(), flush=True)
"""
AIMS = {
    "first answer, ms": "bare +7 cold, 3 warm",
    "close, ms": "10",
    "round trip, us": "bare +10",
    "CPU time off by, us": "1000",
}
Figures = dict[str, dict[str, list[float]]]


def candidates() -> dict[str, tuple[Sandbox, int]]:
    """Each: the sandbox, and how many are to wait for a bot beforehand."""
    found: dict[str, tuple[Sandbox, int]] = {"bare": (find_unsandboxed(), 0)}
    for find in (find_bwrap, find_landlock):
        try:
            box = find()
        except NoSandboxError as missing:
            print(missing, file=sys.stderr)
            continue
        found[f"{box.name} ({box.level})"] = box, 0
        found[f"{box.name} ({box.level}), warm"] = box, 1
    return found


def first_answer(box: Sandbox, figures: dict[str, list[float]]) -> None:
    program = sample("random")
    started = perf_counter()
    bot = box.start(program, LIMITS)
    bot.ask(HELLO, 5)
    answered = perf_counter()
    bot.close()
    figures["first answer, ms"].append((answered - started) * 1e3)
    figures["close, ms"].append((perf_counter() - answered) * 1e3)


def round_trips(box: Sandbox, figures: dict[str, list[float]]) -> None:
    bot = box.start(ECHO, LIMITS)
    for _ in range(20):
        bot.ask(b"{}\n", 5)
    times = []
    for _ in range(TRIPS):
        started = perf_counter()
        bot.ask(b"{}\n", 5)
        times.append((perf_counter() - started) * 1e6)
    bot.close()
    figures["round trip, us"].append(median(times))


def accounting(box: Sandbox, figures: dict[str, list[float]]) -> None:
    bot = box.start(Program("worker", 1, {"bot.py": WORKER}), LIMITS)
    before = int(bot.ask(b"1\n", 5))
    for milliseconds in (0, 1, 3, 10, 0, 1):
        own = int(bot.ask(b"%d\n" % milliseconds, 5))
        figures["CPU time off by, us"].append(abs(bot.cpu_s * 1e6 - (own - before) / 1e3))
        before = own
    bot.close()


def take_turns(
    measure: Callable[[Sandbox, dict[str, list[float]]], None],
    boxes: dict[str, tuple[Sandbox, int]],
    rounds: int,
    figures: Figures,
) -> None:
    for number in range(rounds):
        names = list(boxes)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            box, waiting = boxes[name]
            box.fill_warm_pool("python", LIMITS, waiting)
            sleep(SETTLED_S if waiting else 0)
            measure(box, figures[name])


def main(rounds: int) -> None:
    boxes = candidates()
    figures: Figures = {name: defaultdict(list) for name in boxes}
    take_turns(first_answer, boxes, rounds, figures)
    everywhere = os.sched_getaffinity(0)
    pin_to_core(len(everywhere) - 1)
    take_turns(round_trips, boxes, max(1, rounds // 4), figures)
    take_turns(accounting, boxes, max(1, rounds // 4), figures)
    for name, (box, _) in boxes.items():
        box.close()
        figures[name] = dict(figures[name])
    for what, aim in AIMS.items():
        print(f"\n{what:<24}{'median':>9}{'+bare':>9}{'p10':>9}{'+bare':>9}{'p95':>9}   at most {aim}")
        bare = spread(figures["bare"][what])
        for name in boxes:
            low, middle, high = spread(figures[name][what])
            print(f"  {name:<22}{middle:9.2f}{middle - bare[1]:9.2f}{low:9.2f}{low - bare[0]:9.2f}{high:9.2f}")


def spread(values: list[float]) -> tuple[float, float, float]:
    """What a tenth stays below, half, and all but a twentieth."""
    values = sorted(values)
    return values[len(values) // 10], median(values), values[int(len(values) * 0.95)]


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else ROUNDS)
