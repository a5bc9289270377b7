"""The page of a tournament for printing."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.pages.tournaments.detail import build_results, describe
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.rounds import build_attempt
from arena.tournaments.queries.overview import fetch_matches, fetch_overview
from arena.tournaments.queries.tournaments import list_acts


def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a tournament for printing. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    overview = fetch_overview(tournament)
    fetch_matches(overview)
    context = {
        **describe(tournament),
        **build_results(overview),
        "is_print": True,
        "public_acts": list_acts(tournament, as_organiser=False),
        "attempts": [build_attempt(overview, round) for round in overview.counted_rounds],
        "address": request.build_absolute_uri(tournament.get_absolute_url()),
    }
    return render(request, "tournaments/print.html", context)
