"""Play matches on this machine, in one process or in one per core."""

import ctypes
import multiprocessing
import os
import random
import signal
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from arena.release import arena_version
from arena.runner.cores import pin_to_free_core
from arena.runner.limits import Limits
from arena.runner.match import MatchReport, MatchSpec, play_match
from arena.runner.program import Program
from arena.runner.sandbox import Sandbox, SandboxError
from engine.core import Json
from engine.registry import find_game
from engine.series import SeriesLength

MAX_ATTEMPTS = 3
"""Attempts at a match before a failing sandbox is reported."""
QUEUED_PER_PROCESS = 2
"""Matches prepared ahead for each process, so that none of them waits."""
PR_SET_PDEATHSIG = 1

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class MatchBatch:
    """Matches of the same bots, each with deals of its own."""

    game: str
    edition: str
    options: Json
    """Every rule option in force."""
    programs: tuple[Program, ...]
    matches: int
    seed: str
    series: SeriesLength | None = None
    """How long a series each match is; None where bots play one deal from every seat."""

    def match(self, number: int) -> MatchSpec:
        """Return match `number`, from 1. The same seed and number always give the same deals and the same salts."""
        rng = random.Random(f"{self.seed}:{number}")
        game = find_game(self.game)
        options = self.options
        seats = len(self.programs)
        deal = game.deal(options, seats, rng)
        legs = seats if self.series is None else self.series.max_games
        salts = tuple(f"{rng.getrandbits(128):032x}" for _ in range(legs))
        return MatchSpec(
            game=self.game,
            edition=self.edition,
            options=options,
            deal=deal,
            salts=salts,
            limits=Limits(),
            programs=self.programs,
            series=self.series,
            later_deals=() if self.series is None else tuple(game.deal(options, seats, rng) for _ in range(1, legs)),
            arena=arena_version(),
        )


def play_batch(batch: MatchBatch, sandbox: Sandbox) -> Generator[tuple[int, MatchReport], None, None]:
    """Yield every match with its number as it ends. Raises SandboxError. Closing the generator ends all processes."""
    left = dict.fromkeys(range(1, batch.matches + 1))
    with Workers(sandbox, batch.matches) as workers:
        for number, match in play_due(lambda: left, batch.match, workers):
            del left[number]
            yield number, match


def play_due(
    due: Callable[[], Iterable[Key]], spec: Callable[[Key], MatchSpec], workers: "Workers"
) -> Iterator[tuple[Key, MatchReport]]:
    """Yield all due matches as they end, until none is due.

    `due` is called again after each, and must not return a match that has ended. Raises SandboxError.
    """
    running: dict[Future[MatchReport], Key] = {}
    while True:
        started = set(running.values())
        waiting = (key for key in due() if key not in started)
        for key in islice(waiting, workers.capacity - len(running)):
            running[workers.start(spec(key))] = key
        if not running:
            return
        done = next(iter(wait(running, return_when=FIRST_COMPLETED).done))
        yield running.pop(done), done.result()


class Workers:
    """Processes that play matches, one per core, or none for a single match. They end with the context."""

    def __init__(self, sandbox: Sandbox, matches: int) -> None:
        self.sandbox = sandbox
        count = min(len(os.sched_getaffinity(0)), matches)
        self.pool = _pool(count) if count > 1 else None
        self.capacity = QUEUED_PER_PROCESS * count if self.pool else 1
        """Maximum number of matches that run or wait for a free process."""

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        if self.pool is None:
            return
        self.pool.shutdown(wait=False, cancel_futures=True)
        workers = multiprocessing.active_children()
        for worker in workers:
            worker.kill()  # SIGTERM may be lost while a worker waits for a lock that another one died with
        for worker in workers:
            worker.join()

    def start(self, spec: MatchSpec) -> Future[MatchReport]:
        """Start a match. Raises SandboxError, now or from the future."""
        if self.pool is not None:
            return self.pool.submit(_play, spec, self.sandbox)
        played: Future[MatchReport] = Future()
        played.set_result(_play(spec, self.sandbox))
        return played


def _pool(workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    cores = context.SimpleQueue()
    for core in range(workers):
        cores.put(core)
    return ProcessPoolExecutor(workers, context, _enter_worker, (cores, os.getpid()))


def _play(spec: MatchSpec, sandbox: Sandbox) -> MatchReport:
    for attempt in range(MAX_ATTEMPTS):
        try:
            return play_match(spec, sandbox)
        except SandboxError:
            if attempt == MAX_ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def _enter_worker(cores: "multiprocessing.queues.SimpleQueue[int]", parent: int) -> None:
    """Pin the process to a core of its own, and have the kernel kill it with its parent."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    pin_to_free_core(cores.get())
