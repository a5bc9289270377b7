"""The page of a match that is over, with replay, downloads, reports, previews for links, and uploaded records."""

import fcntl
import hashlib
import io
import logging
import os
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic, thread_time, time
from typing import Any
from urllib.parse import urlencode

import orjson
from django.conf import settings
from django.core.cache import cache as shelf
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import content_disposition_header, quote_etag
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from arena.contests.analysis.queries import fetch_shown
from arena.contests.comparisons.services import is_deal_in_play
from arena.core.http import find_client_network
from arena.core.messages import gettext as _
from arena.core.messages import isolate
from arena.matches.models import Leg, LegSeat, Match
from arena.matches.queries import (
    attach_leg_seats,
    fetch_record,
    find_match,
    list_legs,
    list_legs_with_records,
    list_next_matches,
    list_seats,
)
from arena.matches.services import explain_missing_record
from arena.pages.formatting import record_rules_title, variant_title
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Presentation
from arena.pages.matches import results
from arena.pages.matches.analysis import (
    AnalysisPanel,
    build_analysis_panel,
    describe_analysis,
    describe_chances,
    read_shown_analysis,
)
from arena.pages.matches.frames import (
    add_judgements,
    build_frames,
    build_stage,
    find_opened_leg,
    find_opened_match,
    keep_private,
    list_moves,
    pack_frames,
    tag_frames,
)
from arena.pages.matches.legs import build_comparison, find_even_legs
from arena.pages.matches.replay import (
    PUBLIC_ONLOOKER,
    Entry,
    Playback,
    explain_refused,
    list_exchanges,
    list_rerun_commands,
    name_view,
    play_back,
    read_view,
    seat_guests,
)
from arena.pages.matches.results import MatchRow, list_games, read_rated_row
from arena.pages.serving import HtmxRequest, find_named_round, read_key, reader_of
from arena.pages.svg.card import draw_plain_image, draw_preview_image, render_png
from arena.pages.svg.timeline import AnalysedChances, build_timeline
from arena.pages.watch.showing import find_decisive_step, list_shown_marks
from arena.runner.program import Verdict
from engine.core import Json, MalformedAction
from engine.replay import FORMAT, BadRecord, verify

# Pictures of single steps of a leg, which other sites show as the preview of a link: kept, and drawn within limits.
#
# Programs that unfold links have no session, so the limits are for everybody. Over them the answer is the picture of
# the decisive step, which has time of its own to be drawn once and is kept longest.

PICTURE_CACHE_S = 24 * 3600
DECISIVE_PICTURE_CACHE_S = 30 * 24 * 3600
DRAWING_SHARE = 0.1
"""Share of one core's time that drawing takes at most, of all web processes of this machine together."""
MAX_SAVED_DRAWING_S = 6.0
"""Processor time that is saved up while nothing is drawn."""
DECISIVE_DRAWING_RESERVE_S = 3.0
"""What other pictures leave of it for those of decisive steps."""
EXPECTED_DRAWING_S = 0.15
"""Processor time that a drawing is charged before it begins; the difference is settled afterwards."""
DRAWING_WINDOW_S = 600
MAX_DRAWINGS_PER_ADDRESS = 20
"""Pictures that one address has drawn within DRAWING_WINDOW_S; those that are kept aren't counted."""
DRAWING_TIME = struct.Struct("dd")
"""When the file was written, by the machine's clock since its start, and the processor time that was saved then."""
RESULT_PARAMETER = "result"
"""Parameter of a picture's address that has it tell how the leg ended."""
CACHE_FOR_AN_HOUR = "public, max-age=3600"
CACHE_STAND_IN = "public, max-age=60"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PreviewSubject:
    """What a picture is of, but for the step."""

    record: Json
    names: Sequence[str]
    """By seat, for the heading."""
    rules: str
    onlooker: int | None
    tag: str
    """The key of the frames, which changes with all that is shown."""
    has_result: bool
    """How the leg ended is told, too."""

    def draw(self, turn: int) -> str:
        """Return the table after one step as an SVG document. Raises Http404 after the last one."""
        return self.draw_step(play_back(self.record, self.onlooker), turn)

    def draw_step(self, playback: Playback, turn: int) -> str:
        """Return the same from the leg."""
        if turn > playback.last:
            raise Http404(_("This leg ends on turn %(last)s.") % {"last": playback.last})
        presentation = find_presentation(self.record["game"], self.record["edition"])
        scene = playback.scene(turn)
        result = f"{presentation.describe_ending(scene)}." if self.has_result else ""
        return draw_preview_image(scene, presentation, self.names, self.rules, result)

    def draw_decisive(self) -> str:
        """Return the same for the step at which the leg turned."""
        playback = play_back(self.record, self.onlooker)
        return self.draw_step(playback, find_turn_to_show(playback))

    def build_key(self, step: str) -> str:
        """Return the key of a picture: a hash of all that is drawn."""
        content = orjson.dumps([self.tag, step, self.rules, self.has_result])
        return f"preview:{hashlib.sha256(content).hexdigest()}"


