"""Show an uploaded record as the replay of a match is shown. Nothing of it is stored."""

from dataclasses import dataclass
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from arena.pages.formatting import record_rules_title
from arena.pages.matches.detail import build_leg_context
from arena.pages.matches.frames import build_frames
from arena.pages.matches.guests import seat_guests
from arena.pages.matches.onlookers import name_view, read_view
from arena.pages.matches.replay import play_back
from arena.pages.paging import read_key
from engine.core import Json
from engine.replay import FORMAT, BadRecord, verify

MAX_BYTES = 1_000_000
MAX_ACTIONS = 3_000
"""More than any leg takes under the rules of an edition; each has to be played again."""
MAX_FRAMES = 400
"""A longer leg is not sent as a whole: each of its steps is asked for."""
REPLAY_ERRORS = (BadRecord, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""Errors that playing an invalid record may raise."""


@dataclass(frozen=True, slots=True)
class RecordError(Exception):
    """The upload can't be shown; the message says why and what to do."""

    message: str


@gzip_page
@require_http_methods(["GET", "HEAD", "POST"])
def viewer(request: HttpRequest) -> HttpResponse:
    """Ask for a record, or show the one that is sent."""
    if request.method != "POST":
        return render(request, "matches/viewer/open.html", describe_limits())
    try:
        record = read_record(read_upload(request))
    except RecordError as error:
        context = {**describe_limits(), "error": error.message, "text": request.POST.get("record", "")[:MAX_BYTES]}
        return render(request, "matches/viewer/open.html", context, status=422)
    return show_record(request, record)


def describe_limits() -> dict[str, Any]:
    """Return what the form says of the records it takes."""
    return {"most_kb": MAX_BYTES // 1000, "format": FORMAT}


def read_upload(request: HttpRequest) -> bytes:
    """Return the file, or what was pasted. Raises RecordError."""
    upload = request.FILES.get("file")
    text: bytes = upload.read(MAX_BYTES + 1) if upload else request.POST.get("record", "").encode(errors="replace")
    if not text.strip():
        raise RecordError(_("Choose a file, or paste a record."))
    if len(text) > MAX_BYTES:
        message = _("This is larger than %(most)s KB, which no record is. Choose the record of one leg.")
        raise RecordError(message % {"most": MAX_BYTES // 1000})
    return text


def read_record(text: bytes) -> Json:
    """Return a valid record. Raises RecordError."""
    try:
        record = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if text[:2] == b"PK":
            raise RecordError(_("This is a zip file. Unpack it, and choose one of the records in it.")) from error
        message = _("This is not JSON (%(error)s). Choose the file as it was downloaded, or as the command wrote it.")
        raise RecordError(message % {"error": error}) from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        message = _("This is JSON, but not a record of a leg: its format should be “%(format)s”.")
        raise RecordError(message % {"format": FORMAT})
    if isinstance(record.get("actions"), list) and len(record["actions"]) > MAX_ACTIONS:
        message = _("This record has more than %(most)s actions, too many to be shown here.")
        raise RecordError(message % {"most": MAX_ACTIONS})
    try:
        verify(record)
    except REPLAY_ERRORS as error:
        message = _(
            "This record is not valid: %(error)s. It was changed, or made by other rules. Only records that can be "
            "replayed are shown."
        )
        raise RecordError(message % {"error": error}) from error
    return record


def show_record(request: HttpRequest, record: Json) -> HttpResponse:
    """Show the record after the step asked for. Without script each step is a button that sends the record again."""
    view = read_view(request.POST.get("view", ""), [], len(record["seats"]))
    seats = seat_guests(record)
    playback = play_back(record, view)
    number = min(read_key(request.POST, "turn") or read_key(request.POST, "at") or 0, playback.last)
    is_whole = "turn" not in request.POST and playback.last <= MAX_FRAMES
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
