"""The page of a match, with its replay once it is over, and its downloads."""

import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson
from django.core.cache import cache as shelf
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import content_disposition_header, quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django_htmx.http import HttpResponseClientRedirect

from arena.analysis.queries.analyses import fetch_result
from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.matches.models import Leg, LegSeat, Match
from arena.matches.queries.replays import (
    attach_leg_seats,
    fetch_record,
    find_match,
    list_legs,
    list_legs_with_records,
    list_next_matches,
    list_seats,
)
from arena.matches.retention import explain_missing_record
from arena.pages.formatting import rules_title, variant_title
from arena.pages.games import find_presentation
from arena.pages.matches import live
from arena.pages.matches.analysis import (
    AnalysisPanel,
    build_panel,
    describe_analysis,
    describe_chances,
    read_shown_analysis,
)
from arena.pages.matches.bot_dialogue import list_exchanges
from arena.pages.matches.frames import pack_frames, tag_frames
from arena.pages.matches.judgements import add_judgements
from arena.pages.matches.moves import list_moves
from arena.pages.matches.onlookers import name_view, read_view
from arena.pages.matches.opened import find_opened_leg, find_opened_match, keep_private
from arena.pages.matches.replay import LAST_STEP, PUBLIC_ONLOOKER, Entry, Playback, play_back
from arena.pages.matches.reports import list_reports
from arena.pages.matches.rerun_command import list_rerun_commands
from arena.pages.matches.results import Row, read_rated_row
from arena.pages.matches.series import list_games
from arena.pages.matches.stage import build_stage
from arena.pages.paging import read_key
from arena.pages.polling import HtmxRequest
from arena.pages.reader import reader_of
from arena.pages.svg.png import render_png
from arena.pages.svg.preview_image import draw_preview_image
from arena.pages.svg.timeline import AnalysedChances, build_timeline
from arena.pages.tournaments.reading import find_named_round
from engine.core import Json

LAST = "last"
"""Value of `turn` and `leg` in an address: the last one."""
FAULT_PREFIX = "fault-"
"""Prefix of a seat's number in `turn`: the turn at which that seat went out."""
DECISION_PREFIX = "decision-"
"""Prefix of a decision's index in `turn`: the turn to which it belongs."""
CACHE_FOREVER = "public, max-age=31536000, immutable"
PREVIEW_CACHE_S = 24 * 3600
CACHE_FOR_AN_HOUR = "public, max-age=3600"


