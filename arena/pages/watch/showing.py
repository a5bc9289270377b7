"""The match that is shown to spectators, at the turn where its showing begins, and those that come next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.cache import cache
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.bots.models import Bot
from arena.groups.audience import Audience
from arena.ladders.playlist import Choice, Reason, build_playlist
from arena.ladders.queries.rated_matches import RatingStep, fetch_rating_steps
from arena.ladders.queries.showable import find_longest_leg, list_candidates
from arena.matches.models import Leg, LegSeat, Participant
from arena.matches.queries.replays import (
    count_legs_of,
    find_finished_match,
    list_finished_matches,
    list_next_matches,
    list_seats,
)
from arena.pages.formatting import format_percent
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Presentation
from arena.pages.matches.end_picture import Picture, draw_end
from arena.pages.matches.frames import tag_frames
from arena.pages.matches.onlookers import PUBLIC
from arena.pages.matches.opened import open_leg
from arena.pages.matches.replay import NO_STEP, PUBLIC_ONLOOKER, Playback, Scene, play_back, play_to
from arena.pages.matches.results import Row, read_rows
from arena.pages.matches.stage import build_stage
from arena.pages.svg.timeline import format_svg_percent
from engine.registry import GAMES

PLAYLIST_LENGTH = 300
"""As many as are found: who has seen the first ones today is shown others, for twelve hours without a repetition."""
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
    frames_url: str
    stage: dict[str, Any]
    """The context of `matches/_stage.html`."""
    end: "ShownEnd | None"
    """None while the leg is played."""

    @property
    def done(self) -> str:
        """Return where the first step shown lies on the bar."""
        return format_svg_percent(self.start / max(self.last, 1))

    @property
    def is_at_end(self) -> bool:
        """Return whether it begins with the last step, and with its result."""
        return self.end is not None and self.start == self.last


@dataclass(frozen=True, slots=True)
class ShownEnd:
    """What is shown of a leg when its last step has been: the result, and where to go from there."""

    picture: Picture | None
    other_leg: int | None
    """Number of the leg to watch after this one; None where it is alone."""
    next_matches: list[tuple[Bot, int]]
    """Bots of the match, each with the key of its next match, where it has played one since."""


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
    audience: Audience, playlist: Sequence[Choice], match: int | None, leg: int | None = None, *, at_end: bool = False
) -> Showing | None:
    """Return the showing of a match, or of the first one of the playlist; None where nothing has been played.

    With `at_end` it begins with the last step. Raises Http404 for a match that the audience may not see.
    """
    if match is None:
        finished = (find_finished_match(audience, choice.match) for choice in playlist)
        match = next((one.pk for one in finished if one and one.game in GAMES), None)
    if match is None:
        return None
    chosen = next((choice for choice in playlist if choice.match == match), None)
    reason = describe_reason(chosen) if chosen else ""
    return show_leg(audience, match, leg or find_longest_leg(match), reason, at_end=at_end)


def show_leg(audience: Audience, match: int, number: int, reason: str = "", *, at_end: bool = False) -> Showing:
    """Return the showing of a leg. Raises Http404 where the audience may not see it."""
    leg = open_leg(audience, match, number)
    seats = list_seats([leg])
    presentation = find_presentation(leg.match.game, leg.match.edition, leg.match.options)
    playback = play_back(leg.record_data, PUBLIC_ONLOOKER, only_step=NO_STEP)
    marks = list_shown_marks(playback, presentation)
    start = playback.last if at_end else choose_start(playback, marks)
    scene = play_to(leg.record_data, start, PUBLIC_ONLOOKER)
    end_scene = scene if at_end else play_to(leg.record_data, playback.last, PUBLIC_ONLOOKER)
    changes = fetch_rating_steps([match])
    return Showing(
        row=read_rows([leg.match], steps=changes)[0],
        leg=number,
        reason=reason,
        start=start,
        last=playback.last,
        marks=marks,
        frames_url=build_public_frames_url(leg, seats),
        stage=build_stage(scene, presentation) | {"seats": list_shown_seats(seats, changes.get(match, {}))},
        end=describe_end(audience, leg, seats, end_scene, presentation),
    )


def choose_start(playback: Playback, marks: Sequence[ShownMark]) -> int:
    """Return the step with which a showing begins."""
    first = marks[0].step if marks else playback.last
    return max(0, min(first, playback.last) - STEPS_BEFORE_FIRST_MARK)


def build_public_frames_url(leg: Leg, seats: Sequence[LegSeat]) -> str:
    """Return the address of the frames of a leg that is over, as everybody may see them."""
    query = urlencode({"view": PUBLIC, "tag": tag_frames(leg.record, PUBLIC_ONLOOKER, seats)})
    return f"{reverse('frames', args=[leg.match_id, leg.number])}?{query}"


def describe_end(
    audience: Audience, leg: Leg, seats: Sequence[LegSeat], scene: Scene, presentation: Presentation
) -> ShownEnd:
    """Return what is shown of a leg when it is over."""
    legs = count_legs_of(leg.match)
    return ShownEnd(
        picture=draw_end(scene, presentation),
        other_leg=leg.number % legs + 1 if legs > 1 and not leg.match.series else None,
        next_matches=list_next_matches([seat.participant.version for seat in seats], leg.match_id, audience),
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


def list_shown_seats(seats: Sequence[LegSeat], changes: Mapping[int, RatingStep]) -> list[ShownSeat]:
    """Return the sides of a leg by seat, with their ratings before the match. `changes` are by version."""
    before = {version: step.before for version, step in changes.items()}
    return [ShownSeat(seat.seat, seat.participant, before.get(seat.participant.version_id)) for seat in seats]


def list_next(playlist: Sequence[Choice], shown: int | None) -> list[Next]:
    """Return what is shown after a match: the following matches of the playlist, which begins anew after its end."""
    order = [choice.match for choice in playlist]
    at = order.index(shown) + 1 if shown in order else 0
    following = [choice for choice in [*playlist[at:], *playlist[:at]] if choice.match != shown][:UP_NEXT_SHOWN]
    reasons = {choice.match: describe_reason(choice) for choice in following}
    matches = [match for match in list_finished_matches(Audience(), list(reasons)) if match.game in GAMES]
    return [Next(row, reasons[row.match.pk]) for row in read_rows(matches)]


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
