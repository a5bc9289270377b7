"""The list of all tournaments."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy

from arena.accounts.models import User
from arena.pages.appearance import TOURNAMENT_STATES, Appearance
from arena.pages.tournaments.words import format_name, list_names
from arena.tournaments.models import Tournament
from arena.tournaments.queries.tournaments import list_current_tournaments, list_tournaments_by_state
from arena.tournaments.services.organisers import may_organise

TOURNAMENTS_PER_PAGE = 25
State = Tournament.State
ACTIVE_STATES = (State.RUNNING, State.CHECKING, State.PAUSED)
FINAL_STATES = (State.FINISHED, State.CANCELLED)
STATE_FILTERS: dict[str, tuple[Any, tuple[State, ...]]] = {
    "": (gettext_lazy("All"), ()),
    "running": (gettext_lazy("Running"), ACTIVE_STATES),
    "open": (gettext_lazy("Open for entries"), (State.OPEN,)),
    "over": (gettext_lazy("Over"), FINAL_STATES),
}
"""The filters of the list: label and states."""


@dataclass(frozen=True, slots=True)
class Line:
    """A tournament in the list."""

    tournament: Tournament
    chip: Appearance
    format: str
    winner: str


def index(request: HttpRequest) -> HttpResponse:
    """Show the list of tournaments."""
    chosen = request.GET.get("state", "")
    chosen = chosen if chosen in STATE_FILTERS else ""
    found = list_tournaments_by_state(request.user, STATE_FILTERS[chosen][1])
    page = Paginator(found, TOURNAMENTS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": list(make_lines(page.object_list)),
        "chosen": chosen,
        "filters": {key: label for key, (label, _states) in STATE_FILTERS.items()},
        "may_organise": may_organise(request.user),
    }
    return render(request, "tournaments/index.html", context)


def make_lines(tournaments: Iterable[Tournament]) -> Iterable[Line]:
    """Return tournaments as rows of the list."""
    for one in tournaments:
        names = [entrant.bot.name for entrant in one.winners]
        yield Line(one, TOURNAMENT_STATES[State(one.state)], format_name(one.settings["format"]), list_names(names))


def list_current_lines(reader: User | AnonymousUser, limit: int, **whose: Any) -> list[Line]:
    """Return the tournaments that go on or take entries, as rows; `whose` as in `list_current_tournaments`."""
    return list(make_lines(list_current_tournaments(reader, **whose)[:limit]))