def find_turn_to_show(playback: Playback) -> int:
    """Return the step at which a leg turned."""
    record = playback.record
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    return find_decisive_step(playback, presentation, list_shown_marks(playback, presentation))


def name_bots(seats: Sequence[LegSeat]) -> list[str]:
    """Return the bots by seat, each with the number of its version."""
    return [f"{seat.participant.version.bot.name} {seat.participant.version.number}" for seat in seats]


def find_preview_subject(request: HttpRequest, pk: int) -> PreviewSubject:
    """Return what the address asks for. Raises Http404 where the reader may not see it."""
    leg = find_opened_leg(request, pk, read_key(request.GET, "leg") or 1)
    seats = list_seats([leg])
    onlooker = read_view(request.GET.get("view", ""), [], len(seats))
    return PreviewSubject(
        record=leg.record_data,
        names=name_bots(seats),
        rules=variant_title(leg.match),
        onlooker=onlooker,
        tag=tag_frames(leg.record, onlooker, seats),
        has_result=RESULT_PARAMETER in request.GET,
    )


def preview_image(request: HttpRequest, pk: int, turn: int) -> HttpResponse:
    """Send the table after one step as an SVG image."""
    return send_image(find_preview_subject(request, pk).draw(turn).encode(), "image/svg+xml", CACHE_FOR_AN_HOUR)


def preview_png(request: HttpRequest, pk: int, turn: int) -> HttpResponse:
    """Send the table after one step as a PNG image, or over the limits that of the decisive step."""
    return send_preview(request, find_preview_subject(request, pk), turn)


def send_preview(request: HttpRequest, subject: PreviewSubject, turn: int) -> HttpResponse:
    """Send a picture of one step, or over the limits that of the decisive step."""
    key = subject.build_key(str(turn))
    image: bytes | None = shelf.get(key)
    if image is None and may_draw(request):
        image = draw_within_share(key, PICTURE_CACHE_S, DECISIVE_DRAWING_RESERVE_S, lambda: subject.draw(turn))
    if image is not None:
        return send_image(image, "image/png", CACHE_FOR_AN_HOUR)
    key = subject.build_key("decisive")
    image = shelf.get(key) or draw_within_share(key, DECISIVE_PICTURE_CACHE_S, 0.0, subject.draw_decisive)
    return send_image(image or render_plain_png(), "image/png", CACHE_STAND_IN)


def send_image(content: bytes, content_type: str, caching: str) -> HttpResponse:
    """Return an image of a match, which changes only with the names of the bots."""
    response = HttpResponse(content, content_type=content_type)
    response["Cache-Control"] = caching
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


def may_draw(request: HttpRequest) -> bool:
    """Count a drawing for the reader's address, and return whether it is within the limit."""
    key = f"previews-drawn:{int(time()) // DRAWING_WINDOW_S}:{find_client_network(request)}"
    count = int(shelf.get(key, 0))
    if count < MAX_DRAWINGS_PER_ADDRESS:
        shelf.set(key, count + 1, DRAWING_WINDOW_S)
    return count < MAX_DRAWINGS_PER_ADDRESS


