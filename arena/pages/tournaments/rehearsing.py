"""Begin and end the rehearsal of a tournament."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena import tasks
from arena.errors import ArenaError
from arena.messages import render_message
from arena.pages.reader import signed_in_reader
from arena.pages.tournaments.organising import NOT_YOURS, refuse
from arena.pages.tournaments.reading import tournament_or_404
from arena.rehearsing import end_rehearsal, rehearse
from arena.tournaments.services.organisers import is_organiser


@require_POST
@login_required
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a rehearsal, and lead to its desk."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse(request, NOT_YOURS)
    try:
        with transaction.atomic():
            made = rehearse(tournament=tournament, organiser=signed_in_reader(request))
            tasks.play_tournament.delay_on_commit(made.pk)
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return redirect("organise_tournament", slug)
    messages.success(request, _("The rehearsal begins. Only its organisers see it, and it deletes itself."))
    return redirect("organise_tournament", made.slug)


@require_POST
@login_required
def end(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a rehearsal, and lead back to the tournament that was rehearsed."""
    tournament = tournament_or_404(request, slug)
    if not is_organiser(tournament, request.user):
        return refuse(request, NOT_YOURS)
    rehearsed = tournament.rehearsed
    try:
        end_rehearsal(tournament=tournament, organiser=signed_in_reader(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return redirect("organise_tournament", slug)
    messages.success(request, _("The rehearsal has been deleted."))
    return redirect("organise_tournament", rehearsed.slug) if rehearsed else redirect("tournaments")
