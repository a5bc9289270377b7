"""Tell whether every part that the arena needs is fine, and since when one isn't.

Reasons are shown to everybody, so they name no host.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils.timezone import now
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from arena.matches.queries.queue import find_latest_working_report

BROKER_TIMEOUT_S = 1.0
WORKER_SILENCE_LIMIT = timedelta(minutes=5)
"""No match takes longer, and between two of them a worker says that it is there."""
Migration = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a part is not fine."""

    reason: str
    since: datetime | None = None
    """None where only the time is known at which it was first seen."""


class Readiness:
    """The parts, and since when each is not fine, as far as this process has seen it."""

    def __init__(self) -> None:
        self.parts: dict[str, Callable[[], Problem | None]] = {
            "database": find_database_problem,
            "migrations": find_migration_problem,
            "workers": find_worker_problem,
            "broker": find_broker_problem,
        }
        self.since: dict[str, datetime] = {}

    def look(self) -> dict[str, Problem]:
        """Return the problem of each part that has one, with the time since when. Nothing is remembered as fine."""
        problems: dict[str, Problem] = {}
        for part, find_problem in self.parts.items():
            try:
                problem = find_problem()
            except DatabaseError:
                problem = Problem("Only a database that answers can tell.")
            if problem is None:
                self.since.pop(part, None)
            else:
                first_seen = self.since.setdefault(part, now())
                problems[part] = Problem(problem.reason, problem.since or first_seen)
        return problems


def find_database_problem() -> Problem | None:
    """Return why the database can't be used; None where it answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return Problem("The database doesn't answer.")
    return None


def find_migration_problem() -> Problem | None:
    """Return what the database lacks; None where all migrations are applied. Raises DatabaseError."""
    applied = set(MigrationRecorder(connection).applied_migrations())
    in_code = _list_migrations()
    for name, replaced in in_code.items():
        if replaced and replaced <= applied:
            applied.add(name)
        if name in applied:
            applied |= replaced
    missing = sorted(in_code.keys() - applied)
    if not missing:
        return None
    return Problem(f"Migrations that are not applied: {len(missing)}, of which the first is {'.'.join(missing[0])}.")


def find_worker_problem() -> Problem | None:
    """Return why no match is played; None where a worker with a sandbox reported lately. Raises DatabaseError."""
    seen_at = find_latest_working_report()
    if seen_at is None:
        return Problem("No worker with a working sandbox has ever reported.")
    if seen_at < now() - WORKER_SILENCE_LIMIT:
        return Problem("No worker with a working sandbox has reported lately.", seen_at)
    return None


def find_broker_problem() -> Problem | None:
    """Return why no message can be sent; None where the broker answers, or its folder can be written."""
    if not settings.REDIS_URL:
        is_fine = os.access(settings.BROKER_DIR, os.W_OK | os.X_OK)
        return None if is_fine else Problem("The folder of messages can't be written.")
    timeouts = {"socket_timeout": BROKER_TIMEOUT_S, "socket_connect_timeout": BROKER_TIMEOUT_S}
    try:
        with Redis.from_url(settings.REDIS_URL, retry=Retry(NoBackoff(), 0), **timeouts) as broker:
            broker.ping()
    except (RedisError, OSError):
        return Problem("Redis doesn't answer.")
    return None


@cache
def _list_migrations() -> dict[Migration, frozenset[Migration]]:
    """Return the migrations of this code, and those that each replaces."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return {name: frozenset(migration.replaces) for name, migration in loader.disk_migrations.items()}


readiness = Readiness()
