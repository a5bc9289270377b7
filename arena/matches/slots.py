"""Share the slots of a worker process, and the workers' time between what matches are played for."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from statistics import fmean
from threading import Lock
from time import monotonic

from django.db.models import F, Max, Min, Q

from arena.core.environment import MIB, find_memory_limit
from arena.matches.models import Match, Participant
from arena.matches.runner_process import RunnerProcess, RunnerProcessError
from arena.matches.workers import SandboxStatus
from arena.runner.channel import FEW_LANGUAGES
from arena.runner.live_turn import KEPT_FOR_S, TurnReport, TurnSpec
from arena.runner.match import Heartbeat
from arena.runner.program import Limits

# Share the slots of a worker process: each slot is a runner process and the right to use it.
#
# A process that plays matches has one slot, for whatever comes. The process that serves people has threads: slots for
# the turns of live games, hints and quick analyses, and one for uploads, which need not wait for the end of a match.

IDLE_RUNNER_S = 300.0
"""A runner process that served nobody for this long is ended: it takes some 20 MB."""
MAX_KEPT_BOTS = 8
KEPT_MEMORY_SHARE = 4
"""Processes kept for live games may take one part in so many of the worker's memory."""


class Slot:
    """A runner process that one thread uses at a time."""

    def __init__(self, runner: RunnerProcess, status: SandboxStatus | None = None) -> None:
        self.runner = runner
        self.status = status
        """The status that is reported for this machine, by one slot of a process."""
        self.is_taken = False
        self.used_at = monotonic()
        self.kept: dict[str, float] = {}
        """The tables whose processes wait here for their next turn, and since when."""

    def is_able(self) -> bool:
        """Return whether the runner process has a working sandbox. It is started on demand."""
        if self.status is not None:
            return self.status.get() is not None
        if self.runner.has_other_packages():  # another child examines this machine again, without compilers
            self.runner.close()
            self.kept.clear()
        try:
            return self.runner.report()["level"] is not None
        except RunnerProcessError:
            return False

    def answer_turn(self, spec: TurnSpec, beat: Heartbeat) -> TurnReport:
        """Have a bot play a turn, and note whether its process waits here afterwards. Raises RunnerProcessError."""
        self.kept.pop(spec.table, None)
        report = self.runner.answer_turn(spec, beat)
        if report.is_kept:
            self.kept[spec.table] = monotonic()
        return report

    def let_go(self, table: str) -> None:
        """End the process of a table."""
        self.end_kept([table])

    def end_kept(self, tables: Sequence[str]) -> None:
        """End the processes of these tables. The slot must be taken."""
        for table in tables:
            self.kept.pop(table, None)
        if self.runner.is_alive:
            try:
                self.runner.end_kept(tables)
            except RunnerProcessError:  # all processes end with it
                self.kept.clear()

    def forget_ended(self) -> None:
        """Forget the processes that the runner process has ended by itself, or that ended with it."""
        oldest = monotonic() - KEPT_FOR_S
        self.kept = {table: at for table, at in self.kept.items() if at > oldest} if self.runner.is_alive else {}


