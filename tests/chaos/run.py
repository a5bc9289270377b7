"""One run: an arena, what befalls it, and what holds of it afterwards."""

import os
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from subprocess import run as run_command
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import psycopg
from celery import Celery

from arena.runner.sandbox.own_process import adopt_orphans
from tests.chaos.clocks import Clocks, NoClocks
from tests.chaos.events import EVENTS, Event
from tests.chaos.invariants import CHECKS, check_uploads, find_open_work
from tests.chaos.leftovers import clean_up, find_sandbox_folders
from tests.chaos.servers import Broker, Database
from tests.chaos.services import WORKERS, Services, list_left_processes
from tests.chaos.uploads import Uploads
from tests.story.installation import Installation

PAUSE_S = (1.0, 8.0)
"""Time between two events."""
TICK_S = 0.2
REST_TIMEOUT_S = 1800.0
"""A trial without a result is repeated after five minutes; after an hour on a busy machine eighty others wait, too."""
REST_CHECK_S = 5.0
DISK_BYTES = 1 << 29
NEWEST_ROWS = 3
BUSY_SETTINGS = {
    "PENNANT_LADDER_NEWCOMER_MATCHES": "1000000",
    "PENNANT_REFIT_SECONDS": "5",
    "PENNANT_VERSIONS_PER_DAY": "100000",
    "PENNANT_MEGABYTES_PER_OWNER": "10000",
    "PENNANT_API_READS": "100000",
    "PENNANT_API_WRITES": "100000",
    "PENNANT_PIN_CORES": "off",
}
REST_SETTINGS = {"PENNANT_LADDER_NEWCOMER_MATCHES": "0", "PENNANT_LADDER_MATCHES_PER_HOUR": "0"}


@dataclass
class Report:
    """What happened, and what is wrong."""

    events: Counter[str] = field(default_factory=Counter)
    skipped: dict[str, str] = field(default_factory=dict)
    """Why events of a kind could not happen."""
    figures: dict[str, object] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)
    """By what should hold."""

    @property
    def is_fine(self) -> bool:
        return not any(self.problems.values())


