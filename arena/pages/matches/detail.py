"""One match: its replay once it is over, and what of it can be taken home."""

import io
import zipfile
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson
from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import content_disposition_header, quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django_htmx.http import HttpResponseClientRefresh

from arena.baked import baked
from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.matches.models import Leg, LegSeat, Match
from arena.pages.games import picture_of
from arena.pages.matches import live
from arena.pages.matches.bot_dialogue import list_exchanges
from arena.pages.matches.frames import pack_frames, tag_frames
from arena.pages.matches.moves import list_moves
from arena.pages.matches.opened import find_opened_leg, find_opened_match, find_seats
from arena.pages.matches.replay import PUBLIC, Film, play_back
from arena.pages.matches.reports import list_reports
from arena.pages.matches.results import Row, read_row
from arena.pages.matches.stage import set_stage
from arena.pages.paging import read_key
from arena.pages.svg.preview_image import draw_snapshot
from arena.pages.svg.timeline import draw_timeline
from engine.core import Json

FAULT = "fault-"
"""Before a seat, the name of the turn at which it went out."""
FOREVER = "public, max-age=31536000, immutable"
HOUR = "public, max-age=3600"


@gzip_page
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    found = ask_match(pk)
    if not found:
        raise Http404
    match = found[0]
    row = read_row(match)
    if match.state != Match.State.FINISHED or is_deal_in_play(match):
        return live.show_unfinished(request, row)
    if request.htmx and not request.htmx.boosted:
        return HttpResponseClientRefresh()
    return show_replay(request, row)


@baked
def ask_match(pk: int) -> QuerySet[Match]:
    """With what it is played for."""
    matches = Match.objects.select_related("ladder_match__ladder", "trial", "challenge", "comparison_match__comparison")
    return matches.filter(pk=pk).defer("deal", "options")


@baked
def ask_legs(match: int) -> QuerySet[Leg]:
    return Leg.objects.filter(match=match).defer("record").order_by("number")


@dataclass(frozen=True, slots=True)
class Preview:
    """What another site shows of a link to this page."""

    title: str
    description: str
    url: str
    picture: str
    """Of the turn shown."""
    image: str
    """The same, as an address for other sites."""


def show_replay(request: HttpRequest, row: Row) -> HttpResponse:
    match = row.match
    of_legs = LegSeat.objects.only("participant_id", "leg_id", "seat", "place", "verdict").order_by("leg_id")
    prefetch_related_objects([part.participant for part in row.parts], Prefetch("leg_seats", of_legs))
    legs = ask_legs(match.pk)
    for leg in legs:
        leg.match = match
    leg = next((leg for leg in legs if leg.number == (read_key(request.GET, "leg") or 1)), legs[0])
    leg.record = Leg.objects.values_list("record", flat=True).get(pk=leg.pk)
    context = {"match": match, "row": row, "legs": legs, "leg": leg}
    if leg.record is None:
        return render(request, "matches/lost.html", context)
    seats = find_seats(leg)
    own = [seat.seat for seat in seats if seat.participant.version.bot.owner_id == request.user.pk]
    view = read_view(request.GET.get("view", ""), own, len(seats))
    film = play_for(request.GET, leg.record_data, view, is_whole=bool(own))
    number = read_turn(request.GET, film)
    context |= {
        "seats": seats,
        "view": name_view(view),
        "was_out_of_range": number > film.last,
        "reports": list_reports(film, [seat for seat in seats if seat.seat in own]),
        "preview": draw_preview(request, row, seats, film, number),
        "frames_url": address_frames(leg, view, seats),
        **tell_leg(film, number, match.limits.get("move_ms", 0)),
    }
    return render(request, "matches/_replay.html" if request.htmx else "matches/replay.html", context)


def play_for(query: QueryDict, record: Json, view: int | None, *, is_whole: bool) -> Film:
    """With the scene asked for alone, unless the page looks at others too."""
    measures = picture_of(record["game"], record["edition"]).measure is not None
    if is_whole or measures or query.get("turn", "").startswith(FAULT):
        return play_back(record, view)
    number = read_key(query, "turn") or 0
    film = play_back(record, view, kept=number)
    return film if number <= film.last else play_back(record, view, kept=film.last)


def tell_leg(film: Film, number: int, limit_ms: int) -> dict[str, Any]:
    """One step of a leg drawn and told, the list of all of them, and the line on which they lie."""
    picture = picture_of(film.record["game"], film.record["edition"])
    scene = film.scene(number)
    return {
        **set_stage(scene, picture),
        "moves": list_moves(film, picture, limit_ms),
        "timeline": draw_timeline(scene, picture, film, limit_ms),
        "seat_names": [picture.name_seat(seat) for seat in range(len(scene.after))],
    }


def read_view(asked: str, own: list[int], seats: int) -> int | None:
    """Whose eyes: what is asked for, else those of the reader's own bot where it has one seat, else everybody's."""
    if asked == "all":
        return None
    if asked.isdecimal() and int(asked) < seats:
        return int(asked)
    return own[0] if len(own) == 1 else None


def name_view(onlooker: int | None) -> str:
    return "all" if onlooker is None else str(onlooker)