class Slots:
    """The slots of this worker process for one kind of work."""

    def __init__(self, slots: Sequence[Slot], *, long: int) -> None:
        self.slots = slots
        self.long = long
        """How many may be taken by long pieces of work, so that short ones never wait for one."""
        self.long_taken = 0
        self._lock = Lock()

    @contextmanager
    def take(self, *, table: str = "", is_long: bool = False) -> Iterator[Slot | None]:
        """Take a free slot, if possible the one that keeps the process of a table.

        None where all are taken, or for a long piece of work where as many are as may be.
        """
        with self._lock:
            free = [slot for slot in self.slots if not slot.is_taken and not (is_long and self.long_taken >= self.long)]
            slot = min(free, key=lambda one: (table not in one.kept, len(one.kept)), default=None)
            if slot is not None:
                slot.is_taken = True
                self.long_taken += is_long
        try:
            yield slot
        finally:
            if slot is not None:
                with self._lock:
                    slot.is_taken, slot.used_at = False, monotonic()
                    self.long_taken -= is_long

    def end_kept(self, tables: Sequence[str]) -> list[str]:
        """End the processes of these tables where their slot is free, and return which of them are gone."""
        gone = []
        for slot in self.slots:
            slot.forget_ended()
            here = [table for table in tables if table in slot.kept]
            with self._take(slot) as is_free:
                if here and is_free:
                    slot.end_kept(here)
        for table in tables:
            if not any(table in slot.kept for slot in self.slots):
                gone.append(table)
        return gone

    def list_surplus_tables(self) -> list[str]:
        """Return the tables, the oldest first, whose processes are more than may be kept."""
        most = min(MAX_KEPT_BOTS, find_memory_limit() // (KEPT_MEMORY_SHARE * Limits().memory_mb * MIB))
        since = {table: at for slot in self.slots for table, at in slot.kept.items()}
        return sorted(since, key=lambda table: since[table])[: max(0, len(since) - most)]

    def end_idle_runners(self) -> None:
        """End the runner processes that have served nobody for IDLE_RUNNER_S."""
        for slot in self.slots:
            with self._take(slot) as is_free:
                if is_free and slot.runner.is_alive and monotonic() - slot.used_at > IDLE_RUNNER_S:
                    slot.runner.close()
                    slot.kept.clear()

    @contextmanager
    def _take(self, slot: Slot) -> Iterator[bool]:
        """Take this slot, and yield whether it was free."""
        with self._lock:
            is_free = not slot.is_taken
            slot.is_taken = True
        try:
            yield is_free
        finally:
            if is_free:
                with self._lock:
                    slot.is_taken = False


class WorkerSlots:
    """The slots of a process that serves people with threads; None in one that does one thing at a time."""

    def __init__(self) -> None:
        self.turns: Slots | None = None
        self.uploads: Slots | None = None

    def use_threads(self) -> None:
        """Make a slot for turns for each processor and one more for short ones, and a slot for trials and builds.

        The runner process for uploads alone tests all languages, for the report on this machine.
        """
        processors = len(os.sched_getaffinity(0))
        turns = [Slot(RunnerProcess(options=(FEW_LANGUAGES,))) for _ in range(processors + 1)]
        self.turns = Slots(turns, long=processors)
        runner = RunnerProcess()
        self.uploads = Slots([Slot(runner, SandboxStatus(runner))], long=1)


worker_slots = WorkerSlots()
"""Those of this process. They must not be used before a fork."""


# Share the workers' time fairly between flows of matches: the ladders, or the authors of comparisons.
#
# Start-time fair queueing (Goyal, Vin and Cheng, 1996): a match's virtual start time is the time at which its flow's
# last match ended, in seconds of play, so that each flow that has something to play gets the same time, however long
# its matches or its queue. A flow that was idle joins at the virtual time and gets nothing back for the time it did
# not use.

MAX_CHARGED_S = 60.0
"""The most that a flow is charged for a match: by durations from a busy machine it would wait for minutes."""
LEAST_SHARE = 1 / 20
"""The part of a slot's time that matches of each priority get at least, while any of them waits."""
SHARE_WINDOW_S = 600.0
"""Time after which what a slot has played counts half as much."""
OWED_CHECK_INTERVAL_S = 5.0
NEVER_OWED = frozenset({-5})
"""Priorities without a least share: organisers asked for these matches to be played when nothing else waits."""
MATCHES_TIMED_PER_VERSION = 10
"""Number of a version's latest matches from which its time in the next one is estimated."""


def schedule_next_match(*, priority: int, after: float, seconds: float) -> tuple[float, float]:
    """Return the virtual start time of a flow's next match, and the time from which the flow goes on after it.

    `after` is the time from which the flow goes on now, `seconds` the expected duration of the match. A flow that
    passes a multiple of the duration gets as much less of the workers' time.
    """
    virtual_start = max(after, virtual_time(priority))
    return virtual_start, virtual_start + min(seconds, MAX_CHARGED_S)


def estimate_bot_seconds(versions: Iterable[int]) -> dict[int, float]:
    """Return the mean time that the bot of each version took in its latest matches; versions without any are left out.

    It is the elapsed time of its starts and answers in all legs: what the version costs a worker.
    """
    found = {}
    for version in versions:
        timed = Participant.objects.filter(version=version, elapsed_s__isnull=False).order_by("-match")
        if seconds := list(timed.values_list("elapsed_s", flat=True)[:MATCHES_TIMED_PER_VERSION]):
            found[version] = fmean(value for value in seconds if value is not None)
    return found


def virtual_time(priority: int) -> float:
    """Return the virtual start time of the running matches of this priority, else of the next or the last one.

    Delays of slow bots are left out, so that others don't join later for them.
    """
    start = F("virtual_start") - F("delay_s")
    running, queued = Q(state=Match.State.RUNNING), Q(state=Match.State.QUEUED)
    here = Match.objects.filter(running | queued, priority=priority)
    found = here.aggregate(running=Max(start, filter=running), queued=Min(start, filter=queued))
    if (time := found["running"] if found["running"] is not None else found["queued"]) is not None:
        return float(time)
    finished = Match.objects.filter(state=Match.State.FINISHED, priority=priority)
    return float(finished.aggregate(last=Max(start))["last"] or 0.0)


class SlotShares:
    """The time that this process has played matches of each priority lately.

    Higher priorities come first, always. So that the others go on under a load that never ends, each slot gives every
    priority LEAST_SHARE of its time; then all slots together do.
    """

    def __init__(self) -> None:
        self._used_s: dict[int, float] = {}
        self._counted_at = self._looked_at = monotonic()

    def record(self, priority: int, seconds: float) -> None:
        """Add the time of a match."""
        at = monotonic()
        kept = 0.5 ** ((at - self._counted_at) / SHARE_WINDOW_S)
        self._counted_at = at
        self._used_s = {key: used_s * kept for key, used_s in self._used_s.items()}
        self._used_s[priority] = self._used_s.get(priority, 0.0) + seconds

    def find_owed(self) -> tuple[int, ...]:
        """Return the waiting priorities that have had too little, the one with the least first.

        It is looked every OWED_CHECK_INTERVAL_S, and nothing is owed meanwhile.
        """
        if not self._used_s or monotonic() - self._looked_at < OWED_CHECK_INTERVAL_S:
            return ()
        self._looked_at = monotonic()
        waiting = Match.objects.queued().due().for_workers().order_by().values_list("priority", flat=True).distinct()
        return self.choose_owed({priority: self._used_s.get(priority, 0.0) for priority in waiting})

    def choose_owed(self, waiting: Mapping[int, float]) -> tuple[int, ...]:
        """Return those of the waiting priorities, given with their times, that have had too little."""
        total_s = sum(self._used_s.values())
        owed = [key for key, used_s in waiting.items() if used_s < LEAST_SHARE * total_s and key not in NEVER_OWED]
        return tuple(sorted(owed, key=lambda key: (waiting[key], -key)))


slot_shares = SlotShares()
"""The times of this process."""


# Find out what a match is played for. Each part of the site that has matches played has a row for each of them.


class Purpose(StrEnum):
    """What a match is played for: the name of the relation from the match to the row of its part of the site."""

    TRIAL = "trial"
    PACKAGES = "package_trial"
    LADDER = "ladder_match"
    COMPARISON = "comparison_match"
    CHECK = "tournament_check"
    PAIRING = "pairing_match"
    CHALLENGE = "challenge"


def find_purposes(match: Match) -> tuple[Purpose, ...]:
    """Return what a match is played for: usually one purpose, and none if its row was deleted. One query."""
    rows = Match.objects.filter(pk=match.pk).values_list(*(f"{purpose.value}__pk" for purpose in Purpose))
    return tuple(purpose for purpose, row in zip(Purpose, rows.get(), strict=True) if row is not None)
