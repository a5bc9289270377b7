"""The organiser's pages: create, edit and manage a tournament."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from arena import tasks
from arena.accounts.models import User
from arena.bots.queries.bots import find_typed_bot
from arena.errors import ArenaError
from arena.groups.queries.groups import find_organised_group
from arena.messages import render_message
from arena.pages.reader import signed_in_reader
from arena.pages.tournaments.entering import read_reason
from arena.pages.tournaments.forms import TournamentForm
from arena.pages.tournaments.reading import tournament_or_404
from arena.tournaments.models import Tournament
from arena.tournaments.services import admitting, entering, organising, seeding
from arena.tournaments.services.access import Access, EntryRule, Visibility
from arena.tournaments.services.organisers import NOT_AN_ORGANISER, is_organiser, may_organise
from arena.tournaments.services.organising import Plan, build_plan

State = Tournament.State
NOT_YOURS = gettext_lazy(
    "Only the organiser of this tournament may do this. If that is you, sign in with the account that created it."
)


def refuse(request: HttpRequest, sentence: object) -> HttpResponse:
    """Return a page with status 403 and a reason."""
    return render(request, "tournaments/organise_refused.html", {"sentence": sentence}, status=403)


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Create a tournament; with `copy` in the address, the form is filled in as another one was planned."""
    if not may_organise(request.user):
        return refuse(request, _(NOT_AN_ORGANISER))
    organiser = signed_in_reader(request)
    form = TournamentForm(organiser, suggest_plan(request, organiser), request.POST or None)
    return process_form(request, form, {}, lambda: organising.create(organiser=organiser, plan=form.build_plan()))


def suggest_plan(request: HttpRequest, organiser: User) -> Plan | None:
    """Return the plan that a new tournament's form begins with: a copy, one for a group, or none."""
    if slug := request.GET.get("copy", ""):
        copied = tournament_or_404(request, slug)
        plan = replace(build_plan(copied), entries_close_at=None)
        return plan if is_organiser(copied, organiser) else replace(plan, access=Access())
    if group := find_organised_group(organiser, request.GET.get("group", "")):
        return Plan(title="", game="", edition="", access=Access(group, Visibility.GROUP, EntryRule.GROUP))
    return None


@login_required
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the plan of a tournament that has not started."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse(request, NOT_YOURS)
    form = TournamentForm(signed_in_reader(request), build_plan(tournament), request.POST or None)

    def save() -> Tournament:
        organiser, plan, reason = signed_in_reader(request), form.build_plan(), read_reason(request)
        return organising.edit(tournament=tournament, organiser=organiser, plan=plan, reason=reason)

    context = {"tournament": tournament, "is_recorded": tournament.state != State.DRAFT, "reason": read_reason(request)}
    return process_form(request, form, context, save)


def process_form(
    request: HttpRequest, form: TournamentForm, context: dict[str, Any], save: Callable[[], Tournament]
) -> HttpResponse:
    """Show the form, or save its data and return to the organiser's page."""
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                saved = save()
                tasks.play_tournament.delay_on_commit(saved.pk)
        except ArenaError as error:
            form.add_refusal(error)
        else:
            messages.success(request, _("The tournament has been saved."))
            return redirect("organise_tournament", saved.slug)
    return render(request, "tournaments/form.html", {**context, "form": form}, status=400 if form.errors else 200)


Action = Callable[..., str]
"""A function that changes a tournament and returns a message. It may raise ArenaError."""


def organiser_action(act: Action) -> Callable[..., HttpResponse]:
    """Make a view of an action: only the organiser may call it, and its message is shown on the organiser's page."""

    @require_POST
    @login_required
    @wraps(act)
    def view(request: HttpRequest, slug: str, **more: Any) -> HttpResponse:
        tournament = tournament_or_404(request, slug)
        if not is_organiser(tournament, request.user):
            return refuse(request, NOT_YOURS)
        try:
            with transaction.atomic():
                done = act(request, tournament, **more)
                tasks.play_tournament.delay_on_commit(tournament.pk)
        except ArenaError as error:
            messages.error(request, render_message(error.message))
        else:
            messages.success(request, done)
        return redirect("organise_tournament", slug)

    return view


@organiser_action
def open_entries(request: HttpRequest, tournament: Tournament) -> str:
    """Open a draft for entries."""
    organising.open_entries(tournament=tournament, organiser=signed_in_reader(request))
    return _("Entries are open.")


@organiser_action
def close_entries(request: HttpRequest, tournament: Tournament) -> str:
    """Close the entries."""
    organising.close_entries(tournament=tournament, organiser=signed_in_reader(request))
    return _("Entries are closed. The tournament starts once all checks are over.")


