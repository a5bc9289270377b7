"""The organiser's desk: making a tournament, and whatever can be done with it until its end."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena import tasks
from arena.bots.queries.bots import find_bot
from arena.errors import ArenaError
from arena.messages import render_message
from arena.pages.appearance import TOURNAMENT_STATES
from arena.pages.polling import HtmxRequest, render_live
from arena.pages.reader import signed_in_reader
from arena.pages.tournaments.entering import Line, count_there, read_lines, read_reason, takes_entries
from arena.pages.tournaments.forms import TournamentForm
from arena.pages.tournaments.reading import tournament_or_404
from arena.tournaments.models import Round, Tournament
from arena.tournaments.queries.tournaments import list_counted_rounds
from arena.tournaments.services import entering, organising
from arena.tournaments.services.forecasting import time_left
from arena.tournaments.services.organising import MAY_ORGANISE, is_organiser

State = Tournament.State
NEXT = {
    State.DRAFT: gettext_lazy("Only you see it. Once its settings are as you want them, open it for entries."),
    State.OPEN: gettext_lazy(
        "Bots enter, and each plays a check against itself at once. When entries close, versions are frozen, and it "
        "begins by itself as soon as all checks are over."
    ),
    State.CHECKING: gettext_lazy(
        "Nobody enters any more. It begins by itself as soon as all checks are over; bots that have failed don't take "
        "part."
    ),
    State.RUNNING: gettext_lazy("It goes on by itself: when a round is over, the next one is paired."),
    State.PAUSED: gettext_lazy("No match is begun until you resume it. It goes on exactly where it was."),
    State.FINISHED: gettext_lazy("Its places are final, and everybody can check its deals."),
    State.CANCELLED: gettext_lazy("It has no winner. What was played stays to be seen."),
}
NOT_YOURS = gettext_lazy("Only its organiser may do this. If that is you, sign in with the account that made it.")
NOT_ORGANISER = gettext_lazy(
    "Your account may not organise tournaments. An administrator of this arena can give you the permission."
)


def refuse(request: HttpRequest, sentence: object) -> HttpResponse:
    """Send 403 with a reason."""
    return render(request, "tournaments/organise_refused.html", {"sentence": sentence}, status=403)


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Create a tournament."""
    if not request.user.has_perm(MAY_ORGANISE):
        return refuse(request, NOT_ORGANISER)
    organiser = signed_in_reader(request)
    form = TournamentForm(organiser, data=request.POST or None)
    return take_form(request, form, {}, lambda: organising.create(organiser=organiser, plan=form.plan()))


@login_required
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the plan of a tournament that has not started."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse(request, NOT_YOURS)
    form = TournamentForm(signed_in_reader(request), tournament, request.POST or None)

    def keep() -> Tournament:
        return organising.edit(tournament=tournament, organiser=signed_in_reader(request), plan=form.plan())

    return take_form(request, form, {"tournament": tournament}, keep)


def take_form(
    request: HttpRequest, form: TournamentForm, context: dict[str, Any], keep: Callable[[], Tournament]
) -> HttpResponse:
    """Show the form, or keep what it holds."""
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                kept = keep()
                tasks.play_tournament.delay_on_commit(kept.pk)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            messages.success(request, _("The tournament is saved."))
            return redirect("organise_tournament", kept.slug)
    return render(request, "tournaments/form.html", {**context, "form": form}, status=400 if form.errors else 200)