def read_turn(query: QueryDict, film: Film) -> int:
    """The step asked for: by number, which may be out of range, or as the one in which a seat went out by a fault."""
    asked = query.get("turn", "")
    if not asked.startswith(FAULT):
        return read_key(query, "turn") or 0
    seat = asked.removeprefix(FAULT)
    for step in film.steps:
        if any(entry.action == "forfeit" and str(entry.seat) == seat for entry in step.entries):
            return step.number
    return film.last


def draw_preview(request: HttpRequest, row: Row, seats: list[LegSeat], film: Film, number: int) -> Preview:
    match, leg = row.match, seats[0].leg.number
    shown = min(number, film.last)
    bots = _(" v ").join(name_bots(seats))
    query = urlencode({"leg": leg, "view": name_view(film.onlooker)})
    turn = film.steps[shown].turn
    picture = f"{reverse('snapshot', args=[match.pk, shown])}?{query}"
    return Preview(
        title=_("%(bots)s, match %(number)s") % {"bots": bots, "number": match.pk},
        description=_("Leg %(leg)s after turn %(turn)s: watch it step by step.") % {"leg": leg, "turn": turn or 0},
        url=request.build_absolute_uri(f"{match.get_absolute_url()}?{query}&turn={shown}"),
        picture=picture,
        image=request.build_absolute_uri(picture),
    )


def name_bots(seats: list[LegSeat]) -> list[str]:
    """By seat, each with the number of its version."""
    return [f"{seat.participant.version.bot.name} {seat.participant.version.number}" for seat in seats]


def address_frames(leg: Leg, onlooker: int | None, seats: list[LegSeat]) -> str:
    """With the tag in it, so that what was fetched once is not even asked for again."""
    query = urlencode({"view": name_view(onlooker), "tag": tag_frames(leg.record, onlooker, seats)})
    return f"{reverse('frames', args=[leg.match_id, leg.number])}?{query}"


def frames(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """All steps of a leg in the reader's language, for one pair of eyes. See `draw_frames`."""
    leg = find_opened_leg(pk, number)
    seats = find_seats(leg)
    onlooker = read_view(request.GET.get("view", ""), [], len(seats))
    tag = tag_frames(leg.record, onlooker, seats)
    etag = quote_etag(tag)
    known = get_conditional_response(request, etag=etag)
    response = known or HttpResponse(pack_frames(leg.record_data, onlooker, seats, tag), "application/json")
    if known is None:
        response["Content-Encoding"] = "gzip"
        response["ETag"] = etag
    response["Cache-Control"] = FOREVER if request.GET.get("tag") == tag else "no-cache"
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


def asked(request: HttpRequest, pk: int, turn: int) -> HttpResponse:
    """What bots were asked in one step of a leg, and what they answered: to be tried at home. See `list_exchanges`."""
    leg = find_opened_leg(pk, read_key(request.GET, "leg") or 1)
    film = play_back(leg.record_data, PUBLIC, kept=0)
    if turn > film.last:
        raise Http404(_("This leg ends at turn %(last)s.") % {"last": film.last})
    numbers = [entry.number for entry in film.steps[turn].entries]
    found = list_exchanges(leg.record_data, min(numbers, default=0), max(numbers, default=-1) + 1)
    response = HttpResponse(orjson.dumps(list(found), option=orjson.OPT_INDENT_2), content_type="application/json")
    response["Cache-Control"] = HOUR
    return response


def record(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """The record of a leg. Hands, decks and logs of a match that is not over reach nobody."""
    leg = find_opened_leg(pk, number)
    response = HttpResponse(leg.record_json, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, name_record(leg))
    response["Cache-Control"] = FOREVER
    return response


def records(request: HttpRequest, pk: int) -> HttpResponse:
    """The records of all legs in one file."""
    match = find_opened_match(pk)
    legs = list(match.legs.exclude(record=None).order_by("number"))
    if not legs:
        raise Http404(_("The records of this match were lost."))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for leg in legs:
            archive.writestr(zipfile.ZipInfo(name_record(leg)), leg.record_json, zipfile.ZIP_DEFLATED)
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(True, f"pennant-{pk}.zip")
    response["Cache-Control"] = FOREVER
    return response


def name_record(leg: Leg) -> str:
    return f"pennant-{leg.match_id}-{leg.number}.json"


def snapshot(request: HttpRequest, pk: int, turn: int) -> HttpResponse:
    """The table after one step as a picture."""
    leg = find_opened_leg(pk, read_key(request.GET, "leg") or 1)
    seats = find_seats(leg)
    onlooker = read_view(request.GET.get("view", ""), [], len(seats))
    film = play_back(leg.record_data, onlooker, kept=turn)
    if turn > film.last:
        raise Http404(_("This leg ends at turn %(last)s.") % {"last": film.last})
    drawing = draw_snapshot(film.scene(turn), picture_of(leg.match.game, leg.match.edition), name_bots(seats))
    if drawing is None:
        raise Http404(_("There are no pictures of this game."))
    response = HttpResponse(drawing, content_type="image/svg+xml")
    response["Cache-Control"] = HOUR
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response
