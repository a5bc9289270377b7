"""A rated match that is shown while it is played: at the pace of every showing, and so behind the machines."""

from typing import Any

import orjson
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.ladders.queries.showable import find_live_match
from arena.matches.models import Leg, Match
from arena.matches.queries.replays import find_match, list_legs, list_seats
from arena.pages.games import find_presentation
from arena.pages.matches.frames import STAGE_TEMPLATE, build_frames
from arena.pages.matches.live import Live, find_live
from arena.pages.matches.opened import find_opened_leg
from arena.pages.matches.replay import NO_STEP, PUBLIC_ONLOOKER, play_back, play_on, play_to
from arena.pages.matches.results import list_rows
from arena.pages.matches.stage import build_stage
from arena.pages.watch.showing import (
    Showing,
    build_public_frames_url,
    choose_start,
    list_shown_marks,
    list_shown_seats,
)

CHOICE_CACHE_S = 5
FRAMES_CACHE_S = 60
NOTHING: dict[str, Any] = {"slots": [], "parts": [], "frames": []}


def choose_live_match() -> int | None:
    """Return the key of the match that is shown live, which is kept for some seconds; None where there is none."""
    found: int | None = cache.get_or_set("live-match", lambda: find_live_match() or 0, CHOICE_CACHE_S)
    return found or None


def build_live_showing(match: int) -> Showing | None:
    """Return the showing of the leg of a match that is being played; None where there is none."""
    live = find_live_leg(find_match(None, match))
    if live is None:
        return None
    record = live.record
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    playback = play_back(record, PUBLIC_ONLOOKER, only_step=NO_STEP)
    marks = list_shown_marks(playback, presentation)
    start = choose_start(playback, marks)
    stage = build_stage(play_to(record, start, PUBLIC_ONLOOKER), presentation)
    return Showing(
        row=list_rows([live.match])[0],
        leg=live.leg.number,
        reason=_("A match of the best group"),
        start=start,
        last=playback.last,
        marks=[],
        frames_url=reverse("live_frames", args=[match, live.leg.number]),
        stage=stage | {"seats": list_shown_seats(live.seats, {})},
        end=None,
    )


def find_live_leg(match: Match | None) -> Live | None:
    """Return the leg of a match that is being played, as far as its worker has reported; None where there is none."""
    if match is None or match.state != Match.State.RUNNING:
        return None
    return find_live(list_rows([match])[0], list(match.attempts.all()), list_legs(match))


def send_live_frames(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Send the steps of a leg so far, as everybody may see them, and who is waited for. See `build_frames`.

    Once the match is over it redirects to all steps of the leg. While another leg is played there are no steps. Raises
    Http404 for a match that is not shown.
    """
    match = find_match(None, pk)
    if match is None or match.state not in (Match.State.RUNNING, Match.State.FINISHED):
        raise Http404
    if match.state == Match.State.FINISHED:
        leg: Leg = find_opened_leg(request, pk, number)
        return HttpResponseRedirect(build_public_frames_url(leg, list_seats([leg])))
    live = find_live_leg(match)
    if live is None or live.leg.number != number:
        content = orjson.dumps(NOTHING | {"waiting": _("The next leg is being played.")})
    else:
        content = pack_live_frames(live)
    response = HttpResponse(content, content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response


def pack_live_frames(live: Live) -> bytes:
    """Return the steps so far as JSON. They are kept a while: many may look at it."""
    key = f"live-frames:{live.tag}"
    packed: bytes | None = cache.get(key)
    if packed is None:
        record = live.record
        seats = list_shown_seats(live.seats, {})
        frames = build_frames(play_back(record, PUBLIC_ONLOOKER), seats, (STAGE_TEMPLATE,))
        packed = orjson.dumps(frames | {"waiting": describe_waiting(live)})
        cache.set(key, packed, FRAMES_CACHE_S)
    return packed


def describe_waiting(live: Live) -> str:
    """Return in words who is to act next."""
    _scene, state = play_on(live.record, PUBLIC_ONLOOKER)
    if state.to_act is None:
        return _("The leg is over.")
    seats = {seat.seat: seat.participant.version.bot.name for seat in live.seats}
    return _("%(name)s is thinking.") % {"name": seats[state.to_act]}
