"""What runs, what waits, who plays it, and why nothing moves when nothing does."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.db.models import F, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import now

from arena.baked import baked
from arena.matches.capabilities import best_capabilities, unplayable_matches
from arena.matches.models import Attempt, Match, WorkerStatus
from arena.matches.waiting import Waiting, find_workers, places_in_queue
from arena.pages.matches.results import Row, list_rows
from arena.runner.sandbox.levels import LEVELS, STRANGERS

SHOWN = 20
OWN_SHOWN = 5


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


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A match that waits, as the author of one of its bots sees it."""

    row: Row
    waiting: Waiting

    @property
    def begins_at(self) -> datetime | None:
        """About when; None where nobody knows."""
        return None if self.waiting.seconds is None else now() + timedelta(seconds=self.waiting.seconds)


def index(request: HttpRequest) -> HttpResponse:
    workers = find_workers()
    able = [worker for worker in workers if worker.level]
    running, waiting = ask_running(), ask_queued()
    own = ask_own(request.user.pk) if request.user.is_authenticated else []
    rows = iter(list_rows([*running, *own, *waiting]))
    context = {
        "running": list(islice(rows, len(running))),
        "own": list_own(list(islice(rows, len(own)))),
        "waiting": list(rows),
        "waiting_count": Match.objects.queued().count(),
        "machines": [Machine(worker) for worker in workers],
        "is_blocked": bool(workers) and not able,
        "is_for_some": bool(able) and not any(worker.level in STRANGERS for worker in able),
        "stuck_count": unplayable_matches(best_capabilities(able)).count(),
        "hint": next((worker.hint for worker in workers if worker.hint), ""),
    }
    template = "queue/_index.html" if request.htmx else "queue/index.html"
    return render(request, template, context)


@baked
def ask_running() -> QuerySet[Match]:
    watched = Attempt.objects.open().annotate(leg=F("underway__leg")).defer("underway")
    open_attempts = Prefetch("attempts", watched, to_attr="open_attempts")
    return Match.objects.running().lean().prefetch_related(open_attempts)[:SHOWN]


@baked
def ask_queued() -> QuerySet[Match]:
    return Match.objects.queued().lean()[:SHOWN]


@baked
def ask_own(owner: int) -> QuerySet[Match]:
    return Match.objects.queued().with_player(version__bot__owner=owner).lean()[:OWN_SHOWN]


def list_own(rows: Sequence[Row]) -> list[OwnRow]:
    """Of the first matches in the queue in which the reader's bots play."""
    places = places_in_queue([row.match for row in rows])
    return [OwnRow(row, places[row.match.pk]) for row in rows]
