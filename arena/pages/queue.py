"""What runs, what waits, who plays it, and why nothing moves when nothing does."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.matches.models import Attempt, Match, WorkerStatus
from arena.pages.results import list_rows, with_results
from arena.runner.sandbox.levels import LEVELS, STRANGERS

FRESH = timedelta(minutes=1)
"""A worker that said nothing for longer is taken for gone."""
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Machine:
    """A worker as its panel shows it."""

    status: WorkerStatus

    @property
    def sentence(self) -> str:
        return LEVELS.get(self.status.level, "")

    @property
    def is_for_all(self) -> bool:
        return self.status.level in STRANGERS

    @property
    def layers(self) -> list[dict[str, Any]]:
        return self.status.report.get("layers", [])

    @property
    def open_layers(self) -> list[dict[str, Any]]:
        return [layer for layer in self.layers if not layer["holds"]]

    @property
    def languages(self) -> list[dict[str, Any]]:
        return self.status.report.get("languages", [])

    @property
    def missing(self) -> list[dict[str, Any]]:
        return [language for language in self.languages if language["version"] is None]

    @property
    def fingerprint(self) -> int:
        """Of what the tables show: while it is the same, a reader's opened table stays as it is."""
        return zlib.crc32(json.dumps([self.layers, self.missing]).encode())


def index(request: HttpRequest) -> HttpResponse:
    open_attempts = Prefetch("attempts", Attempt.objects.open(), to_attr="open_attempts")
    running = with_results(Match.objects.running()).prefetch_related(open_attempts)[:SHOWN]
    workers = list(WorkerStatus.objects.recent(FRESH))
    able = [worker for worker in workers if worker.level]
    context = {
        "running": list_rows(running),
        "waiting": list_rows(with_results(Match.objects.queued())[:SHOWN]),
        "waiting_count": Match.objects.queued().count(),
        "machines": [Machine(worker) for worker in workers],
        "is_blocked": bool(workers) and not able,
        "is_for_some": bool(able) and not any(worker.level in STRANGERS for worker in able),
        "stuck_count": count_stuck(able) if able else 0,
        "hint": next((worker.hint for worker in workers if worker.hint), ""),
    }
    template = "queue/_index.html" if request.htmx else "queue/index.html"
    return render(request, template, context)


def count_stuck(workers: Sequence[WorkerStatus]) -> int:
    """How many matches wait that none of these machines may play."""
    stuck = Match.objects.queued()
    for worker in workers:
        playable = Match.objects.queued().playable(worker.level, worker.languages)
        stuck = stuck.exclude(pk__in=playable.values("pk"))
    return stuck.count()
