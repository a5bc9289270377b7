"""The front page, and a word for those who watch over the machine."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import localdate, now
from django.views.decorators.cache import never_cache

from arena.baked import baked
from arena.ladders.models import Entry, Ladder
from arena.matches.models import Leg, Match
from arena.pages.appearance import FAULTS
from arena.pages.matches.opened import ask_finished
from arena.pages.matches.replay import PUBLIC, play_back
from arena.pages.matches.results import Row, list_rows, read_row
from engine.registry import GAMES

TOP = 5
NEWEST = 6
RUNNING = 4
RECENT = timedelta(days=1)
"""Old enough for the replay of the day, where there are younger ones."""
BEFORE_THE_END = 1
"""So many steps before the last one the replay of the day is pictured: nobody has won yet."""
KEPT_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class Top:
    """The best of a ladder."""

    ladder: Ladder
    entries: list[Entry]


def main_ladders() -> list[Ladder]:
    """The ladder of each game's first edition, in the season that runs."""
    firsts: dict[str, Ladder] = {}
    for ladder in sorted(ask_ladders(), key=lambda one: one.place):
        firsts.setdefault(ladder.game, ladder)
    return [firsts[game] for game in GAMES if game in firsts]


@baked
def ask_ladders() -> QuerySet[Ladder]:
    return Ladder.objects.open().defer("secret")


@baked
def ask_top(ladder: int, idle_before: datetime) -> QuerySet[Entry]:
    placed = Entry.objects.placed(ladder, idle_before).select_related("version__bot__owner")
    return placed.defer("version__build_log")[:TOP]


@baked
def ask_newest(*, state: str, size: int) -> QuerySet[Match]:
    return Match.objects.filter(state=state).order_by("-pk").lean()[:size]


def front(request: HttpRequest) -> HttpResponse:
    tops = [Top(ladder, ask_top(ladder.pk, ladder.idle_before)) for ladder in main_ladders()]
    context = {
        "tops": tops,
        "running": list_rows(ask_newest(state=Match.State.RUNNING, size=RUNNING)),
        "rows": list_rows(ask_newest(state=Match.State.FINISHED, size=NEWEST)),
        "shown": find_replay(tops),
    }
    return render(request, "home/front.html", context)


@dataclass(frozen=True, slots=True)
class Shown:
    """The replay of the day."""

    row: Row
    leg: int
    turn: int
    """The one that is pictured."""
    last: int

    @property
    def url(self) -> str:
        """The replay, from its first turn."""
        return f"{self.row.match.get_absolute_url()}?leg={self.leg}"

    @property
    def picture_url(self) -> str:
        return f"{reverse('snapshot', args=[self.row.match.pk, self.turn])}?leg={self.leg}"


def find_replay(tops: Iterable[Top]) -> Shown | None:
    """The replay of the day: of the last rated matches of the best of each game, the leg that was decided latest.

    Chosen once a day, as soon as there is one.
    """
    key = f"replay-of-{localdate()}"
    chosen = cache.get(key)
    if chosen is None:
        chosen = choose_replay(tops)
        if chosen is None:
            return None
        cache.set(key, chosen, KEPT_S)
    match, leg, last = chosen
    found = ask_finished(match)
    return Shown(read_row(found[0]), leg, max(last - BEFORE_THE_END, 0), last) if found else None


def choose_replay(tops: Iterable[Top]) -> tuple[int, int, int] | None:
    """Match, number of the leg, and its last step."""
    matches = [entry.last_match_id for top in tops for entry in top.entries]
    legs = Leg.objects.filter(match__in=matches, match__state=Match.State.FINISHED).exclude(record=None)
    recent = legs.filter(match__finished_at__gte=now() - RECENT)
    of_play = (recent if recent.exists() else legs).exclude(seats__verdict__in=FAULTS)
    leg = of_play.order_by("-decisions", "-pk").first()
    return (leg.match_id, leg.number, play_back(leg.record_data, PUBLIC).last) if leg else None


@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """Whether pages can be served: the database answers. Says nothing of workers; they have their own check."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok"})
