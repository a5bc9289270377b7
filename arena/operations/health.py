"""Tell whether every part that the arena needs is fine, and give its figures to Prometheus."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils.timezone import now
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from arena.contests.analysis.queries import fetch_analysis_figures
from arena.contests.ladders.queries import list_rating_lags
from arena.core.brokers import ping_redis
from arena.core.database import list_migrations
from arena.matches.livegames.queries import fetch_live_figures
from arena.matches.queries import count_waiting_uploads
from arena.matches.queue import (
    WORKER_TIMEOUT,
    count_ended_matches,
    count_running_matches,
    count_unsuccessful_attempts,
    count_workers_by_level,
    fetch_latest_durations,
    fetch_waiting_by_kind,
    find_latest_working_report,
)
from arena.runner.sandbox.base import LEVELS

# Tell whether every part that the arena needs is fine, and since when one isn't.
#
# Reasons are shown to everybody, so they name no host.


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
    in_code = list_migrations()
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
    if seen_at < now() - WORKER_TIMEOUT:
        return Problem("No worker with a working sandbox has reported lately.", seen_at)
    return None


def find_broker_problem() -> Problem | None:
    """Return why no message can be sent; None where the broker answers, or its folder can be written."""
    if not settings.REDIS_URL:
        is_fine = os.access(settings.BROKER_DIR, os.W_OK | os.X_OK)
        return None if is_fine else Problem("The folder of messages can't be written.")
    try:
        ping_redis(settings.REDIS_URL)
    except (RedisError, OSError):
        return Problem("Redis doesn't answer.")
    return None


readiness = Readiness()


# Figures of the arena for Prometheus, read from the database whenever they are asked for.

LOOKBACK = timedelta(hours=1)
MATCHES_TIMED = 500
QUANTILES = (0.5, 0.9, 0.99)


class ArenaCollector(Collector):
    """All figures. Their number grows with the ladders alone, and that of the queries not at all."""

    def collect(self) -> Iterator[Metric]:
        """Yield the figures of this moment."""
        at = now()
        yield from _collect_queue(at)
        yield from _collect_matches(at - LOOKBACK)
        yield _gauge("workers", "Workers that reported in the last two minutes.", "level", _count_workers())
        yield from _collect_ladders(at)
        yield from _collect_live_games(at)
        yield from _collect_analyses(at)


def build_registry() -> CollectorRegistry:
    """Return the registry of the arena's figures, without those of the web process that is asked."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(ArenaCollector())
    return registry


def _collect_queue(at: datetime) -> Iterator[Metric]:
    waiting = fetch_waiting_by_kind()
    matches = {kind: float(found.matches) for kind, found in waiting.items()}
    yield _gauge("matches_queued", "Matches in the queue.", "kind", matches)
    ages = {kind: _age(found.oldest, at) for kind, found in waiting.items()}
    yield _gauge("queue_oldest_age_seconds", "Time since the oldest queued match was created; 0: none.", "kind", ages)
    uploads = count_waiting_uploads()
    stages = {"build": uploads.to_build, "trial": uploads.on_trial}
    yield _gauge("uploads_waiting", "Accepted uploads waiting for their build or trial.", "stage", stages)
    age = GaugeMetricFamily("pennant_upload_oldest_age_seconds", "Time since the oldest of them was uploaded; 0: none.")
    age.add_metric([], _age(uploads.oldest, at))
    yield age
    running = GaugeMetricFamily("pennant_matches_running", "Running matches.")
    running.add_metric([], count_running_matches())
    yield running


def _collect_matches(since: datetime) -> Iterator[Metric]:
    ended = count_ended_matches(since)
    yield _gauge("matches_ended_last_hour", "Matches that ended in the last hour.", "state", ended)
    unsuccessful = count_unsuccessful_attempts(since)
    text = "Attempts at a match that ended without a result in the last hour."
    yield _gauge("attempts_ended_last_hour", text, "ending", unsuccessful)
    durations = fetch_latest_durations(MATCHES_TIMED)
    text = f"Durations of the latest {MATCHES_TIMED} finished matches."
    quantiles = {str(share): durations[int(share * len(durations))] for share in QUANTILES if durations}
    yield _gauge("match_duration_seconds", text, "quantile", quantiles)


def _collect_ladders(at: datetime) -> Iterator[Metric]:
    labels = ["game", "edition"]
    unrated = GaugeMetricFamily(
        "pennant_ladder_unrated_matches", "Finished matches that aren't rated yet.", labels=labels
    )
    text = "Time since the oldest unrated match finished; 0: none."
    lag = GaugeMetricFamily("pennant_ladder_rating_lag_seconds", text, labels=labels)
    text = "Matches rated since ratings were last recomputed from all results."
    unfitted = GaugeMetricFamily("pennant_ladder_unfitted_matches", text, labels=labels)
    for ladder in list_rating_lags():
        names = [ladder.game, ladder.edition]
        unrated.add_metric(names, ladder.unrated)
        lag.add_metric(names, _age(ladder.oldest, at))
        unfitted.add_metric(names, ladder.unfitted)
    yield from (unrated, lag, unfitted)


def _collect_live_games(at: datetime) -> Iterator[Metric]:
    found = fetch_live_figures()
    games = {"playing": found.playing, "waiting_for_bot": found.waiting_for_bot}
    yield _gauge("live_games", "Running live games, and those waiting for a bot.", "state", games)
    age = GaugeMetricFamily("pennant_live_oldest_wait_seconds", "Time since the longest wait for a bot began; 0: none.")
    age.add_metric([], _age(found.oldest, at))
    yield age


def _collect_analyses(at: datetime) -> Iterator[Metric]:
    found = fetch_analysis_figures()
    counts = {"waiting": found.waiting, "running": found.running}
    yield _gauge("analyses", "Queued and running analyses of legs.", "state", counts)
    text = "Time since the oldest unfinished analysis was requested; 0: none."
    age = GaugeMetricFamily("pennant_analysis_oldest_age_seconds", text)
    age.add_metric([], _age(found.oldest, at))
    yield age


def _count_workers() -> dict[str, int]:
    return dict.fromkeys(LEVELS, 0) | count_workers_by_level()


def _gauge(name: str, text: str, label: str, values: dict[str, int] | dict[str, float]) -> Metric:
    gauge = GaugeMetricFamily(f"pennant_{name}", text, labels=[label])
    for key, value in values.items():
        gauge.add_metric([key], value)
    return gauge


def _age(since: datetime | None, at: datetime) -> float:
    return max(0.0, (at - since).total_seconds()) if since else 0.0
