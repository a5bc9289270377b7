"""Count by the hour what was played lately, how long it had waited, and which attempts failed."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Count, F, Func, Q
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
    """The hour of a time in UTC, as the database formats it: neither calls Python for a row."""

    output_field = CharField()
    template = "TO_CHAR(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24')"

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Any:
        """Return SQL for SQLite, which stores times as text."""
        return self.as_sql(compiler, connection, template="SUBSTR(%(expressions)s, 1, 13)")


def list_hours(first: datetime, end: datetime) -> list[Hour]:
    """Return the hours from the beginning of the first, in UTC, to the end, in three queries."""
    counts = _count_matches(first, end)
    waits = _list_waits(first, end, stride=1 + sum(counts.values()) // MAX_MATCHES_TIMED)
    attempts = _count_attempts(first, end)
    hours = []
    while first < end:
        key = f"{first:%Y-%m-%d %H}"
        median, p95 = (find_quantile(waits[key], share) for share in (MEDIAN, P95))
        hours.append(Hour(first, counts[key], median, p95, *attempts[key]))
        first += HOUR
    return hours


def find_quantile(values: Sequence[float], share: float) -> float | None:
    """Return the value that this share of sorted values doesn't exceed; None where there is none."""
    return values[min(int(share * len(values)), len(values) - 1)] if values else None


def _count_matches(first: datetime, end: datetime) -> dict[str, int]:
    """Count those with a result by the hour. Where the state were a condition, all matches ever played are read."""
    ended = Match.objects.filter(finished_at__gte=first, finished_at__lt=end).order_by()
    rows = ended.annotate(hour=HourKey("finished_at")).values_list("hour")
    return defaultdict(int, rows.annotate(matches=Count("pk", filter=Q(state=Match.State.FINISHED))))


def _list_waits(first: datetime, end: datetime, *, stride: int) -> dict[str, list[float]]:
    ended = Match.objects.filter(finished_at__gte=first, finished_at__lt=end, started_at__isnull=False).order_by()
    if stride > 1:
        ended = ended.annotate(rest=F("pk") % stride).filter(rest=0)
    waits: dict[str, list[float]] = defaultdict(list)
    for key, created, started in ended.values_list(HourKey("finished_at"), "created_at", "started_at"):
        waits[key].append(max(0.0, (started - created).total_seconds()))
    for found in waits.values():
        found.sort()
    return waits


def _count_attempts(first: datetime, end: datetime) -> dict[str, tuple[int, int]]:
    lost, failed = (Count("pk", filter=Q(ending=ending)) for ending in (Attempt.Ending.LOST, Attempt.Ending.FAILED))
    ended = Attempt.objects.filter(ended_at__gte=first, ended_at__lt=end).order_by()
    rows = ended.annotate(hour=HourKey("ended_at")).values_list("hour").annotate(lost=lost, failed=failed)
    return defaultdict(lambda: (0, 0), {key: (lost, failed) for key, lost, failed in rows})