@login_required
def desk(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the organiser's page of a tournament."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse(request, NOT_YOURS)
    lines = read_lines(tournament, signed_in_reader(request))
    rounds = list_counted_rounds(tournament)
    context = {
        **describe(tournament, lines, rounds),
        "lines": lines,
        "rounds": rounds,
        "may_edit": not tournament.has_started and not tournament.is_over,
        "may_rerun": tournament.state in (State.RUNNING, State.PAUSED),
        "may_pause": tournament.state in (State.RUNNING, State.CHECKING),
        "takes_entries": takes_entries(tournament),
    }
    return render_live(
        request, "tournaments/organise.html", "tournaments/organise_now.html", context, tournament.is_over
    )


def describe(tournament: Tournament, lines: Sequence[Line], rounds: Sequence[Round]) -> dict[str, Any]:
    """How it stands."""
    field = sum(line.entrant.number is not None for line in lines)
    settings = tournament.full_settings
    return {
        "tournament": tournament,
        "chip": TOURNAMENT_STATES[Tournament.State(tournament.state)],
        "next": NEXT[State(tournament.state)],
        "there": count_there(lines),
        "checks": Counter(line.entrant.state for line in lines),
        "length": tournament.format.length(field, settings) if field > 1 else None,
        "round": rounds[-1] if rounds else None,
        "seconds_left": time_left(tournament),
    }


Button = Callable[..., str]
"""Does something with a tournament, and says what came of it. May raise ArenaError."""


def button(press: Button) -> Callable[..., HttpResponse]:
    """Only the organiser presses it, and is told what came of it, back at the desk."""

    @require_POST
    @login_required
    @wraps(press)
    def view(request: HttpRequest, slug: str, **more: Any) -> HttpResponse:
        tournament = tournament_or_404(request, slug)
        if not is_organiser(tournament, request.user):
            return refuse(request, NOT_YOURS)
        try:
            with transaction.atomic():
                done = press(request, tournament, **more)
                tasks.play_tournament.delay_on_commit(tournament.pk)
        except ArenaError as error:
            messages.error(request, render_message(error.message))
        else:
            messages.success(request, done)
        return redirect("organise_tournament", slug)

    return view


@button
def open_entries(request: HttpRequest, tournament: Tournament) -> str:
    """Open a draft for entries."""
    organising.open_entries(tournament=tournament, organiser=signed_in_reader(request))
    return _("Bots may enter now.")


@button
def close_entries(request: HttpRequest, tournament: Tournament) -> str:
    """Close the entries."""
    organising.close_entries(tournament=tournament, organiser=signed_in_reader(request))
    return _("Entries are closed. It begins as soon as all checks are over.")


@button
def pause(request: HttpRequest, tournament: Tournament) -> str:
    """Pause a tournament."""
    organising.pause(tournament=tournament, organiser=signed_in_reader(request), reason=read_reason(request))
    return _("It is paused. What is being played is played to its end.")


@button
def resume(request: HttpRequest, tournament: Tournament) -> str:
    """Resume a paused tournament."""
    organising.resume(tournament=tournament, organiser=signed_in_reader(request))
    return _("It goes on.")


@button
def cancel(request: HttpRequest, tournament: Tournament) -> str:
    """Cancel a tournament."""
    organising.cancel(tournament=tournament, organiser=signed_in_reader(request), reason=read_reason(request))
    return _("It is called off.")


@button
def rerun(request: HttpRequest, tournament: Tournament, number: int) -> str:
    """Play again from a round on."""
    organiser, reason = signed_in_reader(request), read_reason(request)
    organising.rerun(tournament=tournament, organiser=organiser, number=number, reason=reason)
    return _("Round %(number)s is played again.") % {"number": number}


@button
def enter_bot(request: HttpRequest, tournament: Tournament) -> str:
    """On behalf of its owner."""
    slug = slugify(request.POST.get("bot", ""))
    bot = find_bot(slug)
    if bot is None:
        raise ArenaError(_("There is no bot called “%(name)s”.") % {"name": slug})
    entrant = entering.enter(tournament=tournament, bot=bot, user=signed_in_reader(request))
    return _("%(version)s is entered.") % {"version": entrant.version}


@button
def disqualify(request: HttpRequest, tournament: Tournament, pk: int) -> str:
    """Disqualify an entrant."""
    entrant = get_object_or_404(tournament.entrants.select_related("bot__owner", "tournament"), pk=pk)
    entering.disqualify(entrant=entrant, organiser=signed_in_reader(request), reason=read_reason(request))
    return _("%(name)s is disqualified.") % {"name": entrant.bot.name}


@require_POST
@login_required
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Of a draft nothing stays."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse(request, NOT_YOURS)
    try:
        organising.delete_draft(tournament=tournament, organiser=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return redirect("organise_tournament", slug)
    messages.success(request, _("The draft is deleted."))
    return redirect("tournaments")
