"""Matches one after the other, or one on each core."""

import ctypes
import multiprocessing
import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from arena.runner.limits import Limits
from arena.runner.match import MatchReport, MatchSpec, pin, play_match, seatings
from arena.runner.program import Program
from arena.runner.sandbox import Sandbox, SandboxFailure
from engine.core import Json
from engine.registry import find_game

ATTEMPTS = 3
"""How often a match is tried before a failing sandbox is reported."""
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Series:
    """Matches of the same bots, each on a deal of its own."""

    game: str
    edition: str
    programs: tuple[Program, ...]
    matches: int
    seed: str

    def match(self, number: int) -> MatchSpec:
        """Match `number`, from 1. The same seed and number always give the same deal and the same salts."""
        rng = random.Random(f"{self.seed}:{number}")
        game = find_game(self.game)
        options: Json = game.options(self.edition)
        seats = len(self.programs)
        return MatchSpec(
            game=self.game,
            edition=self.edition,
            options=options,
            deal=game.deal(options, seats, rng),
            salts=tuple(f"{rng.getrandbits(128):032x}" for _ in seatings(seats)),
            limits=Limits(),
            programs=self.programs,
        )


def play_series(series: Series, sandbox: Sandbox) -> Iterator[tuple[int, MatchReport]]:
    """Every match with its number, as they end. Raises SandboxFailure. Nothing runs on when this is closed."""
    workers = min(len(os.sched_getaffinity(0)), series.matches)
    if workers == 1:
        for number in range(1, series.matches + 1):
            yield number, _play(series, number, sandbox)
        return
    context = multiprocessing.get_context("spawn")
    cores = context.SimpleQueue()
    for core in range(workers):
        cores.put(core)
    pool = ProcessPoolExecutor(workers, context, _enter_worker, (cores, os.getpid()))
    try:
        numbers: dict[Future[MatchReport], int] = {
            pool.submit(_play, series, number, sandbox): number for number in range(1, series.matches + 1)
        }
        for done in as_completed(numbers):
            yield numbers[done], done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.terminate()
            worker.join()


def _play(series: Series, number: int, sandbox: Sandbox) -> MatchReport:
    for attempt in range(ATTEMPTS):
        try:
            return play_match(series.match(number), sandbox)
        except SandboxFailure:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def _enter_worker(cores: "multiprocessing.queues.SimpleQueue[int]", parent: int) -> None:
    """A core of its own, and no life without the command that started it: its bots die with it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    pin(cores.get())
