"""The replay of a live game that is over, and its record as a file."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page

from arena.livegames.models import LiveGame
from arena.livegames.services.deciding import find_own_seat
from arena.livegames.services.storing import list_seats
from arena.pages.formatting import record_rules_title
from arena.pages.matches.analysis import build_panel, describe_analysis, describe_chances, read_shown_analysis
from arena.pages.matches.detail import build_leg_context
from arena.pages.matches.frames import build_frames
from arena.pages.matches.guests import Chair, seat_guests
from arena.pages.matches.judgements import add_judgements
from arena.pages.matches.onlookers import name_view, read_view
from arena.pages.matches.replay import play_back
from arena.pages.paging import read_key
from arena.pages.play.live import find_game_or_404
from arena.pages.play.people import player_of

MAX_FRAMES = 400
"""A longer game is not sent as a whole: each of its steps is asked for."""


@gzip_page
def show_replay(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a finished game step by step, by default with all hands."""
    game = find_finished_game(slug)
    own = find_own_seat(list_seats(game), player_of(request))
    record = game.record_data
    seats = seat_guests(record)
    view = read_view(request.GET.get("view", ""), [], len(seats))
    panel = build_panel(game, request.GET, may_request=own is not None)
    analysis = read_shown_analysis(panel)
    playback = add_judgements(play_back(record, view), analysis)
    number = min(read_key(request.GET, "turn") or 0, playback.last)
    context = {
        "live_game": game,
        "is_own": own is not None,
        "seats": seats,
        "view": name_view(view),
        "rules": record_rules_title(record),
        "frames": build_frames(playback, seats) if playback.last <= MAX_FRAMES else None,
        **build_leg_context(playback, number, game.bot_limits.move_ms, describe_chances(playback, analysis)),
    }
    context |= describe_analysis(panel, analysis, playback, context)
    return render(request, "play/replay.html", context)


def send_record(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the record of a finished game, which `pennant verify` checks."""
    game = find_finished_game(slug)
    response = HttpResponse(game.record_json, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="pennant-live-{game.pk}.json"'
    return response


def name_players(seats: Sequence[Chair]) -> str:
    """Return who played, as a heading."""
    return _(" v ").join(seat.participant.version.bot.name or "?" for seat in seats)


def find_finished_game(slug: str) -> LiveGame:
    """Return a live game that has a result. Raises Http404."""
    game = find_game_or_404(slug)
    if game.state != LiveGame.State.FINISHED:
        raise Http404(_("This game is not over, so there is nothing to watch yet."))
    return game
