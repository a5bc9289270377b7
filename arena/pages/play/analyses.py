"""The analysis of a live game that is over: the request for it, its file, and the page to learn from mistakes."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from arena.analysis.services.requesting import request_live_analysis
from arena.livegames.models import LiveGame
from arena.livegames.services.deciding import find_own_seat
from arena.livegames.services.storing import list_seats
from arena.pages.formatting import record_rules_title
from arena.pages.matches.analysis import ask_for_analysis, build_panel, report_progress, send_analysis
from arena.pages.matches.guests import seat_guests
from arena.pages.matches.learning import Origin, show_lesson
from arena.pages.matches.onlookers import name_view
from arena.pages.play.people import player_of
from arena.pages.play.replays import find_finished_game, name_players
from arena.pages.polling import HtmxRequest


def show_progress(request: HtmxRequest, slug: str) -> HttpResponse:
    """Report the progress of an analysis to a page that polls, or request it (POST)."""
    game = find_finished_game(slug)
    if request.method == "POST":
        return request_own(request, game)
    if not request.htmx:
        return redirect_to_replay(game)
    return report_progress(request, build_panel(game, request.GET))


@login_required
def request_own(request: HttpRequest, game: LiveGame) -> HttpResponse:
    """Request the analysis of a game that the reader has played, and go back to its replay."""
    ask_for_analysis(request, lambda: request_live_analysis(player=player_of(request), game=game))
    return redirect_to_replay(game)


def redirect_to_replay(game: LiveGame) -> HttpResponse:
    """Send the reader to the replay of a game, at its analysis."""
    return redirect(f"{reverse('live_game_replay', args=[game.slug])}#analysis")


def download(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the analysis of a game as a file, beside its record."""
    game = find_finished_game(slug)
    return send_analysis(game, f"pennant-live-{game.pk}-analysis.json")


def learn(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one mistake of a seat before it was made; by default of the reader's seat."""
    game = find_finished_game(slug)
    own = find_own_seat(list_seats(game), player_of(request))
    seats = seat_guests(game.record_data)
    origin = Origin(
        title=name_players(seats),
        rules=record_rules_title(game.record_data),
        replay_url=f"{reverse('live_game_replay', args=[game.slug])}?view={name_view(None)}&turn=",
    )
    return show_lesson(request, game, seats, [] if own is None else [own.seat], origin)
