"""Count by the hour what was played lately, how long it had waited, and which attempts failed."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Count, DateTimeField, F, Func, Q
from django.db.models.sql.compiler import SQLCompiler

from arena.matches.models import Attempt, Match

HOUR = timedelta(hours=1)
MAX_MATCHES_TIMED = 6_000
"""Of more matches every second, third or further one is timed."""
MEDIAN, P95 = 0.5, 0.95


class Hour(NamedTuple):
    """What ended within an hour."""

    begins_at: datetime
    matches: int
    """With a result."""
    median_wait_s: float | None
    """Half of its matches waited no longer before they were played; None without any."""
    p95_wait_s: float | None
    """95 % of its matches waited no longer; None without any."""
    lost: int
    """Attempts whose worker stopped."""
    failed: int
    """Attempts that the arena failed."""


class HourKey(Func):
    """The beginning of the hour of a time, in UTC. No row calls Python or formats text: that took twice as long."""

    output_field = DateTimeField()
    template = "DATE_TRUNC('hour', %(expressions)s AT TIME ZONE 'UTC')"

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Any:
        """Return SQL for SQLite, which stores times as text."""
        return self.as_sql(compiler, connection, template="SUBSTR(%(expressions)s, 1, 13) || ':00:00'")

    def convert_value(self, value: datetime, *_: Any) -> datetime:
        """Return the time with its zone."""
        return value.replace(tzinfo=UTC)


def list_hours(first: datetime, end: datetime) -> list[Hour]:
    """Return the hours from the beginning of the first, in UTC, to the end, in three queries."""
    counts = _count_matches(first, end)
    waits = _list_waits(first, end, stride=1 + sum(counts.values()) // MAX_MATCHES_TIMED)
    attempts = _count_attempts(first, end)
    hours = []
    while first < end:
        median, p95 = (find_quantile(waits[first], share) for share in (MEDIAN, P95))
        hours.append(Hour(first, counts[first], median, p95, *attempts[first]))
        first += HOUR
    return hours


def find_quantile(values: Sequence[float], share: float) -> float | None:
    """Return the value that this share of sorted values doesn't exceed; None where there is none."""
    return values[min(int(share * len(values)), len(values) - 1)] if values else None


def _count_matches(first: datetime, end: datetime) -> dict[datetime, int]:
    """Count those with a result by the hour. Where the state were a condition, all matches ever played are read."""
    ended = Match.objects.filter(finished_at__gte=first, finished_at__lt=end).order_by()
    rows = ended.annotate(hour=HourKey("finished_at")).values_list("hour")
    return defaultdict(int, rows.annotate(matches=Count("pk", filter=Q(state=Match.State.FINISHED))))


def _list_waits(first: datetime, end: datetime, *, stride: int) -> dict[datetime, list[float]]:
    ended = Match.objects.filter(finished_at__gte=first, finished_at__lt=end, started_at__isnull=False).order_by()
    if stride > 1:
        ended = ended.annotate(rest=F("pk") % stride).filter(rest=0)
    waits: dict[datetime, list[float]] = defaultdict(list)
    for hour, created, started in ended.values_list(HourKey("finished_at"), "created_at", "started_at"):
        waits[hour].append(max(0.0, (started - created).total_seconds()))
    for found in waits.values():
        found.sort()
    return waits


def _count_attempts(first: datetime, end: datetime) -> dict[datetime, tuple[int, int]]:
    lost, failed = (Count("pk", filter=Q(ending=ending)) for ending in (Attempt.Ending.LOST, Attempt.Ending.FAILED))
    ended = Attempt.objects.filter(ended_at__gte=first, ended_at__lt=end).order_by()
    rows = ended.annotate(hour=HourKey("ended_at")).values_list("hour").annotate(lost=lost, failed=failed)
    return defaultdict(lambda: (0, 0), {hour: (lost, failed) for hour, lost, failed in rows})
