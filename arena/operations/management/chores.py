"""What `up` does itself while its processes run: resume work, send periodic messages, and write a line of progress."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TextIO

from celery.beat import Scheduler
from django.conf import settings
from django.db.models import F, Sum

from arena.celery import app
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.matches.models import Match
from arena.matches.services import requeue_lost_matches
from arena.operations import tasks

# Resume the work that the last run of this installation left unfinished.


def resume_unfinished_work() -> None:
    """Wake the workers for all queued and unsettled matches, including those that the last run left unfinished."""
    if not settings.REDIS_URL:
        for message in settings.BROKER_DIR.glob("*.msg"):
            message.unlink(missing_ok=True)
    requeue_lost_matches()
    for _ in range(Match.objects.queued().count()):
        tasks.play_next.delay()
    for match_id in Match.objects.unsettled().values_list("pk", flat=True):
        tasks.settle_match.delay(match_id)
    tasks.pair_all_ladders.delay()


# Send the messages of the periodic tasks from the process of `up`, which needs no scheduler beside it.


class _UnboundScheduler(Scheduler):  # type: ignore[misc]  # Celery has no types
    """A scheduler that keeps no connection: each message takes one from the pool, and a lost one is logged."""

    producer = None


class PeriodicTasks:
    """The schedule of the settings, looked at by calling `send_due` often."""

    def __init__(self) -> None:
        self._scheduler = _UnboundScheduler(app=app)
        self._next_at = 0.0

    def send_due(self) -> None:
        """Send the messages that are due."""
        while monotonic() >= self._next_at:
            self._next_at = monotonic() + self._scheduler.tick()


# Show the progress of the ladders in one line.

REPORT_INTERVAL_WITH_TARGET_S = 2.0
"""Without a terminal a line can't be written over, so there are fewer of them."""
REPORT_INTERVAL_WITHOUT_TARGET_S = 60.0
MAX_TIME_BETWEEN_RATED_MATCHES_S = 1500.0
"""No match takes longer than this, not even one of four bots that use all of their time in four legs."""


def count_rated_matches() -> int:
    """Return the number of rated matches of all ladders, including those cancelled later."""
    lines = Ladder.objects.aggregate(lines=Sum("last_sequence"))["lines"] or 0
    voids = LadderMatch.objects.filter(void_sequence__gt=F("sequence"))
    return lines - voids.count()


@dataclass
class LadderProgress:
    """Report on a terminal how many matches have been rated."""

    out: TextIO
    target: int | None
    clock: Callable[[], float] = monotonic

    def __post_init__(self) -> None:
        self.before = count_rated_matches()
        self.began = self.clock()
        self.shown = ""
        self.shown_at = 0.0
        self.latest, self.latest_at = 0, self.began
        self.is_reached = False

    @property
    def done(self) -> int:
        """Return the number of matches rated since the start."""
        return count_rated_matches() - self.before

    def show(self) -> bool:
        """Write the line if it has changed. Return True once the target is reached."""
        if self.target is None and not self.out.isatty() and not self._is_line_due:
            return False
        done = self.done
        if done != self.latest:
            self.latest, self.latest_at = done, self.clock()
        line = self._build_line(done)
        reached = self.target is not None and done >= self.target
        is_first_reached, self.is_reached = reached and not self.is_reached, reached
        if self.out.isatty():
            self.out.write(f"\r\x1b[K{line}")
        elif line != self.shown and (is_first_reached or self._is_line_due):
            self.out.write(f"{line}\n")
            self.shown, self.shown_at = line, self.clock()
        self.out.flush()
        return reached

    @property
    def is_stuck(self) -> bool:
        """Return whether no match has been rated for MAX_TIME_BETWEEN_RATED_MATCHES_S."""
        return self.clock() - self.latest_at > MAX_TIME_BETWEEN_RATED_MATCHES_S

    def say(self, text: str) -> None:
        """Print a message above the line."""
        self.out.write(f"\r\x1b[K{text}\n" if self.out.isatty() else f"{text}\n")
        self.out.flush()

    @property
    def _is_line_due(self) -> bool:
        return self.clock() - self.shown_at >= self._report_interval_s

    @property
    def _report_interval_s(self) -> float:
        is_awaited = self.target is not None and not self.is_reached
        return REPORT_INTERVAL_WITH_TARGET_S if is_awaited else REPORT_INTERVAL_WITHOUT_TARGET_S

    def _build_line(self, done: int) -> str:
        running, queued = Match.objects.running().count(), Match.objects.queued().count()
        goal = f" of {self.target}" if self.target is not None and done <= self.target else ""
        seconds = self.clock() - self.began
        return (
            f"{done}{goal} matches rated, {running} running, {queued} queued, {done / max(seconds, 1):.1f} per second"
        )
