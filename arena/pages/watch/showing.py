"""The match that is shown to spectators, at the turn where its showing begins, and those that come next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.groups.audience import Audience
from arena.ladders.playlist import Choice, Reason, build_playlist
from arena.ladders.queries.rated_matches import fetch_rating_steps
from arena.ladders.queries.showable import find_longest_leg, list_candidates
from arena.matches.models import LegSeat, Participant
from arena.matches.queries.replays import list_finished_matches, list_seats
from arena.pages.formatting import format_percent
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Presentation
from arena.pages.matches.frames import tag_frames
from arena.pages.matches.opened import open_leg
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Playback, play_back, play_to
from arena.pages.matches.results import Row, list_rows, read_row
from arena.pages.matches.stage import build_stage
from arena.pages.svg.timeline import format_svg_percent
from engine.registry import GAMES

PLAYLIST_LENGTH = 12
PLAYLIST_CACHE_S = 300
UP_NEXT_SHOWN = 3
STEPS_BEFORE_FIRST_MARK = 6
"""A showing begins this many steps before the first claim or attack, so that the board is not bare."""


@dataclass(frozen=True, slots=True)
class ShownSeat:
    """One side of the leg that is shown."""

    seat: int
    participant: Participant
    rating: float | None
    """Its rating before the match, in Elo; None where the match is not rated."""
    has_crest: bool = True


@dataclass(frozen=True, slots=True)
class ShownMark:
    """A claim or an attack on the bar under the board."""

    step: int
    seat: int
    x: str


@dataclass(frozen=True, slots=True)
class Showing:
    """A leg that is shown step by step."""

    row: Row
    leg: int
    reason: str
    """Why it was chosen; empty where a reader asked for it."""
    start: int
    last: int
    marks: list[ShownMark]
    tag: str
    """The tag of its frames, see `tag_frames`."""
    stage: dict[str, Any]
    """The context of `matches/_stage.html`."""

    @property
    def done(self) -> str:
        """Return where the first step shown lies on the bar."""
        return format_svg_percent(self.start / max(self.last, 1))


@dataclass(frozen=True, slots=True)
class Next:
    """A match that is shown later."""

    row: Row
    reason: str


def fetch_playlist() -> list[Choice]:
    """Return the playlist of this moment, which is kept for some minutes."""
    kept: list[Choice] | None = cache.get("playlist")
    if kept is None:
        kept = build_playlist(list_candidates(), PLAYLIST_LENGTH)
        cache.set("playlist", kept, PLAYLIST_CACHE_S)
    return kept


def build_showing(
    audience: Audience, playlist: Sequence[Choice], match: int | None, leg: int | None = None
) -> Showing | None:
    """Return the showing of a match, or of the first one of the playlist; None where nothing has been played.

    Raises Http404 for a match that the audience may not see.
    """
    if match is None and playlist:
        finished = list_finished_matches(audience, [choice.match for choice in playlist])
        match = next((one.pk for one in finished if one.game in GAMES), None)
    if match is None:
        return None
    chosen = next((choice for choice in playlist if choice.match == match), None)
    return show_leg(audience, match, leg or find_longest_leg(match), describe_reason(chosen) if chosen else "")


def show_leg(audience: Audience, match: int, number: int, reason: str = "") -> Showing:
    """Return the showing of a leg. Raises Http404 where the audience may not see it."""
    leg = open_leg(audience, match, number)
    seats = list_seats([leg])
    presentation = find_presentation(leg.match.game, leg.match.edition, leg.match.options)
    playback = play_back(leg.record_data, PUBLIC_ONLOOKER, only_step=0)
    marks = list_shown_marks(playback, presentation)
    first = marks[0].step if marks else playback.last
    start = max(0, min(first, playback.last) - STEPS_BEFORE_FIRST_MARK)
    scene = play_to(leg.record_data, start, PUBLIC_ONLOOKER)
    return Showing(
        row=read_row(leg.match),
        leg=number,
        reason=reason,
        start=start,
        last=playback.last,
        marks=marks,
        tag=tag_frames(leg.record, PUBLIC_ONLOOKER, seats),
        stage=build_stage(scene, presentation) | {"seats": list_shown_seats(match, seats)},
    )


def list_shown_marks(playback: Playback, presentation: Presentation) -> list[ShownMark]:
    """Return the marks of the kind that decides a leg, at most one a step."""
    kind = next(iter(presentation.jump_labels), "")
    found: dict[int, ShownMark] = {}
    for step in playback.steps:
        for mark in presentation.list_marks(step):
            if mark.kind == kind:
                x = format_svg_percent(step.number / max(playback.last, 1))
                found.setdefault(step.number, ShownMark(step.number, mark.seat, x))
    return list(found.values())


def list_shown_seats(match: int, seats: Sequence[LegSeat]) -> list[ShownSeat]:
    """Return the sides of a leg by seat, with their ratings before the match."""
    steps = fetch_rating_steps([match]).get(match, {})
    before = {version: step.before for version, step in steps.items()}
    return [ShownSeat(seat.seat, seat.participant, before.get(seat.participant.version_id)) for seat in seats]


def list_next(playlist: Sequence[Choice], shown: int | None) -> list[Next]:
    """Return what is shown after a match: the following matches of the playlist, which begins anew after its end."""
    order = [choice.match for choice in playlist]
    at = order.index(shown) + 1 if shown in order else 0
    following = [choice for choice in [*playlist[at:], *playlist[:at]] if choice.match != shown][:UP_NEXT_SHOWN]
    reasons = {choice.match: describe_reason(choice) for choice in following}
    matches = [match for match in list_finished_matches(Audience(), list(reasons)) if match.game in GAMES]
    return [Next(row, reasons[row.match.pk]) for row in list_rows(matches)]


def describe_reason(choice: Choice) -> str:
    """Return in a few words why a match was chosen."""
    value = choice.value
    match choice.reason:
        case Reason.CLOSEST:
            points = round(value)
            apart = ngettext(
                "Evenly matched: %(points)d point apart", "Evenly matched: %(points)d points apart", points
            )
            return apart % {"points": points} if points else _("Evenly matched: the same rating")
        case Reason.UPSET:
            return _("Upset of the day: its chance was %(percent)s") % {"percent": format_percent(value)}
        case Reason.NEW_VERSION:
            return _("First rated match of version %(number)d") % {"number": round(value)}
        case Reason.BEST:
            return _("Match of the day")