def draw_within_share(key: str, kept_s: int, reserve_s: float, draw: Callable[[], str]) -> bytes | None:
    """Return a picture as PNG and keep it, or None where no processor time is left for it."""
    with limit_drawing(reserve_s) as is_allowed:
        if not is_allowed:
            return None
        image = render_png(draw())
    shelf.set(key, image, kept_s)
    return image


@cache
def render_plain_png() -> bytes:
    """Return the picture without a table, for when there isn't even time for a decisive step: drawn once a process."""
    return render_png(draw_plain_image())


@contextmanager
def limit_drawing(reserve_s: float) -> Iterator[bool]:
    """Yield whether there is processor time left beyond the reserve, and charge what the block takes of it."""
    is_allowed = charge_drawing(EXPECTED_DRAWING_S, reserve_s)
    began = thread_time()
    try:
        yield is_allowed
    finally:
        if is_allowed:
            charge_drawing(thread_time() - began - EXPECTED_DRAWING_S)


def charge_drawing(seconds: float, reserve_s: float | None = None) -> bool:
    """Take processor time from what is saved. With a reserve, take nothing and return False where it would be touched.

    What is saved stands in a file, which all web processes of the machine share, whether there is a Redis or not.
    """
    path = Path(settings.DATA_DIR, "drawing-time")
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        logger.exception("The time for drawings can't be counted")
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        moment, content = monotonic(), os.read(file, DRAWING_TIME.size)
        at, saved = DRAWING_TIME.unpack(content) if len(content) == DRAWING_TIME.size else (moment, MAX_SAVED_DRAWING_S)
        saved = min(MAX_SAVED_DRAWING_S, saved + DRAWING_SHARE * max(0.0, moment - at))  # a reboot sets the clock back
        is_allowed = reserve_s is None or saved - seconds >= reserve_s
        os.pwrite(file, DRAWING_TIME.pack(moment, saved - seconds if is_allowed else saved), 0)
    finally:
        os.close(file)
    return is_allowed


# Reports on the bot of a seat for its owner: the fault, the request, and the answer.


@dataclass(frozen=True, slots=True)
class RefusalReport:
    """The report on one seat, for the owner of its bot."""

    row: LegSeat
    proof: Any
    """Context of the game's proof template for the action that was refused; None where the game explains nothing."""
    proof_template: str


def list_reports(playback: Playback, rows: list[LegSeat]) -> list[RefusalReport]:
    """Return the reports of these seats, whose owner reads."""
    folder = find_presentation(playback.record["game"], playback.record["edition"]).folder
    return [RefusalReport(row, build_refusal_proof(playback, row), f"games/{folder}/proof.html") for row in rows]


def build_refusal_proof(playback: Playback, row: LegSeat) -> Any:
    """Return why the action that ended the leg was refused, where the game has a proof for that."""
    last = playback.record["actions"][-1]
    is_last = last["action"] == "forfeit" and last["seat"] == row.seat
    if row.verdict != Verdict.ILLEGAL or not is_last or not row.fault:
        return None
    try:
        explanation = explain_refused(playback.record, read_action(row.fault.get("sent") or ""))
    except MalformedAction:
        return None
    if explanation is None:
        return None
    presentation = find_presentation(playback.record["game"], playback.record["edition"])
    return presentation.build_proof(playback.scene(playback.last), explanation)


def read_action(sent: str) -> str:
    """Return the action within the line that a bot sent; empty where there is none."""
    try:
        message = orjson.loads(sent)
    except orjson.JSONDecodeError:
        return ""
    action = message.get("action") if isinstance(message, dict) else None
    return action if isinstance(action, str) else ""


# The page of a match, with its replay once it is over, and its downloads.

LAST = "last"
"""Value of `turn` and `leg` in an address: the last one."""
FAULT_PREFIX = "fault-"
"""Prefix of a seat's number in `turn`: the turn at which that seat went out."""
DECISION_PREFIX = "decision-"
"""Prefix of a decision's index in `turn`: the turn to which it belongs."""
CACHE_FOREVER = "public, max-age=31536000, immutable"


