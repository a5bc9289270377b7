"""The front page, and the checks of health and readiness."""

from dataclasses import dataclass

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from arena.ladders.models import Entry, Ladder
from arena.ladders.queries.ladders import list_main_ladders
from arena.ladders.queries.standings import list_standings
from arena.matches.models import Match
from arena.matches.queries.recent import list_newest_matches, list_newest_results
from arena.pages.matches.results import list_rows
from arena.pages.reader import reader_of
from arena.pages.tournaments.index import list_current_lines
from arena.pages.watch.stories import list_front_page_stories
from arena.pages.watch.views import build_watch_context
from arena.readiness import readiness

LEADERS_SHOWN_PER_LADDER = 3
FINISHED_MATCHES_SHOWN = 6
RUNNING_MATCHES_SHOWN = 4
TOURNAMENTS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class LadderTop:
    """A ladder and its best entries."""

    ladder: Ladder
    entries: list[Entry]


def show_front_page(request: HttpRequest) -> HttpResponse:
    """Show the front page."""
    reader = reader_of(request)
    tops = [
        LadderTop(ladder, list(list_standings(ladder)[:LEADERS_SHOWN_PER_LADDER])) for ladder in list_main_ladders()
    ]
    day, stories = list_front_page_stories()
    running = list(list_newest_matches(reader, Match.State.RUNNING, RUNNING_MATCHES_SHOWN))
    rows = list_rows([*running, *list_newest_results(reader, FINISHED_MATCHES_SHOWN)])
    context = {
        **build_watch_context(),
        "tops": tops,
        "day": day,
        "tournaments": list_current_lines(request.user, TOURNAMENTS_SHOWN),
        "stories": stories,
        "running": rows[: len(running)],
        "rows": rows[len(running) :],
    }
    return render(request, "home/front.html", context)


@never_cache
def report_health(request: HttpRequest) -> JsonResponse:
    """Report whether pages can be served: whether the database answers. Workers have their own check."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok"})


@never_cache
def report_readiness(request: HttpRequest) -> JsonResponse:
    """Report whether all is there that pages and matches need; which part isn't, why, and since when."""
    problems = readiness.look()
    parts = {
        part: {"ok": False, "reason": problems[part].reason, "since": problems[part].since}
        if part in problems
        else {"ok": True}
        for part in readiness.parts
    }
    status = {"status": "not ready" if problems else "ok", "parts": parts}
    return JsonResponse(status, status=503 if problems else 200)
