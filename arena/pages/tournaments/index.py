"""All tournaments: those that run first, then those that can be entered, then those that are over."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy

from arena.pages.appearance import TOURNAMENT_STATES, Appearance
from arena.pages.tournaments.words import format_name, list_names
from arena.tournaments.models import Tournament
from arena.tournaments.queries.tournaments import list_tournaments_by_state
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
    """A tournament in the list."""

    tournament: Tournament
    chip: Appearance
    format: str
    winner: str


def index(request: HttpRequest) -> HttpResponse:
    """Show the list of tournaments."""
    way = request.GET.get("state", "")
    way = way if way in WAYS else ""
    found = list_tournaments_by_state(request.user, WAYS[way][1])
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": list(make_lines(page.object_list)),
        "way": way,
        "ways": {key: words for key, (words, _states) in WAYS.items()},
        "may_organise": request.user.has_perm(MAY_ORGANISE),
    }
    return render(request, "tournaments/index.html", context)


def make_lines(tournaments: Iterable[Tournament]) -> Iterable[Line]:
    """Return tournaments as rows of the list."""
    for one in tournaments:
        names = [entrant.bot.name for entrant in one.winners]
        yield Line(one, TOURNAMENT_STATES[State(one.state)], format_name(one.settings["format"]), list_names(names))
