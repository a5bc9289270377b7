"""How long a match is going to wait, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.timezone import now
from django.utils.translation import gettext, ngettext

from arena.baked import baked
from arena.matches.capabilities import WorkerCapabilities, best_capabilities, unplayable_matches
from arena.matches.models import Match, WorkerStatus

FRESH = timedelta(minutes=1)
"""A worker that said nothing for longer is taken for gone."""
TIMED = 50
"""Of so many of the last matches one learns how long the next ones take."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Where a match stands in the queue."""

    ahead: int
    """So many are played before it."""
    seconds: float | None
    """About how long until it is played; None where nobody knows."""
    reason: str
    """A sentence: what it waits for."""


@dataclass(frozen=True, slots=True)
class _Arena:
    """All that an estimate is made of."""

    capabilities: Sequence[WorkerCapabilities]
    workers: int
    able: int
    running: int
    match_seconds: float | None
    """None before anything was played."""

    def seconds(self, ahead: int) -> float | None:
        """As many are played at a time as are now, or one on each machine. The next to end has half of it behind it."""
        if self.match_seconds is None:
            return None if ahead or self.running else 0.0
        at_once = _at_once(self.running, self.able)
        begun = 0.5 if self.running else 0.0
        return self.match_seconds * (ahead + begun) / at_once

    def hindrance(self) -> str:
        """Why nothing is played, where nothing is."""
        if self.running or self.able:
            return ""
        if self.workers:
            return gettext("No sandbox works on the machines here, and bots never run without one.")
        return gettext("No worker has been heard of in the last minute.")


def _at_once(running: int, able: int) -> int:
    return max(running, able, 1)


def at_once() -> int:
    """How many matches are played at a time: as many as are now, or one on each machine that can."""
    able = sum(bool(worker.level) for worker in find_workers())
    return _at_once(len(ask_running()), able)


def find_workers() -> list[WorkerStatus]:
    """Those that were heard of not long ago, by name."""
    return ask_workers(now() - FRESH)


@baked
def ask_workers(since: datetime) -> QuerySet[WorkerStatus]:
    return WorkerStatus.objects.since(since)


@baked
def ask_running() -> QuerySet:
    return Match.objects.running().values_list("pk", flat=True)


@baked
def ask_times() -> QuerySet:
    """When the last matches began and ended."""
    last = Match.objects.filter(state=Match.State.FINISHED).order_by("-pk")
    return last.values_list("started_at", "finished_at")[:TIMED]


def place_in_queue(match: Match) -> Waiting:
    return places_in_queue([match])[match.pk]


def places_in_queue(matches: Sequence[Match]) -> dict[int, Waiting]:
    """By the match's id, whether they wait or not. As many queries for many as for one."""
    queued = [match for match in matches if match.state == Match.State.QUEUED]
    places = {match.pk: _of_others(match) for match in matches}
    if queued:
        arena = _look_around()
        keys = [match.pk for match in queued]
        nobodys = set(unplayable_matches(arena.capabilities).filter(pk__in=keys).values_list("pk", flat=True))
        for pk, ahead in ask_ahead(keys):
            places[pk] = _place(ahead, pk in nobodys, arena)
    return places


def _of_others(match: Match) -> Waiting:
    if match.is_over:
        return Waiting(0, None, gettext("It is over."))
    return Waiting(0, 0.0, gettext("It is being played."))


@baked
def ask_ahead(matches: Sequence[int]) -> QuerySet:
    """Of each of these, how many are played before it."""
    own = {name: OuterRef(name) for name in ("priority", "turn", "pk")}
    earlier = Q(turn__lt=own["turn"]) | Q(turn=own["turn"], pk__lt=own["pk"])
    before = Match.objects.queued().filter(Q(priority__gt=own["priority"]) | (Q(priority=own["priority"]) & earlier))
    counted = before.order_by().values("state").annotate(count=Count("pk")).values("count")
    found = Match.objects.filter(pk__in=matches).annotate(ahead=Coalesce(Subquery(counted), 0))
    return found.order_by().values_list("pk", "ahead")


def _look_around() -> _Arena:
    workers = find_workers()
    able = [worker for worker in workers if worker.level]
    took = [(finished - started).total_seconds() for started, finished in ask_times() if started]
    return _Arena(
        capabilities=best_capabilities(able),
        workers=len(workers),
        able=len(able),
        running=len(ask_running()),
        match_seconds=fmean(took) if took else None,
    )


def _place(ahead: int, is_stuck: bool, arena: _Arena) -> Waiting:
    if reason := arena.hindrance():
        return Waiting(ahead, None, reason)
    if is_stuck:
        reason = gettext("No machine that is here now has the languages of its bots, and walls that do for them.")
        return Waiting(ahead, None, reason)
    if ahead == 0:
        reason = gettext("It is the next to be played.")
    else:
        reason = ngettext("%(count)d match is played before it.", "%(count)d matches are played before it.", ahead)
        reason %= {"count": ahead}
    return Waiting(ahead, arena.seconds(ahead), reason)
