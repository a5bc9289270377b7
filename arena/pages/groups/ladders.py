"""The ladders of a group: standings, the grid of who met whom, matches, and what organisers and authors do there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena.bots.models import Bot
from arena.bots.queries.bots import find_visible_bot
from arena.errors import ArenaError
from arena.groups.models import Group
from arena.ladders.models import Entry, Ladder
from arena.ladders.queries.group_ladders import (
    count_open_matches,
    fetch_pair_results,
    list_bots_to_enter,
    list_newest_matches,
    list_public_bots_on,
)
from arena.ladders.queries.ladders import find_open_ladder, list_ladders_of_group, list_seasons
from arena.ladders.queries.standings import list_standings
from arena.ladders.services import group_ladders
from arena.messages import render_message
from arena.pages.choices import get_choice_field
from arena.pages.groups.reading import Visit, group_page, organisers_page
from arena.pages.ladders.detail import render_explanation, render_standings
from arena.pages.matches.results import list_rows
from arena.pages.tournaments.forms import list_editions
from arena.pages.tournaments.words import format_points

MATCHES_SHOWN = 15
MAX_BOTS_IN_GRID = 16
"""The best bots, which fit on a screen side by side."""


class OpenLadderForm(forms.Form):
    """A ladder to be opened."""

    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    with_samples = forms.BooleanField(
        label=gettext_lazy("With the sample bots"), label_suffix="", required=False, initial=True
    )

    def __init__(self, group: Group, data: Any = None, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial)
        running = {f"{one.game}/{one.edition}" for one in list_ladders_of_group(group) if one.closed_at is None}
        get_choice_field(self, "edition").choices = [one for one in list_editions() if one[0] not in running]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one bot scored against another in rated matches."""

    points: str
    matches: int


@dataclass(frozen=True, slots=True)
class GridRow:
    """A bot of the grid, and its results against the others in their order; None against itself."""

    place: int
    entry: Entry
    cells: list[Cell | None]


@organisers_page
def open_ladder(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Open a ladder of an edition, or the next season of one."""
    initial = {"edition": request.GET.get("edition", ""), "with_samples": True}
    form = OpenLadderForm(visit.group, request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        game, _slash, edition = form.cleaned_data["edition"].partition("/")
        with_samples = form.cleaned_data["with_samples"]
        try:
            ladder = group_ladders.open_group_ladder(
                group=visit.group, by=visit.reader, game=game, edition=edition, with_samples=with_samples
            )
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            messages.success(request, _("The ladder is open. Its first matches are played within a minute."))
            return redirect(ladder)
    context = {"group": visit.group, "form": form}
    return render(request, "groups/open_ladder.html", context, status=400 if form.errors else 200)


@group_page
def show_ladder(request: HttpRequest, visit: Visit, game: str, edition: str) -> HttpResponseBase:
    """Show the running season of a group's ladder; where none runs, the last one."""
    ladder = ladder_or_404(visit, game, edition)
    return redirect(ladder) if ladder.closed_at is not None else render_ladder(request, visit, ladder)


@group_page
def show_season(request: HttpRequest, visit: Visit, game: str, edition: str, number: int) -> HttpResponseBase:
    """Show the final standings of a finished season of a group's ladder."""
    ladder = list_seasons(game, edition, visit.group).filter(season=number).first()
    if ladder is None:
        raise Http404(_("There is no such ladder."))
    return redirect(ladder) if ladder.closed_at is None else render_ladder(request, visit, ladder)


@group_page
def explain(request: HttpRequest, visit: Visit, game: str, edition: str) -> HttpResponse:
    """Explain how ratings are computed, with two bots of a group's ladder as an example."""
    return render_explanation(request, ladder_or_404(visit, game, edition))


@require_POST
@organisers_page
def organise(request: HttpRequest, visit: Visit, game: str, edition: str) -> HttpResponse:
    """Pause or resume a group's ladder, or end its season."""
    ladder = ladder_or_404(visit, game, edition)
    acts: dict[str, tuple[Callable[..., Any], str]] = {
        "pause": (group_ladders.pause_group_ladder, _("The ladder is paused.")),
        "resume": (group_ladders.resume_group_ladder, _("The ladder goes on.")),
        "end": (group_ladders.end_group_season, _("The season is over.")),
    }
    if request.POST.get("act") not in acts:
        raise Http404
    act, done = acts[request.POST["act"]]
    return carry_out(request, ladder, partial(act, ladder=ladder, by=visit.reader), done)


@require_POST
@group_page
def change_bots(request: HttpRequest, visit: Visit, game: str, edition: str) -> HttpResponse:
    """Let a bot of the reader play on a group's ladder, or take it off."""
    ladder = ladder_or_404(visit, game, edition)
    bot = find_visible_bot(visit.reader, request.POST.get("bot", ""))
    if bot is None:
        raise Http404
    acts: dict[str, tuple[Callable[..., Any], str]] = {
        "enter": (group_ladders.enter_group_ladder, _("%(name)s plays on this ladder now.")),
        "leave": (group_ladders.leave_group_ladder, _("%(name)s plays on this ladder no more.")),
    }
    if request.POST.get("act") not in acts:
        raise Http404
    act, done = acts[request.POST["act"]]
    return carry_out(request, ladder, partial(act, ladder=ladder, bot=bot, by=visit.reader), done % {"name": bot.name})


def carry_out(request: HttpRequest, ladder: Ladder, act: Callable[[], Any], done: str) -> HttpResponse:
    """Do something to a ladder, say how it went, and return to its page."""
    try:
        act()
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, done)
    return redirect(ladder.edition_url)