@organiser_action
def pause(request: HttpRequest, tournament: Tournament) -> str:
    """Pause a tournament."""
    organising.pause(tournament=tournament, organiser=signed_in_reader(request), reason=read_reason(request))
    return _("The tournament is paused. Matches that are being played are finished.")


@organiser_action
def resume(request: HttpRequest, tournament: Tournament) -> str:
    """Resume a paused tournament."""
    organising.resume(tournament=tournament, organiser=signed_in_reader(request))
    return _("The tournament is resumed.")


@organiser_action
def cancel(request: HttpRequest, tournament: Tournament) -> str:
    """Cancel a tournament."""
    organising.cancel(tournament=tournament, organiser=signed_in_reader(request), reason=read_reason(request))
    return _("The tournament is cancelled.")


@organiser_action
def replay(request: HttpRequest, tournament: Tournament, number: int) -> str:
    """Replay a tournament from a round on."""
    organiser, reason = signed_in_reader(request), read_reason(request)
    organising.replay_rounds(tournament=tournament, organiser=organiser, number=number, reason=reason)
    return _("Round %(number)s is replayed.") % {"number": number}


@organiser_action
def enter_bot(request: HttpRequest, tournament: Tournament) -> str:
    """Enter a bot for its owner."""
    typed = request.POST.get("bot", "").replace("\0", "").strip()
    bot = find_typed_bot(request.user, tournament.game, typed)
    if bot is None:
        raise ArenaError(_("There is no bot called “%(name)s” that plays this game.") % {"name": typed})
    entrant = entering.enter(tournament=tournament, bot=bot, user=signed_in_reader(request))
    return _("%(version)s has been entered.") % {"version": entrant.version}


@organiser_action
def approve(request: HttpRequest, tournament: Tournament, pk: int) -> str:
    """Approve an entry that waits for it."""
    entrant = get_object_or_404(tournament.entrants.select_related("bot__owner", "tournament"), pk=pk)
    admitting.approve_entry(entrant=entrant, organiser=signed_in_reader(request))
    return _("%(name)s has been approved and plays its check now.") % {"name": entrant.bot.name}


@organiser_action
def renew_code(request: HttpRequest, tournament: Tournament) -> str:
    """Give the tournament a new code."""
    admitting.renew_entry_code(tournament=tournament, organiser=signed_in_reader(request))
    return _("There is a new code. The old one can't be used any more.")


@organiser_action
def publish(request: HttpRequest, tournament: Tournament) -> str:
    """Let everybody see the tournament."""
    admitting.publish(tournament=tournament, organiser=signed_in_reader(request))
    return _("The tournament is published: everybody sees it.")


@organiser_action
def set_seeds(request: HttpRequest, tournament: Tournament) -> str:
    """Store the seeds that were typed; an empty field leaves a bot to its strength. Without fields, all of them."""
    given = {pk: request.POST.get(f"seed-{pk}", "").strip() for pk in tournament.entrants.values_list("pk", flat=True)}
    if not all(text.isdecimal() for text in given.values() if text):
        raise ArenaError(_("Seeds are whole numbers from 1."))
    seeds = {pk: int(text[:9]) if text else None for pk, text in given.items()}
    seeding.set_seeds(tournament=tournament, organiser=signed_in_reader(request), seeds=seeds)
    return _("The seeds have been saved.") if any(seeds.values()) else _("Bots are seeded by their strength.")


@organiser_action
def take_seeds(request: HttpRequest, tournament: Tournament) -> str:
    """Seed bots by their places in another tournament."""
    source = request.POST.get("source", "")
    count = seeding.take_seeds(tournament=tournament, organiser=signed_in_reader(request), source=source)
    return ngettext("%(count)s bot has been seeded.", "%(count)s bots have been seeded.", count) % {"count": count}


@organiser_action
def disqualify(request: HttpRequest, tournament: Tournament, pk: int) -> str:
    """Disqualify an entrant."""
    entrant = get_object_or_404(tournament.entrants.select_related("bot__owner", "tournament"), pk=pk)
    entering.disqualify(entrant=entrant, organiser=signed_in_reader(request), reason=read_reason(request))
    return _("%(name)s has been disqualified.") % {"name": entrant.bot.name}


@require_POST
@login_required
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a draft, or a cancelled tournament."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse(request, NOT_YOURS)
    try:
        organising.delete_tournament(tournament=tournament, organiser=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return redirect("organise_tournament", slug)
    messages.success(request, _("The tournament has been deleted."))
    return redirect("tournaments")
