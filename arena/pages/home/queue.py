"""Show the queue: running and waiting matches, the workers, and problems that stop the queue."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.timezone import now
from django.utils.translation import gettext

from arena.analysis.queries.metrics import fetch_analysis_figures
from arena.matches.capabilities import best_capabilities, unplayable_matches
from arena.matches.models import WorkerStatus
from arena.matches.queries.queue import (
    count_queued_matches,
    list_live_workers,
    list_queued_matches,
    list_queued_matches_of_owner,
    list_running_matches,
    list_waiting_shares,
)
from arena.matches.waiting import MATCHES_TIMED, Waiting, places_in_queue
from arena.messages import read_message
from arena.pages.matches.results import Row, list_rows
from arena.pages.polling import HtmxRequest
from arena.pages.reader import reader_of
from arena.runner.sandbox.levels import LEVELS, LEVELS_FOR_ALL_AUTHORS

QUEUED_MATCHES_SHOWN = 20
OWN_MATCHES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as its panel shows it."""

    status: WorkerStatus
    waiting_share: float | None
    """The part of the time of its latest matches in which their bots used no processor; None without any."""

    @property
    def level_description(self) -> str:
        """Return the meaning of its level of isolation."""
        return gettext(LEVELS[self.status.level]) if self.status.level in LEVELS else ""

    @property
    def is_for_all(self) -> bool:
        """Return whether its sandbox is good enough for bots of all authors."""
        return self.status.level in LEVELS_FOR_ALL_AUTHORS

    @property
    def layers(self) -> list[dict[str, Any]]:
        """The layers of its sandbox with their test results."""
        layers = self.status.report.get("layers", [])
        return [layer | {"what": read_message(layer["what"])} for layer in layers]

    @property
    def open_layers(self) -> list[dict[str, Any]]:
        """The layers that do not hold."""
        return [layer for layer in self.layers if not layer["holds"]]

    @property
    def languages(self) -> list[dict[str, Any]]:
        """The languages it has tested."""
        languages: list[dict[str, Any]] = self.status.report.get("languages", [])
        return languages

    @property
    def missing(self) -> list[dict[str, Any]]:
        """The languages that it does not run."""
        missing = (language for language in self.languages if language["version"] is None)
        return [language | {"advice": read_message(language["advice"])} for language in missing]

    @property
    def fingerprint(self) -> int:
        """A checksum of the tables. An opened table is not replaced while this stays the same."""
        return zlib.crc32(json.dumps([self.status.report.get("layers"), self.languages]).encode())


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A queued match as the author of one of its bots sees it."""

    row: Row
    waiting: Waiting

    @property
    def begins_at(self) -> datetime | None:
        """The estimated start, or None where unknown."""
        return None if self.waiting.seconds is None else now() + timedelta(seconds=self.waiting.seconds)


def show_queue(request: HtmxRequest) -> HttpResponse:
    """Show the queue, or its live part."""
    workers = list(list_live_workers())
    working = [worker for worker in workers if worker.level]
    able = [worker for worker in working if worker.is_able]
    shares = list_waiting_shares(MATCHES_TIMED)
    capabilities = best_capabilities(able)
    reader = reader_of(request)
    running, waiting = (
        list(list_running_matches(reader, QUEUED_MATCHES_SHOWN)),
        list_queued_matches(reader, QUEUED_MATCHES_SHOWN),
    )
    own = list(list_queued_matches_of_owner(reader, OWN_MATCHES_SHOWN)) if reader else []
    rows = iter(list_rows([*running, *own, *waiting]))
    context = {
        "running": list(islice(rows, len(running))),
        "own": list_own_rows(list(islice(rows, len(own)))),
        "waiting": list(rows),
        "waiting_count": count_queued_matches(),
        "analyses": fetch_analysis_figures(),
        "workers": [Worker(worker, shares.get(worker.worker)) for worker in workers],
        "is_blocked": bool(workers) and not working,
        "is_drained": bool(working) and not able,
        "has_open_channel": bool(capabilities) and not any(one.is_for_rated for one in capabilities),
        "is_for_some": bool(able) and not any(worker.level in LEVELS_FOR_ALL_AUTHORS for worker in able),
        "stuck_count": unplayable_matches(capabilities).count(),
        "hint": next((worker.hint for worker in workers if worker.hint), None),
    }
    template = "home/_queue.html" if request.htmx else "home/queue.html"
    return render(request, template, context)


def list_own_rows(rows: Sequence[Row]) -> list[OwnRow]:
    """Return the rows with their places in the queue."""
    places = places_in_queue([row.match for row in rows])
    return [OwnRow(row, places[row.match.pk]) for row in rows]
