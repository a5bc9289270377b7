"""The page of a tournament for printing."""

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from arena.pages.real_names import fetch_shown_names
from arena.pages.tournaments.detail import RESULTS_TIMEOUT_S, build_results, describe, fetch_cached
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.rounds import build_attempt
from arena.tournaments.queries.overview import fetch_matches, fetch_overview
from arena.tournaments.queries.tournaments import fetch_progress, list_acts


def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a tournament for printing. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    names = fetch_shown_names(request, tournament.group_id)
    address = request.build_absolute_uri(tournament.get_absolute_url())

    def draw() -> str:
        overview = fetch_overview(tournament)
        fetch_matches(overview)
        context = {
            **describe(tournament),
            **build_results(overview, names=names),
            "public_acts": list_acts(tournament, as_organiser=False),
            "attempts": [build_attempt(overview, round) for round in overview.counted_rounds],
            "address": address,
        }
        return render_to_string("tournaments/print.html", context)

    key = ["print", fetch_progress(tournament), address]
    return HttpResponse(fetch_cached(key, RESULTS_TIMEOUT_S, draw, names))
