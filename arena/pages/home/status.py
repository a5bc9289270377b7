"""Show people whether the arena is up, what waits, and what the last day was like."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.timezone import now
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from arena.errors import first_line
from arena.matches.models import WorkerStatus
from arena.matches.queries.history import HOUR, Hour, list_hours
from arena.matches.queries.metrics import OTHER_KIND, fetch_waiting_by_kind
from arena.matches.queries.queue import list_workers_since
from arena.pages.formatting import format_count, format_duration
from arena.pages.svg.charts import HATCH_PATTERN_SVG
from arena.pages.svg.hours import draw_hour_columns, draw_hour_lines
from arena.readiness import WORKER_SILENCE_LIMIT, Problem, readiness
from arena.runner.sandbox.levels import LEVELS_FOR_ALL_AUTHORS

logger = logging.getLogger(__name__)

HOURS_SHOWN = 24
KEPT_HOURS = "hours-that-are-over"
PARTS: dict[str, tuple[str | Promise, str | Promise, str | Promise]] = {
    "database": (_("Database"), _("It answers."), _("It doesn't answer.")),
    "migrations": (
        _("Tables"),
        _("They are those of this version."),
        _("They are those of another version: pages and matches may fail."),
    ),
    "workers": (
        _("Workers"),
        _("At least one with a working sandbox has reported lately."),
        _("None with a working sandbox has reported lately: no match is played."),
    ),
    "broker": (_("Messages"), _("They can be sent."), _("They can't be sent: matches start later.")),
}
"""Name, and what is said of it when it is fine and when it isn't, of each part that `readiness` looks at."""
KINDS = {
    "trial": _("Trials"),
    "ladder": _("Matches of ladders"),
    "comparison": _("Comparisons"),
    "tournament": _("Tournaments"),
    "challenge": _("Challenges"),
    OTHER_KIND: _("Others"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the arena, and how it is."""

    name: str | Promise
    is_fine: bool
    sentence: str | Promise
    since: datetime | None
    """Since when it isn't fine, as far as known."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that reported within the hours shown."""

    status: WorkerStatus
    is_silent: bool

    @property
    def is_for_all(self) -> bool:
        """Return whether its sandbox is good enough for bots of all authors."""
        return self.status.level in LEVELS_FOR_ALL_AUTHORS


@dataclass(frozen=True, slots=True)
class Line:
    """The queued matches of a kind."""

    name: str | Promise
    matches: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart with its numbers."""

    key: str
    title: str
    legend: str
    drawing: SafeString
    columns: Sequence[str]
    rows: Sequence[tuple[datetime, Sequence[str]]]
    """The beginning of each hour, the newest first, and the number of each column."""


def show_status(request: HttpRequest) -> HttpResponse:
    """Show the status of the arena. Without a database, that alone is told."""
    problems = readiness.look()
    context = {"parts": [describe_part(part, problems.get(part)) for part in readiness.parts], "is_up": not problems}
    try:
        context |= build_figures(now())
    except DatabaseError as error:
        logger.warning("The status page has no figures, as the database failed: %s", first_line(error))
        context["is_unknown"] = True
    return render(request, "home/status.html", context)


def describe_part(part: str, problem: Problem | None) -> Part:
    """Return how a part is, in words for everybody."""
    name, fine, broken = PARTS.get(part, (part, _("It works."), _("It doesn't work.")))
    return Part(name, True, fine, None) if problem is None else Part(name, False, broken, problem.since)


def build_figures(at: datetime) -> dict[str, Any]:
    """Return workers, queue and pictures."""
    hours = fetch_hours(at)
    workers = list_workers_since(at - HOURS_SHOWN * HOUR)
    return {
        "hatched": HATCH_PATTERN_SVG,
        "workers": [Worker(worker, worker.seen_at < at - WORKER_SILENCE_LIMIT) for worker in workers],
        "queue": [
            Line(KINDS[kind], waiting.matches, waiting.oldest)
            for kind, waiting in fetch_waiting_by_kind().items()
            if waiting.matches or kind != OTHER_KIND
        ],
        "pictures": [picture_matches(hours), picture_waiting(hours), picture_attempts(hours)],
    }


def fetch_hours(at: datetime) -> list[Hour]:
    """Return the hours shown, the one that goes on last. Those that are over don't change, so they are kept."""
    current = at.replace(minute=0, second=0, microsecond=0)
    first = current - (HOURS_SHOWN - 1) * HOUR
    over = [hour for hour in (Hour(*row) for row in cache.get(KEPT_HOURS, ())) if first <= hour.begins_at < current]
    if not over or over[0].begins_at != first:
        over = []
    if len(over) < HOURS_SHOWN - 1:
        over += list_hours(first + len(over) * HOUR, current)
        cache.set(KEPT_HOURS, [tuple(hour) for hour in over], HOURS_SHOWN * HOUR / timedelta(seconds=1))
    return over + list_hours(current, at)


def picture_matches(hours: Sequence[Hour]) -> Picture:
    """Return how many matches ended with a result."""
    total = sum(hour.matches for hour in hours)
    words = ngettext("%(count)s match in 24 hours", "%(count)s matches in 24 hours", total)
    legend = words % {"count": format_count(total)}
    times = [hour.begins_at for hour in hours]
    drawing = draw_hour_columns(times, [([hour.matches for hour in hours], "var(--ink)")], legend, format_count)
    rows = [(hour.begins_at, [format_count(hour.matches)]) for hour in reversed(hours)]
    return Picture("matches", gettext("Matches per hour"), legend, drawing, [gettext("Matches")], rows)


def picture_waiting(hours: Sequence[Hour]) -> Picture:
    """Return how long matches had waited before they were played."""
    drawing = draw_hour_lines(
        [hour.begins_at for hour in hours],
        [hour.median_wait_s for hour in hours],
        [hour.p95_wait_s for hour in hours],
        gettext("How long matches waited, by the hour; the table below has the numbers"),
        format_duration,
    )
    rows = [
        (hour.begins_at, [format_wait(hour.median_wait_s), format_wait(hour.p95_wait_s)]) for hour in reversed(hours)
    ]
    legend = gettext("solid line: half waited no longer; broken line: 19 of 20 waited no longer")
    columns = [gettext("Half within"), gettext("19 of 20 within")]
    return Picture("waiting", gettext("Waiting time"), legend, drawing, columns, rows)


def picture_attempts(hours: Sequence[Hour]) -> Picture:
    """Return how many attempts to play a match the arena failed. None of them counts for a bot."""
    lost, failed = [hour.lost for hour in hours], [hour.failed for hour in hours]
    words = gettext("In 24 hours the worker stopped in %(lost)s attempts, and the arena failed in %(failed)s") % {
        "lost": format_count(sum(lost)),
        "failed": format_count(sum(failed)),
    }
    kinds = [(failed, "var(--bad)"), (lost, "url(#hatched)")]
    drawing = draw_hour_columns([hour.begins_at for hour in hours], kinds, words, format_count)
    rows = [(hour.begins_at, [format_count(hour.lost), format_count(hour.failed)]) for hour in reversed(hours)]
    legend = gettext("hatched: the worker stopped; solid: the arena failed. The match is played again.")
    columns = [gettext("Worker stopped"), gettext("Arena failed")]
    return Picture("attempts", gettext("Attempts without a result"), legend, drawing, columns, rows)


def format_wait(seconds: float | None) -> str:
    """Return a waiting time, or a dash where no match ended."""
    return "–" if seconds is None else format_duration(seconds)