@gzip_page
def detail(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show the replay of a match, or before it may be shown what everybody may see."""
    match = find_match(request.user, pk)
    if match is None:
        raise Http404
    keep_private(request, match)
    row = read_rated_row(match)
    if match.state != Match.State.FINISHED or is_deal_in_play(match):
        return live.show_unfinished(request, row)
    if request.htmx and not request.htmx.boosted:
        return HttpResponseClientRedirect(f"{match.get_absolute_url()}?{urlencode({'leg': LAST, 'turn': LAST})}")
    return show_replay(request, row)


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview that other sites show of a link to this page."""

    title: str
    description: str
    url: str
    image_path: str
    """The image of the turn shown."""
    image: str
    """The same, as an address for other sites."""


def build_pair_url(row: Row) -> str:
    """Return the address of the page about the two bots of a match; empty where it is no match between two."""
    slugs = list(dict.fromkeys(part.version.bot.slug for part in row.parts))
    return reverse("pair", args=slugs) if row.is_duel and len(slugs) == len(row.parts) else ""


def show_replay(request: HtmxRequest, row: Row) -> HttpResponse:
    """Show one leg of a finished match at the step and for the eyes that the address asks for."""
    match = row.match
    attach_leg_seats([part.participant for part in row.parts])
    legs = list_legs(match)
    leg = choose_leg(request.GET, legs)
    leg.record = fetch_record(leg)
    games = list_games(row, legs) if match.series else []
    context = {"match": match, "row": row, "legs": legs, "leg": leg, "games": games, "pair_url": build_pair_url(row)}
    context["named_round"] = find_named_round(request, match)
    if leg.record is None:
        lost = _("The record of leg %(number)s was lost in a fault of the arena. The result of the match stands.")
        context["explanation"] = explain_missing_record(match, lost % {"number": leg.number})
        return render(request, "matches/lost.html", context)
    seats = list_seats([leg])
    own = [seat.seat for seat in seats if seat.participant.version.bot.has_author(request.user)]
    view = read_view(request.GET.get("view", ""), own, len(seats))
    panel = build_panel(leg, request.GET)
    analysis = read_shown_analysis(panel)
    playback = play_requested(request.GET, leg.record_data, view, is_whole=bool(own))
    playback = add_judgements(playback, analysis)
    number = read_turn(request.GET, playback)
    context |= {
        "seats": seats,
        "view": name_view(view),
        "was_out_of_range": number > playback.last,
        "reports": list_reports(playback, [seat for seat in seats if seat.seat in own]),
        "reruns": list_rerun_commands(request, leg, seats, own, playback, number),
        "next_matches": list_next_matches([part.version for part in row.parts], match.pk, reader_of(request)),
        "other_leg": find_other_leg(legs, leg),
        "preview": build_preview(request, row, seats, playback, number),
        "embed_url": request.build_absolute_uri(f"{reverse('embed', args=[match.pk])}?leg={leg.number}"),
        "frames_url": build_frames_url(leg, view, seats, panel),
        **build_leg_context(playback, number, match.limits.get("move_ms", 0), describe_chances(playback, analysis)),
    }
    context |= describe_analysis(panel, analysis, playback, context)
    return render(request, "matches/_replay.html" if request.htmx else "matches/replay.html", context)


def choose_leg(query: QueryDict, legs: list[Leg]) -> Leg:
    """Return the leg that the address asks for, by number or as the last one; the first by default."""
    if query.get("leg") == LAST:
        return legs[-1]
    return next((leg for leg in legs if leg.number == (read_key(query, "leg") or 1)), legs[0])


def find_other_leg(legs: list[Leg], shown: Leg) -> Leg | None:
    """Return the leg to watch after this one: the next, or after the last one the first; None where it is alone."""
    at = [leg.number for leg in legs].index(shown.number)
    return legs[(at + 1) % len(legs)] if len(legs) > 1 else None


def play_requested(query: QueryDict, record: Json, view: int | None, *, is_whole: bool) -> Playback:
    """Return the leg with the scene asked for alone, unless the page looks at others too."""
    measures = find_presentation(record["game"], record["edition"]).measure is not None
    if is_whole or measures or query.get("turn", "").startswith((FAULT_PREFIX, DECISION_PREFIX)):
        return play_back(record, view)
    number = LAST_STEP if query.get("turn") == LAST else read_key(query, "turn") or 0
    playback = play_back(record, view, only_step=number)
    return playback if number <= playback.last else play_back(record, view, only_step=playback.last)


def build_leg_context(
    playback: Playback, number: int, limit_ms: int, chances: AnalysedChances | None = None
) -> dict[str, Any]:
    """Return one step of a leg, the list of all of them, and the timeline, with the chances of an analysis if any."""
    record = playback.record
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    scene = playback.scene(number)
    return {
        **build_stage(scene, presentation),
        "moves": list_moves(playback, presentation, limit_ms),
        "timeline": build_timeline(scene, presentation, playback, limit_ms, chances),
        "seat_names": [presentation.name_seat(seat) for seat in range(len(scene.after))],
    }


def read_turn(query: QueryDict, playback: Playback) -> int:
    """Return the step asked for: by number, which may be out of range, or as that of a fault or of a decision."""
    asked = query.get("turn", "")
    if asked == LAST:
        return playback.last
    if asked.startswith(FAULT_PREFIX):
        seat = asked.removeprefix(FAULT_PREFIX)
        return find_step(playback, lambda entry: entry.action == "forfeit" and str(entry.seat) == seat)
    if asked.startswith(DECISION_PREFIX):
        number = asked.removeprefix(DECISION_PREFIX)
        return find_step(playback, lambda entry: str(entry.number) == number)
    return read_key(query, "turn") or 0


def find_step(playback: Playback, is_wanted: Callable[[Entry], bool]) -> int:
    """Return the number of the step with the decision that is wanted; the last one where there is none."""
    found = (step.number for step in playback.steps if any(map(is_wanted, step.entries)))
    return next(found, playback.last)


def build_preview(request: HttpRequest, row: Row, seats: list[LegSeat], playback: Playback, number: int) -> Preview:
    """Return the preview of this page for other sites."""
    match, leg = row.match, seats[0].leg.number
    shown = min(number, playback.last)
    bots = _(" v ").join(name_bots(seats))
    query = urlencode({"leg": leg, "view": name_view(playback.onlooker)})
    turn = playback.steps[shown].turn
    description = _("Leg %(leg)s after turn %(turn)s: watch it step by step.")
    image_path = f"{reverse('preview_png', args=[match.pk, shown])}?{query}"
    return Preview(
        title=_("%(bots)s, match %(number)s") % {"bots": bots, "number": match.pk},
        description=f"{rules_title(match)}. {description % {'leg': leg, 'turn': turn or 0}}",
        url=request.build_absolute_uri(f"{match.get_absolute_url()}?{query}&turn={shown}"),
        image_path=image_path,
        image=request.build_absolute_uri(image_path),
    )


def name_bots(seats: list[LegSeat]) -> list[str]:
    """Return the bots by seat, each with the number of its version."""
    return [f"{seat.participant.version.bot.name} {seat.participant.version.number}" for seat in seats]


def build_frames_url(leg: Leg, onlooker: int | None, seats: list[LegSeat], panel: AnalysisPanel) -> str:
    """Return the address of the frames, with the tag in it: what was fetched once is not even asked for again."""
    shown = panel.found.done.pk if panel.found.done and not panel.is_hidden else None
    parameters = {"view": name_view(onlooker), "tag": tag_frames(leg.record, onlooker, seats, shown)}
    query = urlencode(parameters | ({"analysis": "off"} if panel.is_hidden else {}))
    return f"{reverse('frames', args=[leg.match_id, leg.number])}?{query}"


def frames(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Send all steps of a leg in the reader's language, for one pair of eyes. See `build_frames`."""
    leg = find_opened_leg(request, pk, number)
    seats = list_seats([leg])
    onlooker = read_view(request.GET.get("view", ""), [], len(seats))
    done = None if request.GET.get("analysis") == "off" else fetch_result(leg)
    tag = tag_frames(leg.record, onlooker, seats, done.pk if done else None)
    etag = quote_etag(tag)
    known = get_conditional_response(request, etag=etag)
    analysis = done.result_data if done and not known else None
    response = known or HttpResponse(pack_frames(leg.record_data, onlooker, seats, tag, analysis), "application/json")
    if known is None:
        response["Content-Encoding"] = "gzip"
        response["ETag"] = etag
    response["Cache-Control"] = CACHE_FOREVER if request.GET.get("tag") == tag else "no-cache"
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


def dialogue(request: HttpRequest, pk: int, turn: int) -> HttpResponse:
    """Send what bots were asked in one step of a leg, and what they answered. See `list_exchanges`."""
    leg = find_opened_leg(request, pk, read_key(request.GET, "leg") or 1)
    playback = play_back(leg.record_data, PUBLIC_ONLOOKER, only_step=0)
    if turn > playback.last:
        raise Http404(_("This leg ends at turn %(last)s.") % {"last": playback.last})
    numbers = [entry.number for entry in playback.steps[turn].entries]
    found = list_exchanges(leg.record_data, min(numbers, default=0), max(numbers, default=-1) + 1)
    response = HttpResponse(orjson.dumps(list(found), option=orjson.OPT_INDENT_2), content_type="application/json")
    response["Cache-Control"] = CACHE_FOR_AN_HOUR
    return response


def record(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Send the record of a leg. Hands, decks and logs of a match that is not over reach nobody."""
    leg = find_opened_leg(request, pk, number)
    response = HttpResponse(leg.record_json, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, build_record_file_name(leg)) or "attachment"
    response["Cache-Control"] = CACHE_FOREVER
    return response


def records(request: HttpRequest, pk: int) -> HttpResponse:
    """Send the records of all legs in one file."""
    match = find_opened_match(request, pk)
    legs = [leg for leg in list_legs_with_records(match) if leg.record is not None]
    if not legs:
        raise Http404(explain_missing_record(match, _("The records of this match were lost.")))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for leg in legs:
            archive.writestr(zipfile.ZipInfo(build_record_file_name(leg)), leg.record_json, zipfile.ZIP_DEFLATED)
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(True, f"pennant-{pk}.zip") or "attachment"
    response["Cache-Control"] = CACHE_FOREVER
    return response


def build_record_file_name(leg: Leg) -> str:
    """Return the name of the file of a leg's record."""
    return f"pennant-{leg.match_id}-{leg.number}.json"


def preview_image(request: HttpRequest, pk: int, turn: int) -> HttpResponse:
    """Send the table after one step as an SVG image."""
    drawing = draw_preview(request, pk, turn)
    return send_image(drawing.encode(), "image/svg+xml")


def preview_png(request: HttpRequest, pk: int, turn: int) -> HttpResponse:
    """Send the table after one step as a PNG image, which is kept for the next reader."""
    drawing = draw_preview(request, pk, turn)
    key = f"preview:{hashlib.sha256(drawing.encode()).hexdigest()}"
    image: bytes | None = shelf.get(key)
    if image is None:
        image = render_png(drawing)
        shelf.set(key, image, PREVIEW_CACHE_S)
    return send_image(image, "image/png")


def draw_preview(request: HttpRequest, pk: int, turn: int) -> str:
    """Return the table after one step as an SVG document. Raises Http404 where nobody may see it."""
    leg = find_opened_leg(request, pk, read_key(request.GET, "leg") or 1)
    seats = list_seats([leg])
    onlooker = read_view(request.GET.get("view", ""), [], len(seats))
    playback = play_back(leg.record_data, onlooker, only_step=turn)
    if turn > playback.last:
        raise Http404(_("This leg ends at turn %(last)s.") % {"last": playback.last})
    presentation = find_presentation(leg.match.game, leg.match.edition)
    return draw_preview_image(playback.scene(turn), presentation, name_bots(seats), variant_title(leg.match))


def send_image(content: bytes, content_type: str) -> HttpResponse:
    """Return an image of a match, which changes only with the names of the bots."""
    response = HttpResponse(content, content_type=content_type)
    response["Cache-Control"] = CACHE_FOR_AN_HOUR
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response
