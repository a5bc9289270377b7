"""One leg as the arena plays it, and the same messages to the same bots on a bare loop over pipes.

Both start the same sandboxes and send the same messages in the same order; the bare loop knows no rules, no clock, no
limits, and has all its bytes ready.
"""

import os
import random
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

from arena.runner.match import LegSpec, play_leg
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import BotProcess, Sandbox
from arena.runner.sandbox.process import ChildProcess
from engine.registry import find_game

LEGS = 12
ROUNDS = 5


@dataclass(frozen=True)
class LegTimes:
    """Medians over legs that were played in turns on one core."""

    ratio: float
    """Duration of a leg in the arena divided by its duration on the bare loop."""
    arena_s: float
    bare_s: float
    answers: float


@dataclass
class Script:
    """What was said in one leg: the seat and the line, in order, and the last line to each."""

    spec: LegSpec
    questions: list[tuple[int, bytes]] = field(default_factory=list)
    ends: list[bytes] = field(default_factory=list)


class Listener:
    """A sandbox that writes down what is said in it."""

    name = "listener"

    def __init__(self, inner: Sandbox, script: Script) -> None:
        self.inner, self.script, self.seats = inner, script, 0

    def start(self, program: Program, limits: Limits) -> BotProcess:
        process, seat, script = self.inner.start(program, limits), self.seats, self.script
        self.seats += 1
        ask, dismiss = process.ask, process.dismiss

        def ask_and_note(line: bytes, timeout_s: float) -> bytes:
            script.questions.append((seat, line))
            return ask(line, timeout_s)

        def dismiss_and_note(line: bytes | None) -> None:
            script.ends.append(line or b"")
            dismiss(line)

        process.ask, process.dismiss = ask_and_note, dismiss_and_note  # type: ignore[method-assign]
        return process


def spec(number: int, bot: Program) -> LegSpec:
    game = find_game("battleline")
    options = game.options("standard")
    deal = game.deal(options, 2, random.Random(number))
    return LegSpec("battleline", "standard", options, deal, str(number), Limits(), (0, 1), (bot, bot))


def arena_leg(script: Script, sandbox: Sandbox) -> int:
    report = play_leg(script.spec, sandbox, lambda _: None)
    assert report.faults == (None, None)
    return sum(report.answers)


def bare_leg(script: Script, sandbox: Sandbox) -> int:
    processes = []
    pipes: list[tuple[int, int]] = []
    for seat, line in script.questions:
        if seat == len(processes):
            process = sandbox.start(script.spec.programs[0], Limits())
            assert isinstance(process, ChildProcess)
            processes.append(process)
            stdin, stdout = process._streams[0].fileno(), process._streams[1].fileno()
            os.set_blocking(stdin, True)
            os.set_blocking(stdout, True)
            pipes.append((stdin, stdout))
        stdin, stdout = pipes[seat]
        os.write(stdin, line)
        while not os.read(stdout, 65536).endswith(b"\n"):
            pass
    for process, (stdin, _), line in zip(processes, pipes, script.ends, strict=True):
        os.write(stdin, line)
        process._streams[0].close()
    for process, (_, stdout) in zip(processes, pipes, strict=True):
        while os.read(stdout, 65536):
            pass
        process._child.wait()
        process.close()
    return len(script.questions) - len(processes)


def compare_legs(bot: Program, sandbox: Sandbox, legs: int = LEGS, rounds: int = ROUNDS) -> LegTimes:
    """Play so many legs of a bot against itself both ways in turns. The bot must repeat itself."""
    scripts = [Script(spec(number, bot)) for number in range(legs)]
    for script in scripts:
        play_leg(script.spec, Listener(sandbox, script), lambda _: None)
    times: dict[str, list[float]] = {"arena": [], "bare": []}
    for _ in range(rounds):
        for script in scripts:
            answers = []
            for name, leg in (("arena", arena_leg), ("bare", bare_leg)):
                started = perf_counter()
                answers.append(leg(script, sandbox))
                times[name].append(perf_counter() - started)
            assert answers[0] == answers[1]
    return LegTimes(
        ratio=median(ours / floor for ours, floor in zip(times["arena"], times["bare"], strict=True)),
        arena_s=median(times["arena"]),
        bare_s=median(times["bare"]),
        answers=median(len(script.questions) - 2 for script in scripts),
    )