class ChaosRun:
    """An arena that is up, with everything that an event may need."""

    def __init__(self, stack: ExitStack, *, embedded: bool, say: bool) -> None:
        self.report, self.say, self.began = Report(), say, monotonic()
        self.parts: dict[str, str] = {}
        """Why a part of the arena or the machine is not there; empty if it is."""
        data = Path(stack.enter_context(TemporaryDirectory(prefix="chaos-")))
        self.parts["disk"] = stack.enter_context(mounted(data))
        clocks, self.parts["clock"] = make_clocks(Path(stack.enter_context(TemporaryDirectory(prefix="clocks-"))))
        self.parts["database"] = self.parts["redis"] = "the arena is embedded" if embedded else ""
        urls: tuple[str | None, str | None] = (None, None)
        if not embedded:
            self.database, self.redis = Database(stack), Broker(stack)
            urls = self.database.url, self.redis.url
        self.installation = Installation(data, *urls, more=dict(BUSY_SETTINGS))
        self.installation.manage("prepare")
        self.folders_before = find_sandbox_folders()
        self.services = Services(self.installation, clocks)
        self.uploads = Uploads(self.installation, self.installation.run("tests.story.author", "token", "ann").strip())
        stack.callback(self.services.stop)
        self.sender = None if embedded else Celery(broker=self.redis.url)

    def play(self, *, seconds: float, seed: int, only: Collection[str]) -> None:
        """Let events happen, in an order that the seed decides; what they meet depends on the moment."""
        random = Random(seed)
        wanted = [event for event in EVENTS if event.kind in only or not only]
        possible = [event for event in wanted if not self.parts.get(event.needs, "")]
        for event in wanted:
            if event not in possible:
                self.report.skipped[event.kind] = self.parts[event.needs]
        self.services.start()
        self.uploads.start()
        until = monotonic() + seconds
        while monotonic() < until:
            self.wait(random.uniform(*PAUSE_S))
            event = choose_event(possible, random)
            self.tell(event.kind)
            event.happen(self, Random(random.random()))
            self.report.events[event.kind] += 1
        self.uploads.end()

    def rest(self) -> None:
        """Queue no more matches, and wait until all work is done."""
        self.tell("no more events, nothing new: waiting for rest")
        self.installation.more |= REST_SETTINGS
        self.services.stop(*WORKERS)
        deadline, waiting = monotonic() + REST_TIMEOUT_S, "?"
        while waiting and monotonic() < deadline:
            self.wait(REST_CHECK_S)
            waiting = find_open_work(self.installation)
            self.tell(waiting or "at rest")
        self.report.problems["it comes to rest"] = [waiting] if waiting else []

    def check(self) -> None:
        """Stop everything, and look at what is left."""
        self.report.figures["services started"] = dict(self.services.starts)
        killed = self.services.stop()
        sleep(1.0)
        self.services.reap_orphans()
        left = list_left_processes()
        self.report.problems["every service ends when it is asked to"] = killed
        self.report.problems["no process is left"] = left
        clean_up()
        self.report.problems["no sandbox folder is left"] = sorted(find_sandbox_folders() - self.folders_before)
        lost = check_uploads(self.installation, self.uploads.acknowledged)
        self.report.problems["no acknowledged upload is lost"] = lost
        for name, check in CHECKS.items():
            self.report.problems[name] = check(self.installation)
        self._count()

    def wait(self, seconds: float) -> None:
        until = monotonic() + seconds
        while monotonic() < until:
            self.services.watch()
            self.services.reap_orphans()
            sleep(TICK_S)

    def newest(self, table: str) -> list[int]:
        """The ids of a table's newest rows; none while the database is away."""
        try:
            return [
                row[0]
                for row in self.installation.query(f"select id from {table} order by id desc limit {NEWEST_ROWS}")
            ]
        except psycopg.OperationalError:
            return []

    def deliver(self, task: str, arguments: list[int]) -> None:
        if self.sender is not None:
            self.sender.send_task(task, args=arguments)
        else:
            self.installation.deliver(task, *arguments)

    def tell(self, what: str) -> None:
        if self.say:
            print(f"{monotonic() - self.began:7.1f} s  {what}", flush=True)

    def _count(self) -> None:
        query = self.installation.query
        for name, sql in FIGURES.items():
            self.report.figures[name] = query(sql)[0][0]
        self.report.figures["uploads acknowledged"] = len(self.uploads.acknowledged)
        self.report.figures["requests of uploads that failed"] = self.uploads.unanswered
        self.report.figures["tracebacks in logs"] = self.services.count_in_logs("Traceback (most recent call last)")


FIGURES = {
    "matches rated": "select count(*) from ladders_laddermatch where sequence > 0",
    "matches finished": "select count(*) from matches_match where state = 'finished'",
    "matches without a result": "select count(*) from matches_match where state = 'void'",
    "attempts lost": "select count(*) from matches_attempt where ending = 'lost'",
    "attempts failed": "select count(*) from matches_attempt where ending = 'failed'",
}


def choose_event(events: list[Event], random: Random) -> Event:
    return random.choices(events, [event.weight for event in events])[0]


def make_clocks(folder: Path) -> tuple[Clocks | None, str]:
    """Clocks of services, or why there are none."""
    try:
        return Clocks(folder), ""
    except NoClocks as missing:
        return None, str(missing)


@contextmanager
def mounted(folder: Path) -> Iterator[str]:
    """Make a folder a small disk of its own, in memory. Yield why that can't be done; nothing if it could."""
    if os.geteuid() != 0:
        yield "only root may mount a small disk"
        return
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "chaos", str(folder)]
    done = run_command(command, capture_output=True, text=True)
    if done.returncode:
        yield f"no small disk: {done.stderr.strip()}"
        return
    try:
        yield ""
    finally:
        run_command(["umount", "--lazy", str(folder)], check=True)


def run_chaos(
    *, seconds: float, seed: int, only: Collection[str] = (), embedded: bool = False, say: bool = False
) -> Report:
    """Let events happen, all kinds or `only` some, and return what came of it. Raises NoServer."""
    adopt_orphans()
    with ExitStack() as stack:
        run = ChaosRun(stack, embedded=embedded, say=say)
        run.play(seconds=seconds, seed=seed, only=only)
        run.rest()
        run.check()
        return run.report
