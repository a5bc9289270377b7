"""All tournaments: those that run first, then those that can be entered, then those that are over."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Case, Count, IntegerField, Max, Prefetch, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy

from arena.pages.appearance import TOURNAMENT_STATES, Appearance
from arena.pages.tournaments.words import format_name, list_names
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.services.organising import MAY_ORGANISE

PAGE = 25
State = Tournament.State
GOING_ON = (State.RUNNING, State.CHECKING, State.PAUSED)
OVER = (State.FINISHED, State.CANCELLED)
WAYS: dict[str, tuple[Any, tuple[State, ...]]] = {
    "": (gettext_lazy("All"), ()),
    "running": (gettext_lazy("Running"), GOING_ON),
    "open": (gettext_lazy("Open for entries"), (State.OPEN,)),
    "over": (gettext_lazy("Over"), OVER),
}
"""Of choosing among them."""


@dataclass(frozen=True, slots=True)
class Line:
    tournament: Tournament
    chip: Appearance
    format: str
    winner: str


def index(request: HttpRequest) -> HttpResponse:
    way = request.GET.get("state", "")
    way = way if way in WAYS else ""
    found = list_tournaments(request.user, WAYS[way][1])
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": list(make_lines(page.object_list)),
        "way": way,
        "ways": {key: words for key, (words, _states) in WAYS.items()},
        "may_organise": request.user.has_perm(MAY_ORGANISE),
    }
    return render(request, "tournaments/index.html", context)


def list_tournaments(reader: Any, states: Iterable[State]) -> QuerySet[Tournament]:
    """Drafts are there for their organiser only."""
    visible = ~Q(state=State.DRAFT)
    if reader.is_authenticated:
        visible |= Q(organiser=reader)
    found = Tournament.objects.filter(visible)
    if states:
        found = found.filter(state__in=states)
    order = Case(
        When(state__in=GOING_ON, then=Value(0)),
        When(state=State.DRAFT, then=Value(1)),
        When(state=State.OPEN, then=Value(2)),
        default=Value(3),
        output_field=IntegerField(),
    )
    there = Q(entrants__state__in=[Entrant.State.CHECKING, Entrant.State.READY])
    winners = Entrant.objects.filter(place=1).select_related("bot").only("tournament", "bot__name", "bot__slug")
    return (
        found.annotate(entrants_count=Count("entrants", filter=there, distinct=True))
        .annotate(round_number=Max("rounds__number", filter=Q(rounds__is_latest_attempt=True)))
        .prefetch_related(Prefetch("entrants", winners, to_attr="winners"))
        .defer("description", "forecast")
        .order_by(order, "-pk")
    )


def make_lines(tournaments: Iterable[Tournament]) -> Iterable[Line]:
    for one in tournaments:
        names = [entrant.bot.name for entrant in one.winners]
        yield Line(one, TOURNAMENT_STATES[State(one.state)], format_name(one.settings["format"]), list_names(names))
