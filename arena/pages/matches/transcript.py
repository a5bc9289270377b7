"""A whole match in words: every leg as a list of its steps, to be read by ear, or kept as a plain file."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache as shelf
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import conditional_escape, escape
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.gzip import gzip_page

from arena.matches.models import Leg
from arena.pages.formatting import format_milliseconds
from arena.pages.games import picture_of
from arena.pages.games.picture import Line, Picture
from arena.pages.matches.frames import KEPT_S, tag_frames
from arena.pages.matches.moves import WEIGHTY
from arena.pages.matches.opened import find_opened_match
from arena.pages.matches.replay import Film, Step, play_back
from arena.pages.matches.results import Row, read_row
from arena.pages.svg.icons import icon

TAG = re.compile("<[^>]*>")


@dataclass(frozen=True, slots=True)
class Told:
    """A step in words."""

    step: Step
    lines: list[Line]
    time: str
    """What the answer took; empty where nobody was asked."""


@dataclass(frozen=True, slots=True)
class Tale:
    """A leg in words."""

    number: int
    seats: list[tuple[str, str]]
    """What the game calls each seat, and the bot that sat there."""
    steps: list[Told]
    ending: str
    is_lost: bool = False
    """Its record was lost in a fault."""


@gzip_page
def match_text(request: HttpRequest, pk: int) -> HttpResponse:
    """`?format=txt` sends a plain file."""
    match = find_opened_match(pk)
    row = read_row(match)
    legs = list(match.legs.order_by("number"))
    if request.GET.get("format") == "txt":
        text = "\n".join(write_match(row, [tell_leg(leg, row) for leg in legs]))
        response = HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8")
        response["Content-Disposition"] = content_disposition_header(True, f"pennant-{pk}.txt")
        return response
    tales = [(leg, show_leg(leg, row)) for leg in legs]
    return render(request, "matches/text.html", {"match": match, "row": row, "tales": tales})


def show_leg(leg: Leg, row: Row) -> str:
    """A leg as a list of links; the same for all readers of a language, and so kept for the next one."""
    tag = f"text:{tag_frames(leg.record or b'', None, sit(leg, row))}:{leg.match_id}:{leg.number}"
    drawn: str | None = shelf.get(tag)
    if drawn is None:
        tale = tell_leg(leg, row)
        drawn = render_to_string("matches/_tale.html", {"tale": tale, "steps": draw_steps(tale, leg.match_id)})
        shelf.set(tag, drawn, KEPT_S)
    return drawn


def sit(leg: Leg, row: Row) -> list[Any]:
    """Who sat at each seat of a leg."""
    by_index = {part.participant.index: part for part in row.parts}
    return [by_index[index] for index in leg.seating]


def tell_leg(leg: Leg, row: Row) -> Tale:
    bots = [f"{part.version.bot.name} {part.version.number}" for part in sit(leg, row)]
    picture = picture_of(row.match.game, row.match.edition)
    seats = [(picture.name_seat(seat), bot) for seat, bot in enumerate(bots)]
    if leg.record is None:
        return Tale(leg.number, seats, [], "", is_lost=True)
    film = play_back(leg.record_data, None, kept=0)
    return Tale(leg.number, seats, tell_steps(film, picture), picture.tell_ending(film.scene(0)))


def draw_steps(tale: Tale, match: int) -> SafeString:
    """Items of a list, each with the way to its step. A leg has many steps, so no template is asked."""
    address = f"{reverse('match', args=[match])}?leg={tale.number}&amp;turn="
    return mark_safe("\n".join(draw_step(told, address) for told in tale.steps))


def draw_step(told: Told, address: str) -> str:
    step = told.step
    turn = "·" if step.is_opening else step.turn
    lines = "".join(map(draw_line, told.lines))
    return (
        f'<li><a class="seat-{step.seat}" href="{address}{step.number}"><span class="turn">{turn}</span>'
        f'{icon(f"pennant-{step.seat}")}<span class="says">{lines}</span>'
        f'<span class="time">{escape(told.time)}</span></a></li>'
    )


def draw_line(line: Line) -> str:
    return f"<span{WEIGHTY * line.is_weighty}>{conditional_escape(line.text)}.</span> "


def tell_steps(film: Film, picture: Picture) -> list[Told]:
    return [Told(step, picture.tell(step), tell_time(step)) for step in film.steps[1:]]


def tell_time(step: Step) -> str:
    return format_milliseconds(step.spent.wall_ms) if step.spent else ""


def write_match(row: Row, tales: Sequence[Tale]) -> Iterator[str]:
    """Lines of plain text."""
    match = row.match
    names = _(" v ").join(f"{part.version.bot.name} {part.version.number}" for part in row.parts)
    scores = " : ".join(part.score for part in row.parts)
    number = _("match %(number)s") % {"number": match.pk}
    yield f"{names}, {number}: {scores}"
    if match.finished_at:
        yield f"{match.finished_at:%Y-%m-%d %H:%M} UTC"
    for tale in tales:
        yield ""
        yield from write_leg(tale)


def write_leg(tale: Tale) -> Iterator[str]:
    yield _("Leg %(number)s") % {"number": tale.number}
    for seat, bot in tale.seats:
        yield f"{seat}: {bot}"
    if tale.is_lost:
        yield _("The record of this leg was lost.")
        return
    for told in tale.steps:
        sentences = " ".join(f"{plain(line)}." for line in told.lines)
        turn = told.step.turn or 0
        yield f"{turn:>3}  {sentences}{f' ({told.time})' if told.time else ''}"
    steps = len(tale.steps)
    yield ngettext("%(ending)s, after %(count)s step.", "%(ending)s, after %(count)s steps.", steps) % {
        "ending": tale.ending,
        "count": steps,
    }


def plain(line: Line) -> str:
    """A sentence without its pictures."""
    text = html.unescape(TAG.sub("", line.text)) if isinstance(line.text, SafeString) else line.text
    return " ".join(text.split())