def ladder_or_404(visit: Visit, game: str, edition: str) -> Ladder:
    """Return the running season of a group's ladder, or the last one where none runs. Raise Http404."""
    ladder = find_open_ladder(game, edition, visit.group)
    ladder = ladder or list_seasons(game, edition, visit.group).order_by("season").last()
    if ladder is None:
        raise Http404(_("There is no such ladder."))
    return ladder


def render_ladder(request: HttpRequest, visit: Visit, ladder: Ladder) -> HttpResponseBase:
    """Show the standings of a season with what the group sees besides."""
    latest = list_ladders_of_group(visit.group)
    is_latest = any(one.pk == ladder.pk for one in latest)
    is_running = ladder.closed_at is None
    context = {
        "group": visit.group,
        "own": visit.own,
        "is_latest": is_latest,
        "season_address": request.build_absolute_uri(f"{ladder.edition_url}seasons/{ladder.season}/"),
        "grid": build_grid(list(list_standings(ladder)[:MAX_BOTS_IN_GRID])),
        "max_bots_in_grid": MAX_BOTS_IN_GRID,
        "match_rows": list_rows(list_newest_matches(ladder, MATCHES_SHOWN)),
        "open_matches": count_open_matches(ladder),
        "free_bots": list(list_bots_to_enter(ladder, visit.reader)) if is_running else [],
        "public_bots": list_entered_bots(visit, ladder) if is_running else [],
    }
    seasons = list_seasons(ladder.game, ladder.edition, visit.group).exclude(pk__in=[one.pk for one in latest])
    return render_standings(request, ladder, [*latest, *seasons], template="groups/ladder.html", more=context)


def list_entered_bots(visit: Visit, ladder: Ladder) -> list[Bot]:
    """List the public bots on a ladder that the reader may take off: all of them as an organiser, else one's own."""
    return list(list_public_bots_on(ladder, None if visit.own.is_organiser else visit.reader))


def build_grid(entries: Sequence[Entry]) -> list[GridRow]:
    """Return the results of these entries against each other, in their order; nothing where none has played."""
    results = fetch_pair_results([entry.pk for entry in entries])
    if not results:
        return []

    def build_cell(one: Entry, other: Entry) -> Cell | None:
        if one.pk == other.pk:
            return None
        points, matches = results.get((one.pk, other.pk), (0.0, 0))
        return Cell(format_points(points), matches)

    return [
        GridRow(place, one, [build_cell(one, other) for other in entries]) for place, one in enumerate(entries, start=1)
    ]
