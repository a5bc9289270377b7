"""The page on which authors enter and withdraw their bots."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.timezone import now
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena import tasks
from arena.accounts.models import User
from arena.client_address import find_client_network
from arena.errors import ArenaError
from arena.messages import render_message
from arena.pages.appearance import ENTRANT_STATES, Appearance
from arena.pages.polling import HtmxRequest, reload_if_changed
from arena.pages.reader import signed_in_reader
from arena.pages.real_names import RealNames, fetch_shown_names, list_authors
from arena.pages.tournaments.forms import EntryCodeForm, EntryForm
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.words import describe_audience, render_reason
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.queries.tournaments import list_entrants_by_seed
from arena.tournaments.services.access import is_permitted, permit_by_code
from arena.tournaments.services.entering import enter, withdraw
from arena.tournaments.services.organisers import is_organiser

MAX_REASON_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant as a reader sees it."""

    entrant: Entrant
    chip: Appearance
    reason: str
    is_own: bool


def read_lines(tournament: Tournament, reader: User) -> list[Line]:
    """Return all entrants as lines, by seed once they have one."""
    sees_all = is_organiser(tournament, reader)
    return [_build_line(one, reader, sees_all) for one in list_entrants_by_seed(tournament)]


def _build_line(entrant: Entrant, reader: User, sees_all: bool) -> Line:
    """Return an entrant as a line; only its owner and the organiser see the fault in its check."""
    is_own = entrant.bot.has_author(reader)
    detail = render_message(entrant.state_detail) if entrant.state_detail and (is_own or sees_all) else ""
    reason = f"{render_reason(entrant.state_reason)} {detail}".strip()
    return Line(entrant, ENTRANT_STATES[Entrant.State(entrant.state)], reason, is_own)


def list_who_is_who(tournament: Tournament, names: RealNames) -> list[tuple[str, Entrant]]:
    """Return the entrants with the real names of their authors that the reader may see, by name."""
    entrants = list_entrants_by_seed(tournament) if names else []
    known = ((", ".join(one.real_name for one in list_authors(e.bot, names) if one.real_name), e) for e in entrants)
    return sorted((line for line in known if line[0]), key=lambda line: line[0].casefold())


def takes_entries(tournament: Tournament) -> bool:
    """Return whether bots can be entered now."""
    is_over = tournament.entries_close_at is not None and tournament.entries_close_at <= now()
    return tournament.state == Tournament.State.OPEN and not is_over


@login_required
def enter_own(request: HtmxRequest, slug: str) -> HttpResponse:
    """Enter a bot of the reader, and show the entrants; a poll loads the page again when entries open or close."""
    reader, tournament = signed_in_reader(request), tournament_or_404(request, slug)
    if request.htmx:
        return reload_if_changed(request, tournament.state) or HttpResponse(status=204)
    form = EntryForm(reader, tournament, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            entrant = enter_chosen(reader, tournament, form)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            messages.success(request, describe_entry(entrant))
            return redirect("enter_tournament", slug)
    lines = read_lines(tournament, reader)
    context = {
        "tournament": tournament,
        "form": form,
        "takes_entries": takes_entries(tournament),
        "access": describe_access(tournament, reader),
        "code_form": EntryCodeForm(initial={"code": request.GET.get("code", "")}),
        "own": [line for line in lines if line.is_own],
        "others": [line for line in lines if not line.is_own],
        "there": count_entrants(lines),
        "is_organiser": is_organiser(tournament, request.user),
        "real_names": fetch_shown_names(request, tournament.group_id),
    }
    return render(request, "tournaments/enter.html", context, status=400 if form.errors else 200)


def describe_access(tournament: Tournament, reader: User) -> dict[str, Any]:
    """Return whether the reader may enter bots here, whether a code is missing, and what the rule is."""
    may_enter = is_organiser(tournament, reader) or is_permitted(tournament, reader)
    needs_code = not may_enter and tournament.entry_rule == Tournament.EntryRule.CODE
    return {"may_enter": may_enter, "needs_code": needs_code, "sentences": describe_audience(tournament)}


def describe_entry(entrant: Entrant) -> str:
    """Return what has become of a bot that was entered."""
    if entrant.state == Entrant.State.WAITING:
        return _("%(version)s has been entered. It waits until an organiser approves it.") % {
            "version": entrant.version
        }
    return _("%(version)s has been entered.") % {"version": entrant.version}


@require_POST
@login_required
def type_code(request: HttpRequest, slug: str) -> HttpResponse:
    """Let the reader enter bots if the code is right."""
    tournament, form = tournament_or_404(request, slug), EntryCodeForm(request.POST)
    try:
        if not form.is_valid():
            raise ArenaError(_("Type the code of the tournament."))
        permit_by_code(
            tournament=tournament,
            user=signed_in_reader(request),
            typed=form.cleaned_data["code"],
            address=find_client_network(request),
        )
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("The code is right: you can enter bots now."))
    return redirect("enter_tournament", slug)


@transaction.atomic
def enter_chosen(user: User, tournament: Tournament, form: EntryForm) -> Entrant:
    """Enter the bot chosen in the form. Raise ArenaError."""
    bot, version = form.find_choice()
    entrant = enter(tournament=tournament, bot=bot, user=user, version=version)
    tasks.play_tournament.delay_on_commit(tournament.pk)
    return entrant


def count_entrants(lines: Sequence[Line]) -> int:
    """Count the entrants that take part."""
    return sum(not line.entrant.is_out for line in lines)


@require_POST
@login_required
def withdraw_one(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw a bot, as its owner or the organiser, and return to the page with the button."""
    tournament = tournament_or_404(request, slug)
    entrant = get_object_or_404(tournament.entrants.select_related("bot__owner", "tournament"), pk=pk)
    if not entrant.bot.has_author(request.user) and not is_organiser(tournament, request.user):
        raise PermissionDenied
    try:
        with transaction.atomic():
            withdraw(entrant=entrant, user=signed_in_reader(request), reason=read_reason(request))
            tasks.play_tournament.delay_on_commit(tournament.pk)
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("%(name)s has been withdrawn.") % {"name": entrant.bot.name})
    back = "organise_tournament" if is_organiser(tournament, request.user) else "enter_tournament"
    return redirect(back, slug)


def read_reason(request: HttpRequest) -> str:
    """Return the reason in the request as a single line."""
    words = request.POST.get("reason", "").replace("\0", "").split()
    return " ".join(words)[:MAX_REASON_LENGTH]