@gzip_page
def show_match(request: HtmxRequest, pk: int) -> HttpResponse:
    """Show the replay of a match, or before it may be shown what everybody may see."""
    match = find_match(request.user, pk)
    if match is None:
        raise Http404
    keep_private(request, match)
    row = read_rated_row(match)
    if match.state != Match.State.FINISHED or is_deal_in_play(match):
        return results.show_unfinished(request, row)
    if request.htmx and not request.htmx.boosted:
        return HttpResponseClientRedirect(f"{match.get_absolute_url()}?{urlencode({'leg': LAST, 'turn': LAST})}")
    both = [] if request.GET else find_even_legs(row)
    return show_both_legs(request, row, both) if both else show_replay(request, row)


@dataclass(frozen=True, slots=True)
class LinkPreview:
    """The preview that other sites show of a link to this page."""

    title: str
    description: str
    url: str
    image_path: str
    """The image of the turn shown."""
    image: str
    """The same, as an address for other sites."""


def show_both_legs(request: HtmxRequest, row: MatchRow, legs: list[Leg]) -> HttpResponse:
    """Show both legs of a drawn match side by side. Other sites show a preview of the first."""
    context = build_comparison(request, row, legs)
    first = context["legs"][0]
    context["preview"] = build_link_preview(request, row, list(first.seats), first.playback, 0)
    return render(request, "matches/leg_comparison.html", context)


