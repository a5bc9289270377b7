"""A whole match in words: every leg as a list of its steps, for screen readers or as a plain file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache as shelf
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.gzip import gzip_page

from arena.matches.models import Leg
from arena.matches.queries.replays import attach_leg_seats, list_legs_with_records
from arena.matches.retention import explain_missing_record
from arena.pages.formatting import format_milliseconds, rules_title
from arena.pages.games import find_presentation
from arena.pages.matches.frames import CACHE_TIMEOUT_S, tag_frames
from arena.pages.matches.moves import Move, list_moves
from arena.pages.matches.opened import find_opened_match
from arena.pages.matches.replay import play_back
from arena.pages.matches.results import Row, read_row
from arena.pages.matches.series import list_games


@dataclass(frozen=True, slots=True)
class LegTranscript:
    """A leg in words."""

    number: int
    seats: list[tuple[str, str]]
    """The game's name of each seat, and the bot that sat there."""
    moves: list[Move]
    ending: str
    missing: str = ""
    """Why there is no record; empty where there is one."""
    standing: str = ""
    """How the series stood after it; empty where the match is none."""


@gzip_page
def match_text(request: HttpRequest, pk: int) -> HttpResponse:
    """Show all legs of a match in words; `?format=txt` sends a plain file."""
    match = find_opened_match(request, pk)
    row = read_row(match)
    legs = list_legs_with_records(match)
    standings = describe_standings(row, legs)
    if request.GET.get("format") == "txt":
        text = "\n".join(write_match(row, [transcribe_leg(leg, row, standings[leg.pk]) for leg in legs]))
        response = HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8")
        response["Content-Disposition"] = content_disposition_header(True, f"pennant-{pk}.txt") or "attachment"
        return response
    rendered = [(leg, render_leg(leg, row, standings[leg.pk])) for leg in legs]
    return render(request, "matches/transcript.html", {"match": match, "row": row, "legs": rendered})


def describe_standings(row: Row, legs: Sequence[Leg]) -> dict[int, str]:
    """Return how the series stood after each leg, by its key; empty where the match is no series."""
    if not row.match.series:
        return dict.fromkeys([leg.pk for leg in legs], "")
    attach_leg_seats([part.participant for part in row.parts])
    names = [part.version.bot.name for part in row.parts]
    found = {}
    for game in list_games(row, legs):
        scores = ", ".join(f"{name} {score}" for name, score in zip(names, game.standing, strict=True))
        found[game.leg.pk] = _("The series stands at: %(scores)s.") % {"scores": scores}
    return found


def render_leg(leg: Leg, row: Row, standing: str) -> str:
    """Return a leg as a list of links; the same for all readers of a language, and so kept for the next one."""
    tag = f"text:{tag_frames(leg.record, None, list_parts_by_seat(leg, row))}:{leg.match_id}:{leg.number}"
    drawn: str | None = shelf.get(tag)
    if drawn is None:
        url = f"{reverse('match', args=[leg.match_id])}?leg={leg.number}&turn="
        drawn = render_to_string("matches/_transcript.html", {"leg": transcribe_leg(leg, row, standing), "url": url})
        shelf.set(tag, drawn, CACHE_TIMEOUT_S)
    return drawn


def list_parts_by_seat(leg: Leg, row: Row) -> list[Any]:
    """Return who sat at each seat of a leg."""
    by_index = {part.participant.index: part for part in row.parts}
    return [by_index[index] for index in leg.seating]


def transcribe_leg(leg: Leg, row: Row, standing: str) -> LegTranscript:
    """Return a leg in words."""
    bots = [f"{part.version.bot.name} {part.version.number}" for part in list_parts_by_seat(leg, row)]
    presentation = find_presentation(row.match.game, row.match.edition)
    seats = [(presentation.name_seat(seat), bot) for seat, bot in enumerate(bots)]
    if leg.record is None:
        missing = explain_missing_record(row.match, _("The record of this leg was lost."))
        return LegTranscript(leg.number, seats, [], "", missing=missing, standing=standing)
    playback = play_back(leg.record_data, None, only_step=0)
    ending = presentation.describe_ending(playback.scene(0))
    moves = list_moves(playback, presentation, limit_ms=0)
    return LegTranscript(leg.number, seats, moves, ending, standing=standing)


def write_match(row: Row, legs: Sequence[LegTranscript]) -> Iterator[str]:
    """Yield lines of plain text."""
    match = row.match
    names = _(" v ").join(f"{part.version.bot.name} {part.version.number}" for part in row.parts)
    scores = " : ".join(part.score for part in row.parts)
    number = _("match %(number)s") % {"number": match.pk}
    yield f"{names}, {number}: {scores}"
    yield rules_title(match)
    if row.series_name:
        yield row.series_name
    if match.finished_at:
        yield f"{match.finished_at:%Y-%m-%d %H:%M} UTC"
    for leg in legs:
        yield ""
        yield from write_leg(leg)


def write_leg(leg: LegTranscript) -> Iterator[str]:
    """Yield the lines of a leg."""
    yield _("Leg %(number)s") % {"number": leg.number}
    for seat, bot in leg.seats:
        yield f"{seat}: {bot}"
    if leg.missing:
        yield leg.missing
        return
    for move in leg.moves:
        sentences = " ".join(f"{line}." for line in move.lines)
        spent = move.step.spent
        time = f" ({format_milliseconds(spent.wall_ms)})" if spent else ""
        yield f"{move.step.turn or 0:>3}  {sentences}{time}"
    steps = len(leg.moves)
    yield ngettext("%(ending)s, after %(count)s step.", "%(ending)s, after %(count)s steps.", steps) % {
        "ending": leg.ending,
        "count": steps,
    }
    if leg.standing:
        yield leg.standing
