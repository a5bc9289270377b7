"""Figures of the arena for Prometheus, read from the database whenever they are asked for."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils.timezone import now
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from arena.analysis.queries.metrics import fetch_analysis_figures
from arena.ladders.queries.metrics import list_rating_lags
from arena.livegames.queries.metrics import fetch_live_figures
from arena.matches.queries.metrics import (
    count_ended_matches,
    count_unsuccessful_attempts,
    count_workers_by_level,
    fetch_latest_durations,
    fetch_waiting_by_kind,
)
from arena.matches.queries.queue import count_running_matches
from arena.runner.sandbox.levels import LEVELS

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
        yield _gauge("workers", "Workers that reported in the last minute.", "level", _count_workers())
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
    running = GaugeMetricFamily("pennant_matches_running", "Matches that are being played.")
    running.add_metric([], count_running_matches())
    yield running


def _collect_matches(since: datetime) -> Iterator[Metric]:
    ended = count_ended_matches(since)
    yield _gauge("matches_ended_last_hour", "Matches that ended in the last hour.", "state", ended)
    unsuccessful = count_unsuccessful_attempts(since)
    text = "Attempts to play a match that ended in the last hour without a result."
    yield _gauge("attempts_ended_last_hour", text, "ending", unsuccessful)
    durations = fetch_latest_durations(MATCHES_TIMED)
    text = f"Durations of the latest {MATCHES_TIMED} finished matches."
    quantiles = {str(share): durations[int(share * len(durations))] for share in QUANTILES if durations}
    yield _gauge("match_duration_seconds", text, "quantile", quantiles)


def _collect_ladders(at: datetime) -> Iterator[Metric]:
    labels = ["game", "edition"]
    unrated = GaugeMetricFamily("pennant_ladder_unrated_matches", "Finished matches not rated yet.", labels=labels)
    text = "Time since the oldest match that is not rated yet finished; 0: none."
    lag = GaugeMetricFamily("pennant_ladder_rating_lag_seconds", text, labels=labels)
    text = "Matches rated since all ratings were last computed from all results."
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
    yield _gauge("live_games", "Live games that are played, and those of them that wait for a bot.", "state", games)
    age = GaugeMetricFamily("pennant_live_oldest_wait_seconds", "Time since the longest wait for a bot began; 0: none.")
    age.add_metric([], _age(found.oldest, at))
    yield age


def _collect_analyses(at: datetime) -> Iterator[Metric]:
    found = fetch_analysis_figures()
    counts = {"waiting": found.waiting, "running": found.running}
    yield _gauge("analyses", "Analyses of legs that wait or are made.", "state", counts)
    text = "Time since the oldest analysis that is not done was requested; 0: none."
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
