"""The record of what the organisers of a tournament decided."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.pages.paging import read_page_by_key
from arena.pages.real_names import fetch_shown_names
from arena.pages.tournaments.reading import tournament_or_404
from arena.tournaments.queries.tournaments import list_acts
from arena.tournaments.services.organisers import is_organiser

ACTS_PER_PAGE = 50


def show_record(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what organisers decided, newest first; to organisers also what touches no result. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    as_organiser = is_organiser(tournament, request.user)
    page = read_page_by_key(list_acts(tournament, as_organiser=as_organiser), request.GET, ACTS_PER_PAGE)
    context = {
        "tournament": tournament,
        "real_names": fetch_shown_names(request, tournament.group_id),
        "is_organiser": as_organiser,
        "acts": page.rows,
        "page": page,
    }
    return render(request, "tournaments/record.html", context)
