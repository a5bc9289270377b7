"""Play matches on this machine. A campaign's folder keeps its plan and what has ended, so that it can be resumed."""

import multiprocessing
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Self, TypeVar

import click
import msgspec
import orjson
from filelock import FileLock, Timeout
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.cli import MachineError
from arena.cli.files import UnreadableRecord, read_record
from arena.core.release import arena_version
from arena.runner.match import MatchReport, MatchSpec, play_match
from arena.runner.portable import has_sandbox
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import Sandbox, SandboxError
from engine.core import Json
from engine.registry import find_game
from engine.series import SeriesLength

# Plan, resume and interrupt a campaign: a gauntlet, a tournament or a tuning.

EXIT_INTERRUPTED = 130
LINE_INTERVAL_S = 10.0
"""Time between two lines of progress where there is no terminal."""

Update = Callable[..., None]
"""Function that changes values of a bar as `rich.progress.Progress.update` does; `match` is what is told of a match."""


@contextmanager
def show_progress(errors: Console, label: str, total: int | None = None, *, as_json: bool = False) -> Iterator[Update]:
    """Show how far a command is: a bar in a terminal, else a line now and then, or a line of JSON for each match."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    is_hidden = as_json or not errors.is_terminal
    with Progress(*columns, console=errors, transient=True, disable=is_hidden) as progress:
        progress.add_task(label, total=total)
        (task,) = progress.tasks
        told_at = monotonic()

        def update(match: Mapping[str, Any] | None = None, **values: Any) -> None:
            nonlocal told_at
            progress.update(task.id, **values)
            if as_json and match is not None:
                click.echo(orjson.dumps({**match, "done": int(task.completed), "of": task.total}), err=True)
            elif not as_json and is_hidden and monotonic() - told_at >= LINE_INTERVAL_S:
                told_at = monotonic()
                errors.print(f"{task.description}: {task.completed:.0f} of {task.total or 0:.0f}", soft_wrap=True)

        yield update


@dataclass(frozen=True, slots=True)
class Campaign:
    """Matches by a plan, which is kept in a folder. The same command goes on where an earlier one ended."""

    kind: str
    """What is played, as `gauntlet`: the word in messages, and the name of the plan's file."""
    folder: Path
    errors: Console
    command: str = ""
    """The shorter command that continues what is stored, where there is one."""
    as_json: bool = False
    """Whether progress is told to a program."""

    @property
    def path(self) -> Path:
        """Return the path of the plan."""
        return self.folder / f"{self.kind}.json"

    def read_plan(self) -> Json | None:
        """Return the stored plan, or None. Raise click.ClickException."""
        try:
            return read_record(self.path) if self.path.exists() else None
        except UnreadableRecord as error:
            raise click.ClickException(f"{self.path}: {error}") from error

    def store_plan(self, plan: Json) -> None:
        """Write the plan if there is none yet, completely or not at all. Raise OSError."""
        if self.path.exists():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".new")
        with draft.open("wb") as file:
            file.write(orjson.dumps(plan, option=orjson.OPT_INDENT_2) + b"\n")
            os.fsync(file.fileno())
        draft.replace(self.path)

    def refuse_changes(self, differences: Sequence[str]) -> None:
        """Raise click.ClickException if the folder is of another plan."""
        if differences:
            raise click.ClickException(
                f"The {self.kind} in {self.folder} is different: {'; '.join(differences)}. For a new one, name "
                "another folder: --out"
            )

    @contextmanager
    def report_stop(self, report: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Say why the campaign stopped, and how to continue it; `report` prints the results so far."""
        try:
            yield
        except KeyboardInterrupt:
            report()
            self.errors.print(f"\nStopped. {self._describe_resuming()}", soft_wrap=True)
            sys.exit(EXIT_INTERRUPTED)
        except (SandboxError, BrokenProcessPool, OSError) as error:
            if isinstance(error, SandboxError):
                sentence = f"The sandbox failed, so no bot is to blame: {error}"
            elif isinstance(error, OSError):
                sentence = f"{error.filename or self.folder} can't be written: {error.strerror or error}"
            else:
                sentence = "A process playing matches was killed."
            kind = click.ClickException if isinstance(error, OSError) else MachineError
            raise kind(f"{sentence}\n{self._describe_resuming()}") from error

    def _describe_resuming(self) -> str:
        if self.command and self.path.exists():
            return f"To continue: {self.command}"
        return "To continue, run the same command again."


# Keep finished matches in a file of JSON lines, which survives an interrupted command.

MATCHES_FILE, LOCK_FILE, RECORDS_FOLDER = "matches.jsonl", ".lock", "records"

Line = TypeVar("Line")


class LockedLog:
    """The finished matches of a campaign, a line each. Only one command at a time can use it."""

    def __init__(self, campaign: Campaign) -> None:
        """Open the log. Raise OSError, or click.ClickException if it is in use."""
        self.campaign = campaign
        self._is_new = not campaign.path.exists()
        self._made = [path for path in (campaign.folder, *campaign.folder.parents) if not path.exists()]
        self.records = campaign.folder / RECORDS_FOLDER
        self.records.mkdir(parents=True, exist_ok=True)
        self.path = campaign.folder / MATCHES_FILE
        self.lock = FileLock(campaign.folder / LOCK_FILE, blocking=False)
        try:
            self.lock.acquire()
        except Timeout:
            raise click.ClickException(
                f"Another command is playing the {campaign.kind} in {campaign.folder}."
            ) from None
        self.file = self.path.open("a+b", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self.file.close()
        self.lock.release()
        has_played = bool(self.path.stat().st_size)
        if error is not None and self._is_new and not has_played and not self.campaign.command:
            self._remove()

    def _remove(self) -> None:
        """Remove what was written of a campaign that has played nothing, and the folders made for it if empty.

        A plan that a shorter command continues isn't removed.
        """
        with suppress(OSError):
            for path in (self.path, self.campaign.path, self.campaign.folder / LOCK_FILE):
                path.unlink(missing_ok=True)
            self.records.rmdir()
            for folder in self._made:
                folder.rmdir()

    def read_lines(self) -> list[bytes]:
        """Return all lines; drop an incomplete last one."""
        self.file.seek(0)
        content = self.file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self.file.truncate(len(whole))
        return whole.splitlines()

    def replay(self, kind: type[Line], take: Callable[[Line], None]) -> None:
        """Pass all lines on. Raise click.ClickException where one is of another kind, or `take` raises ValueError."""
        for number, line in enumerate(self.read_lines(), start=1):
            try:
                take(msgspec.json.decode(line, type=kind))
            except (msgspec.MsgspecError, ValueError) as error:
                raise click.ClickException(f"{self.path}: line {number} is damaged: {error}") from error

    def write_line(self, line: Any) -> None:
        """Append a line, a dataclass or a dict. It is on disk for good when this returns."""
        self.file.write(orjson.dumps(line) + b"\n")
        os.fsync(self.file.fileno())


# Play matches on this machine, in one process or in one per core.

MAX_ATTEMPTS = 3
"""Attempts at a match before a failing sandbox is reported."""
QUEUED_PER_PROCESS = 2
"""Matches prepared ahead for each process, so that none of them waits."""

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class HomeClock:
    """The time that an author gives bots at home. It is the arena's by default."""

    limits: Limits = Limits()
    is_kept: bool = True
    """Whether a bot that takes longer loses by it."""


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
    clock: HomeClock = HomeClock()

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
            limits=self.clock.limits,
            is_clocked=self.clock.is_kept,
            programs=self.programs,
            series=self.series,
            later_deals=() if self.series is None else tuple(game.deal(options, seats, rng) for _ in range(1, legs)),
            arena=arena_version(),
        )


def play_batches(
    batches: Sequence[MatchBatch], sandbox: Sandbox
) -> Generator[tuple[tuple[int, int], MatchReport], None, None]:
    """Yield every match as it ends, with the place of its batch and its number.

    Raises SandboxError. Closing the generator ends all processes.
    """
    left = {(place, number): batch for place, batch in enumerate(batches) for number in range(1, batch.matches + 1)}
    with Workers(sandbox, len(left)) as workers:
        for key, match in play_due(lambda: left, lambda key: left[key].match(key[1]), workers):
            del left[key]
            yield key, match


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
        count = min(count_cores(), matches)
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


def count_cores() -> int:
    """Return the number of cores that this process can use, or of all cores where the system tells no more."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _enter_worker(cores: "multiprocessing.queues.SimpleQueue[int]", parent: int) -> None:
    """End this process with its parent, and on Linux pin it to a core of its own."""
    if has_sandbox():
        from arena.runner.sandbox.own_process import die_with_parent, pin_to_free_core  # noqa: PLC0415 - on Linux alone

        die_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        pin_to_free_core(cores.get())
    else:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
