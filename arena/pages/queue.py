"""What runs, what waits, who plays it, and why nothing moves when nothing does."""

from datetime import timedelta

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import now

from arena.matches.models import Attempt, Match, WorkerStatus
from arena.pages.results import list_rows, with_results

FRESH = timedelta(minutes=1)
"""A worker that said nothing for longer is taken for gone."""
SHOWN = 20


def index(request: HttpRequest) -> HttpResponse:
    open_attempts = Prefetch("attempts", Attempt.objects.open(), to_attr="open_attempts")
    running = with_results(Match.objects.running()).prefetch_related(open_attempts)[:SHOWN]
    workers = list(WorkerStatus.objects.filter(seen_at__gte=now() - FRESH).order_by("worker"))
    context = {
        "running": list_rows(running),
        "waiting": list_rows(with_results(Match.objects.queued())[:SHOWN]),
        "waiting_count": Match.objects.queued().count(),
        "workers": workers,
        "is_blocked": bool(workers) and not any(worker.sandbox for worker in workers),
        "hint": next((worker.hint for worker in workers if worker.hint), ""),
    }
    template = "queue/_index.html" if request.htmx else "queue/index.html"
    return render(request, template, context)
