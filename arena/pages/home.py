"""The front page, the first steps, and a word for those who watch over the machine."""

from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from arena.ladders.models import Entry, Ladder
from arena.matches.models import Match
from arena.pages.results import list_rows, with_results
from arena.pages.versions import list_languages
from engine.registry import GAMES

TOP = 5
NEWEST = 6


@dataclass(frozen=True, slots=True)
class Top:
    """The best of a ladder."""

    ladder: Ladder
    entries: list[Entry]


def main_ladders() -> list[Ladder]:
    """The ladder of each game's first edition, in the season that runs."""
    firsts: dict[str, Ladder] = {}
    for ladder in sorted(Ladder.objects.open().defer("secret"), key=lambda one: one.place):
        firsts.setdefault(ladder.game, ladder)
    return [firsts[game] for game in GAMES if game in firsts]


def front(request: HttpRequest) -> HttpResponse:
    tops = [Top(ladder, list(Entry.objects.standing(ladder)[:TOP])) for ladder in main_ladders()]
    matches = with_results(Match.objects.filter(state=Match.State.FINISHED))[:NEWEST]
    return render(
        request,
        "home/front.html",
        {
            "tops": tops,
            "rows": list_rows(matches),
        },
    )


def start(request: HttpRequest) -> HttpResponse:
    context = {"ladders": main_ladders(), "debug": settings.DEBUG, "languages": list_languages()}
    return render(request, "home/start.html", context)


@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """Whether pages can be served: the database answers. Says nothing of workers; they have their own check."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok"})