def show_replay(request: HtmxRequest, row: MatchRow) -> HttpResponse:
    """Show one leg of a finished match at the step and for the eyes that the address asks for."""
    match = row.match
    attach_leg_seats([part.participant for part in row.parts])
    legs = list_legs(match)
    leg = choose_leg(request.GET, legs)
    leg.record = fetch_record(leg)
    games = list_games(row, legs) if match.series else []
    context = {"match": match, "row": row, "legs": legs, "leg": leg, "games": games}
    context["named_round"] = find_named_round(request, match)
    if leg.record is None:
        lost = _("The record of leg %(number)s was lost in an arena failure. The match result stands.")
        context["explanation"] = explain_missing_record(match, lost % {"number": leg.number})
        return render(request, "matches/lost.html", context)
    seats = list_seats([leg])
    own = [seat.seat for seat in seats if seat.participant.version.bot.has_author(request.user)]
    remote = [seat for seat in seats if seat.participant.version.bot.is_remote]
    view = read_view(request.GET.get("view", ""), own, len(seats))
    panel = build_analysis_panel(leg, request.GET)
    analysis = read_shown_analysis(panel)
    playback = add_judgements(play_back(leg.record_data, view), analysis)
    number = read_asked_turn(request.GET, playback)
    context |= {
        "seats": seats,
        "view": name_view(view),
        "was_out_of_range": number > playback.last,
        "reports": list_reports(playback, [seat for seat in seats if seat.seat in own]),
        "reruns": list_rerun_commands(request, leg, seats, own, playback, number),
        "remote_seats": remote,
        "next_matches": list_next_matches([part.version for part in row.parts], match.pk, reader_of(request)),
        "other_leg": find_other_leg(legs, leg),
        "preview": build_link_preview(request, row, seats, playback, number),
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


def read_asked_turn(query: QueryDict, playback: Playback) -> int:
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


def build_link_preview(
    request: HttpRequest, row: MatchRow, seats: list[LegSeat], playback: Playback, number: int
) -> LinkPreview:
    """Return the preview of this page for other sites."""
    match, leg = row.match, seats[0].leg.number
    bots = _(" v ").join(map(isolate, name_bots(seats)))
    return build_preview(
        request,
        playback,
        number,
        title=_("%(bots)s, match %(number)s") % {"bots": bots, "number": match.pk},
        query={"leg": leg},
        address=lambda turn: reverse("preview_png", args=[match.pk, turn]),
    )


def build_preview(
    request: HttpRequest,
    playback: Playback,
    number: int,
    *,
    title: str,
    query: Mapping[str, Any],
    address: Callable[[int], str],
) -> LinkPreview:
    """Return the preview of a replay: how it ended, and its decisive turn unless the address asks for another one.

    `address` is that of the picture of a turn; `query` is added to it, and to the page's address.
    """
    seen = min(number, playback.last)
    shown = seen if "turn" in request.GET else find_turn_to_show(playback)
    record = playback.record
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    if presentation.name_players is not None:
        presentation = presentation.name_players(tuple(str(seat.get("name", "")) for seat in record["seats"]), None)
    ending = presentation.describe_ending(playback.scene(shown))
    told = (f"{record_rules_title(record)}.", f"{ending}.", describe_turn(playback, shown, presentation))
    parameters = urlencode({**query, "view": name_view(playback.onlooker)})
    return LinkPreview(
        title=title,
        description=" ".join(filter(None, told)),
        url=request.build_absolute_uri(f"{request.path}?{parameters}&turn={shown}"),
        image_path=f"{address(seen)}?{parameters}",
        image=request.build_absolute_uri(f"{address(shown)}?{parameters}&{RESULT_PARAMETER}=on"),
    )


def describe_turn(playback: Playback, shown: int, presentation: Presentation) -> str:
    """Return the turn of a step and what was done in it; empty for the deal."""
    step = playback.steps[shown]
    lines = " ".join(f"{line}." for line in presentation.describe_step(step))
    return _("Turn %(turn)s: %(what)s") % {"turn": step.turn or shown, "what": lines} if lines else ""


def build_frames_url(leg: Leg, onlooker: int | None, seats: list[LegSeat], panel: AnalysisPanel) -> str:
    """Return the address of the frames, with the tag in it: what was fetched once is not even asked for again."""
    key = panel.shown.key if panel.shown else None
    parameters = {"view": name_view(onlooker), "tag": tag_frames(leg.record, onlooker, seats, key)}
    query = urlencode(parameters | ({"analysis": "off"} if panel.is_hidden else {}))
    return f"{reverse('frames', args=[leg.match_id, leg.number])}?{query}"


def send_match_frames(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Send all steps of a leg in the reader's language, for one pair of eyes. See `build_frames`."""
    leg = find_opened_leg(request, pk, number)
    seats = list_seats([leg])
    onlooker = read_view(request.GET.get("view", ""), [], len(seats))
    shown = None if request.GET.get("analysis") == "off" else fetch_shown(leg)
    tag = tag_frames(leg.record, onlooker, seats, shown.key if shown else None)
    etag = quote_etag(tag)
    known = get_conditional_response(request, etag=etag)
    analysis = shown.content if shown and not known else None
    response = known or HttpResponse(pack_frames(leg.record_data, onlooker, seats, tag, analysis), "application/json")
    if known is None:
        response["Content-Encoding"] = "gzip"
        response["ETag"] = etag
    response["Cache-Control"] = CACHE_FOREVER if request.GET.get("tag") == tag else "no-cache"
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


def send_dialogue(request: HttpRequest, pk: int, turn: int) -> HttpResponse:
    """Send what bots were asked in one step of a leg, and what they answered. See `list_exchanges`."""
    leg = find_opened_leg(request, pk, read_key(request.GET, "leg") or 1)
    playback = play_back(leg.record_data, PUBLIC_ONLOOKER)
    if turn > playback.last:
        raise Http404(_("This leg ends on turn %(last)s.") % {"last": playback.last})
    numbers = [entry.number for entry in playback.steps[turn].entries]
    found = list_exchanges(leg.record_data, min(numbers, default=0), max(numbers, default=-1) + 1)
    response = HttpResponse(orjson.dumps(list(found), option=orjson.OPT_INDENT_2), content_type="application/json")
    response["Cache-Control"] = CACHE_FOR_AN_HOUR
    return response


def send_leg_record(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Send the record of a leg. Hands, decks and logs of a match that is not over reach nobody."""
    leg = find_opened_leg(request, pk, number)
    response = HttpResponse(leg.record_json, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, build_record_file_name(leg)) or "attachment"
    response["Cache-Control"] = CACHE_FOREVER
    return response


def send_match_records(request: HttpRequest, pk: int) -> HttpResponse:
    """Send the records of all legs in one file."""
    match = find_opened_match(request, pk)
    legs = [leg for leg in list_legs_with_records(match) if leg.record is not None]
    if not legs:
        raise Http404(explain_missing_record(match, _("This match's records were lost.")))
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


# Show an uploaded record as the replay of a match is shown. Nothing of it is stored.

MAX_RECORD_BYTES = 1_000_000
MAX_RECORD_ACTIONS = 3_000
"""More than any leg takes under the rules of an edition; each has to be played again."""
MAX_RECORD_FRAMES = 400
"""A longer leg is not sent as a whole: each of its steps is asked for."""
REPLAY_ERRORS = (BadRecord, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""Errors that playing an invalid record may raise."""


@dataclass(frozen=True, slots=True)
class RecordError(Exception):
    """The upload can't be shown; the message says why and what to do."""

    message: str


@gzip_page
@require_http_methods(["GET", "HEAD", "POST"])
def show_viewer(request: HttpRequest) -> HttpResponse:
    """Ask for a record, or show the one that is sent."""
    if request.method != "POST":
        return render(request, "matches/viewer/open.html", describe_limits())
    try:
        record = read_uploaded_record(read_upload(request))
    except RecordError as error:
        context = {
            **describe_limits(),
            "error": error.message,
            "text": request.POST.get("record", "")[:MAX_RECORD_BYTES],
        }
        return render(request, "matches/viewer/open.html", context, status=422)
    return show_uploaded_record(request, record)


def describe_limits() -> dict[str, Any]:
    """Return what the form says of the records it takes."""
    return {"most_kb": MAX_RECORD_BYTES // 1000, "format": FORMAT}


def read_upload(request: HttpRequest) -> bytes:
    """Return the file, or what was pasted. Raises RecordError."""
    upload = request.FILES.get("file")
    text: bytes = (
        upload.read(MAX_RECORD_BYTES + 1) if upload else request.POST.get("record", "").encode(errors="replace")
    )
    if not text.strip():
        raise RecordError(_("Choose a file or paste a record."))
    if len(text) > MAX_RECORD_BYTES:
        message = _("A record can't be larger than %(most)s KB. Choose the record of a single leg.")
        raise RecordError(message % {"most": MAX_RECORD_BYTES // 1000})
    return text


def read_uploaded_record(text: bytes) -> Json:
    """Return a valid record. Raises RecordError."""
    try:
        record = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if text[:2] == b"PK":
            raise RecordError(_("This is a zip file. Unpack it and choose one of its records.")) from error
        message = _("This isn't JSON (%(error)s). Choose the original file, as downloaded or written by the command.")
        raise RecordError(message % {"error": error}) from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        message = _("This JSON isn't the record of a leg: its format should be “%(format)s”.")
        raise RecordError(message % {"format": FORMAT})
    if isinstance(record.get("actions"), list) and len(record["actions"]) > MAX_RECORD_ACTIONS:
        message = _("This record has more than %(most)s actions, too many to show here.")
        raise RecordError(message % {"most": MAX_RECORD_ACTIONS})
    try:
        verify(record)
    except REPLAY_ERRORS as error:
        message = _("This record isn't valid: %(error)s. It was changed or made under different rules.")
        raise RecordError(message % {"error": error}) from error
    return record


def show_uploaded_record(request: HttpRequest, record: Json) -> HttpResponse:
    """Show the record after the step asked for. Without script each step is a button that sends the record again."""
    view = read_view(request.POST.get("view", ""), [], len(record["seats"]))
    seats = seat_guests(record)
    playback = play_back(record, view)
    number = min(read_key(request.POST, "turn") or read_key(request.POST, "at") or 0, playback.last)
    is_whole = "turn" not in request.POST and playback.last <= MAX_RECORD_FRAMES
    context = {
        "text": orjson.dumps(record).decode(),
        "seats": seats,
        "view": name_view(view),
        "rules": record_rules_title(record),
        "is_loose": True,
        "frames": build_frames(playback, seats) if is_whole else None,
        **build_leg_context(playback, number, 0),
    }
    return render(request, "matches/viewer/replay.html", context)
