"""The match that is shown to spectators, recent or still played: where its showing begins, and what comes next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

import orjson
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localdate, now

from arena.bots.models import Bot
from arena.contests.analysis.queries import fetch_shown, fetch_turning_points
from arena.contests.ladders.queries import RatingStep, fetch_rating_steps, find_game_title
from arena.contests.ladders.showing import (
    EVEN_GAP_ELO,
    LiveMatch,
    PlaylistItem,
    PlaylistReason,
    build_playlist,
    count_rotated,
    find_longest_leg,
    list_candidates,
    list_live_matches,
    needs_recorded_games,
    rotate,
)
from arena.contests.stories.models import Story
from arena.contests.stories.services import fetch_told_matches
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext
from arena.matches.models import Leg, LegSeat, Match, Participant
from arena.matches.queries import (
    count_legs_of,
    find_finished_match,
    find_match,
    list_attempts,
    list_finished_matches,
    list_legs,
    list_next_matches,
    list_running_matches,
    list_seats,
)
from arena.pages.formatting import rules_title, to_percent, variant_title
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Presentation
from arena.pages.matches.frames import (
    STAGE_TEMPLATE,
    EndPicture,
    build_frames,
    build_stage,
    draw_end,
    find_opened_leg,
    list_open_chances,
    open_leg,
    tag_frames,
)
from arena.pages.matches.replay import PUBLIC, PUBLIC_ONLOOKER, Playback, Scene, play_back
from arena.pages.matches.results import LiveLeg, MatchRow, find_live, list_rows, read_rows
from arena.pages.svg.timeline import compute_mean_leads, format_svg_percent, list_reported_chances
from arena.people.groups.models import Audience
from engine.core import Json
from engine.registry import GAMES

# The match that is shown to spectators, at the turn where its showing begins, and those that come next.

StoryKind = Story.Kind
STORY_TITLES: dict[str, str | Promise] = {
    StoryKind.MATCH_OF_THE_DAY: gettext_lazy("Match of the day"),
    StoryKind.UPSET: gettext_lazy("Biggest upset"),
    StoryKind.LONGEST: gettext_lazy("Longest fight"),
    StoryKind.NARROWEST_CLAIM: gettext_lazy("Narrowest claim"),
    StoryKind.CLIMBER: gettext_lazy("Climber of the week"),
    StoryKind.RIVALRY: gettext_lazy("Rivalry"),
    StoryKind.SAME_CARDS: gettext_lazy("Same cards, different ending"),
    StoryKind.ONE_WIN_EACH: gettext_lazy("Same cards, one win each"),
}
PLAYLIST_LENGTH = 300
"""As many as are found: who has seen the first ones today is shown others, for twelve hours without a repetition."""
PLAYLIST_CACHE_S = 300
DAYS_IN_WEEK = 7
PROGRAMME_KEY = "programme:2"
"""What is kept is pickled: another key when its fields change."""
UP_NEXT_SHOWN = 3
SEATS_OF_BAR = (0, 1)
SWING_TURNS = 5
"""The largest change of a chance is looked for among so many turns."""
MIN_SWING_POINTS = 10
STEPS_BEFORE_TURNING_POINT = 6
"""A showing begins this many steps before the leg turns, so that one sees how it comes to that."""


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
class ShownChances:
    """Both sides' chances in a finished leg, which a bar shows step by step.

    Of a running leg nothing is told, nor chosen by it: an analysis sees all cards, and a bot reports what it makes of
    its own hand, so either would tell what is hidden.
    """

    percents: Sequence[int]
    """By step: what the first seat's chance is."""
    start: int
    names: Sequence[str]
    """Who sits at the two seats."""
    is_reported: bool
    """Whether it is the bots' own evaluation, as there is no analysis."""

    @property
    def source(self) -> str:
        """Return in words who says so."""
        return _("The bots' own evaluation") if self.is_reported else _("Analysed chances, all cards open")

    @property
    def now(self) -> list[int]:
        """Return the chances of both where the showing begins."""
        return [self.percents[self.start], 100 - self.percents[self.start]]

    @property
    def swing(self) -> str:
        """Return the largest change in the last turns before the showing begins, in words; empty where it is small."""
        steps = range(max(1, self.start - SWING_TURNS), self.start)
        changes = [(self.percents[self.start] - self.percents[step], step) for step in steps]
        change, step = max(changes, key=lambda one: (abs(one[0]), one[1]), default=(0, 0))
        if abs(change) < MIN_SWING_POINTS:
            return ""
        before, after = self.percents[step], self.percents[self.start]
        values = {"name": self.names[0], "before": before, "after": after, "turns": self.start - step}
        if change < 0:
            values |= {"name": self.names[1], "before": 100 - before, "after": 100 - after}
        words = ngettext(
            "%(name)s's chance rose from %(before)d%% to %(after)d%% in %(turns)d turn",
            "%(name)s's chance rose from %(before)d%% to %(after)d%% in %(turns)d turns",
            self.start - step,
        )
        return words % values


def find_chances(playback: Playback, names: Sequence[str], start: int, analysis: Json | None) -> ShownChances | None:
    """Return the chances in a finished leg of two bots, from its analysis or as both bots reported them.

    Return None where neither knows them from the step on with which the showing begins.
    """
    if len(names) != len(SEATS_OF_BAR):
        return None
    if analysis is not None:
        chances = list_open_chances(playback.steps, analysis)
    else:
        reported = list_reported_chances(playback.steps, len(names))
        if any(of_seat[start] is None for of_seat in reported):
            return None
        chances = [(1 + lead) / 2 for lead in compute_mean_leads(reported)]
    return ShownChances([to_percent(chance) for chance in chances], start, names, analysis is None)


@dataclass(frozen=True, slots=True)
class Showing:
    """A leg that is shown step by step."""

    key: str
    """Its key among all matches and recorded games."""
    row: MatchRow | None
    """None for a recorded game, which is no match of this arena."""
    rules: str
    """The name of its rules."""
    leg: int
    reason: str
    """Why it was chosen; empty where a reader asked for it."""
    start: int
    last: int
    marks: list[ShownMark]
    page_url: str
    """The address of its replay."""
    frames_url: str
    stage: dict[str, Any]
    """The context of `matches/_stage.html`."""
    end: "ShownEnd | None"
    """None while the leg is played."""
    played_on: date | None = None
    """When a recorded game was played; None for a match."""
    chances: ShownChances | None = None
    """None while the leg is played, and where nobody knows them."""

    @property
    def open_url(self) -> str:
        """Return the address of its replay at the step where the showing begins."""
        leg = f"leg={self.leg}&" if self.played_on is None else ""
        return self.page_url if self.end is None else f"{self.page_url}?{leg}turn={self.start}"

    @property
    def when(self) -> str:
        """Return in a word or two when it was played; empty while it is."""
        if self.end is None:
            return ""
        if self.row is None or self.row.match.finished_at is None:
            return _("Recorded game")
        day = localdate(self.row.match.finished_at)
        ago = (localdate() - day).days
        if not ago:
            return _("Played today")
        if ago < DAYS_IN_WEEK:
            return _("Played on %(weekday)s") % {"weekday": date_format(day, "l")}
        return _("Played on %(day)s") % {"day": date_format(day, "DATE_FORMAT")}

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

    picture: EndPicture | None
    other_leg: int | None = None
    """Number of the leg to watch after this one; None where it is alone."""
    next_matches: Sequence[tuple[Bot, int]] = ()
    """Bots of the match, each with the key of its next match, where it has played one since."""
    sides: Sequence[tuple[Any, int]] = ()
    """Bots of a recorded game with their scores; of a match its row has them."""


@dataclass(frozen=True, slots=True)
class NextShown:
    """A match or a recorded game that is shown later."""

    url: str
    bots: Sequence[Any]
    """The name and crest of a bot, as templates ask for them."""
    rules: str
    """The edition, or the game where it has but one."""
    reason: str


@dataclass(frozen=True, slots=True)
class Programme:
    """The matches that spectators are shown at present, in order."""

    best: list[PlaylistItem]
    """Matches of this arena, best first."""
    needs_recorded_games: bool
    """Whether these are not good enough yet."""
    told: Mapping[int, tuple[str, date]]
    """The kind of story and its day, by match, of those that are told of as the best match or the biggest upset."""
    time: datetime

    @property
    def choices(self) -> list[PlaylistItem]:
        """Return the same in the order in which they are shown now."""
        return rotate(self.best, self.time, count_rotated(self.best))


def fetch_programme() -> Programme:
    """Return the programme of this moment, which is the same for everybody.

    Its order is kept for some minutes; by the clock another match comes first.
    """
    kept: Programme | None = cache.get(PROGRAMME_KEY)
    if kept is None:
        candidates = list_candidates()
        playlist = build_playlist(candidates, PLAYLIST_LENGTH)
        kept = Programme(playlist, needs_recorded_games(candidates), fetch_told_matches(), now())
        cache.set(PROGRAMME_KEY, kept, PLAYLIST_CACHE_S)
    return replace(kept, time=now())


def build_showing(
    audience: Audience,
    programme: Programme | None,
    match: int | None,
    leg: int | None = None,
    *,
    at_end: bool = False,
) -> Showing | None:
    """Return the showing of a match, or of the first one of the programme; None where nothing has been played.

    Without a leg it is the one in which the match turned, as far as it has been analysed, or else its longest, and it
    begins before that turn. With `at_end` it begins with the last step. Raises Http404 for a match that the audience
    may not see.
    """
    playlist = programme.choices if programme else []
    if match is None:
        finished = (find_finished_match(audience, choice.match) for choice in playlist)
        match = next((one.pk for one in finished if one and one.game in GAMES), None)
    if match is None:
        return None
    chosen = next((choice for choice in playlist if choice.match == match), None)
    reason = describe_reason(chosen, programme.told) if chosen and programme else ""
    turning_point = fetch_turning_points([match]).get(match)
    number = leg or (turning_point.leg if turning_point else find_longest_leg(match))
    decision = turning_point.decision if turning_point and turning_point.leg == number else None
    showing = show_leg(audience, match, number, reason, decision=decision, at_end=at_end)
    if chosen is None or programme is None or match in programme.told or chosen.reason is PlaylistReason.NEW_VERSION:
        return showing
    return replace(showing, reason=(showing.chances and showing.chances.swing) or reason)


def show_leg(
    audience: Audience,
    match: int,
    number: int,
    reason: str = "",
    *,
    decision: int | None = None,
    at_end: bool = False,
) -> Showing:
    """Return the showing of a leg, which begins before a decision where one is given.

    Raises Http404 where the audience may not see it.
    """
    leg = open_leg(audience, match, number)
    seats = list_seats([leg])
    presentation = find_presentation(leg.match.game, leg.match.edition, leg.match.options)
    playback = play_back(leg.record_data, PUBLIC_ONLOOKER)
    marks = list_shown_marks(playback, presentation)
    start = playback.last if at_end else choose_start(playback, presentation, marks, decision)
    changes = fetch_rating_steps([match])
    names, found = [seat.participant.version.bot.name for seat in seats], fetch_shown(leg)
    return Showing(
        key=str(match),
        row=read_rows([leg.match], steps=changes)[0],
        rules=rules_title(leg.match),
        leg=number,
        reason=reason,
        start=start,
        last=playback.last,
        marks=marks,
        page_url=leg.match.get_absolute_url(),
        frames_url=build_public_frames_url(leg, seats),
        stage=build_stage(playback.scene(start), presentation)
        | {"seats": list_shown_seats(seats, changes.get(match, {}))},
        end=describe_end(audience, leg, seats, playback.scene(playback.last), presentation),
        chances=find_chances(playback, names, start, found.content if found else None),
    )


def choose_start(
    playback: Playback, presentation: Presentation, marks: Sequence[ShownMark], decision: int | None
) -> int:
    """Return the step at which the showing of a finished leg begins: shortly before it turns."""
    if decision is None:
        turn = find_decisive_step(playback, presentation, marks)
    else:
        numbers = (step.number for step in playback.steps for entry in step.entries if entry.number == decision)
        turn = next(numbers, playback.last)
    return max(0, turn - STEPS_BEFORE_TURNING_POINT)


def find_decisive_step(playback: Playback, presentation: Presentation, marks: Sequence[ShownMark]) -> int:
    """Return the step of the claim by which the winner took the lead for good.

    Where nobody did, or where the game measures otherwise how the seats stand, it is the mark at two thirds of all, and
    without marks the last step.
    """
    if not marks:
        return playback.last
    places = playback.record["result"]["places"]
    lead, decisive = 0, None
    for mark in marks:
        is_behind = lead <= 0
        lead += 1 if places[mark.seat] == 1 else -1
        if is_behind and lead > 0:
            decisive = mark
    if decisive is None or lead <= 0 or presentation.measure is not None:
        decisive = marks[len(marks) * 2 // 3]
    return decisive.step


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


def list_next(
    playlist: Sequence[PlaylistItem],
    told: Mapping[int, tuple[str, date]],
    shown: int | None,
    length: int = UP_NEXT_SHOWN,
) -> list[NextShown]:
    """Return what is shown after a match: the following matches of the playlist, which begins anew after its end."""
    order = [choice.match for choice in playlist]
    at = order.index(shown) + 1 if shown in order else 0
    following = [choice for choice in [*playlist[at:], *playlist[:at]] if choice.match != shown][:length]
    reasons = {choice.match: describe_reason(choice, told) for choice in following}
    matches = [match for match in list_finished_matches(Audience(), list(reasons)) if match.game in GAMES]
    return [make_next(row, reasons[row.match.pk]) for row in read_rows(matches)]


def make_next(row: MatchRow, reason: str, url: str = "") -> NextShown:
    """Return a match as one that can be watched, by default on /watch/."""
    url = url or f"{reverse('watch')}?{urlencode({'match': row.match.pk})}"
    rules = name_rules(row.match.game, variant_title(row.match))
    return NextShown(url, [part.version.bot for part in row.parts], rules, reason)


def name_rules(game: str, variant: str) -> str:
    """Return what a list says of the rules: the variant, or the game where it has but one edition."""
    return variant if len(GAMES[game].editions) > 1 else find_game_title(game)


def describe_reason(choice: PlaylistItem, told: Mapping[int, tuple[str, date]]) -> str:
    """Return in a few words why a match was chosen.

    What is an upset, or the best match of a day, only the stories say, so that no page can disagree with another.
    """
    if choice.match in told:
        kind, day = told[choice.match]
        return _("%(story)s, %(day)s") % {"story": STORY_TITLES[kind], "day": date_format(day, "MONTH_DAY_FORMAT")}
    value = choice.value
    match choice.reason:
        case PlaylistReason.CLOSEST:
            return describe_gap(value)
        case PlaylistReason.NEW_VERSION:
            return _("First rated match of version %(number)d") % {"number": round(value)}
        case PlaylistReason.STRONG:
            return describe_weaker(value)


def describe_gap(gap: float) -> str:
    """Return in words how close the ratings of two bots are."""
    points = round(gap)
    apart = ngettext(
        "Evenly matched: ratings %(points)d point apart", "Evenly matched: ratings %(points)d points apart", points
    )
    return apart % {"points": points} if points else _("Evenly matched: the same rating")


def describe_weaker(rating: float) -> str:
    """Return in words how strong a match is, from the rating of its weaker bot."""
    return _("Rated %(rating)d or higher") % {"rating": round(rating)}


# A rated match that is shown while it is played: at the pace of every showing, and so behind the machines.

CHOICE_CACHE_S = 5
FRAMES_CACHE_S = 60
PLAYING_NOW_SHOWN, ALSO_LIVE_SHOWN = 8, 3
NO_FRAMES: dict[str, Any] = {"slots": [], "parts": [], "frames": []}


def fetch_live_matches() -> list[LiveMatch]:
    """Return the rated matches that are being played, best first, which are kept for some seconds.

    All that pages say of what is live comes from here, so that they count the same.
    """
    found: list[LiveMatch] | None = cache.get("live-matches")
    if found is None:
        found = list_live_matches()
        cache.set("live-matches", found, CHOICE_CACHE_S)
    return found


def choose_live_match() -> int | None:
    """Return the key of the match that is shown live, one of the top of a ladder; None where there is none."""
    return next((live.match for live in fetch_live_matches() if live.is_of_top), None)


def describe_live(match: int) -> str:
    """Return in a few words, which are a fact, why a match is shown that is being played."""
    live = next((one for one in fetch_live_matches() if one.match == match), None)
    if live is None:
        return ""
    match sorted(place for place in live.places if place):
        case [1, 2]:
            return _("First against second")
        case [1, 3]:
            return _("First against third")
        case [2, 3]:
            return _("Second against third")
        case [one, other]:
            return _("Number %(one)d against number %(other)d") % {"one": one, "other": other}
    if live.gap <= EVEN_GAP_ELO:
        return describe_gap(live.gap)
    return describe_weaker(live.weaker)


def build_live_showing(match: int) -> Showing | None:
    """Return the showing of the leg of a match that is being played; None where there is none."""
    live = find_live_leg(find_match(None, match))
    if live is None:
        return None
    record = live.record
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    playback = play_back(record, PUBLIC_ONLOOKER)
    marks = list_shown_marks(playback, presentation)
    first = marks[0].step if marks else playback.last
    start = max(0, first - STEPS_BEFORE_TURNING_POINT)
    stage = build_stage(playback.scene(start), presentation)
    return Showing(
        key=str(match),
        row=list_rows([live.match])[0],
        rules=rules_title(live.match),
        leg=live.leg.number,
        reason=describe_live(match),
        start=start,
        last=playback.last,
        marks=[],
        page_url=live.match.get_absolute_url(),
        frames_url=reverse("live_frames", args=[match, live.leg.number]),
        stage=stage | {"seats": list_shown_seats(live.seats, {})},
        end=None,
    )


def list_playing_now() -> list[NextShown]:
    """Return the best of the rated matches that are being played."""
    return list_live_rows(fetch_live_matches()[:PLAYING_NOW_SHOWN])


def list_live_rows(chosen: Sequence[LiveMatch]) -> list[NextShown]:
    """Return these matches in their order, those that have ended meanwhile left out."""
    rows = {row.match.pk: row for row in read_rows(list_running_matches([live.match for live in chosen]))}
    found = [rows[live.match] for live in chosen if live.match in rows]
    return [make_next(row, describe_live(row.match.pk), row.match.get_absolute_url()) for row in found]


@dataclass(frozen=True, slots=True)
class AlsoLive:
    """Another match that is being played, with a small picture of its table."""

    match: int
    bots: Sequence[Bot]
    rules: str
    turn: int
    picture: str
    """As HTML; empty where its game draws none."""


def list_also_live(shown: str) -> list[AlsoLive]:
    """Return the best matches that are being played besides the one that is shown."""
    return [also for live in fetch_live_matches() if str(live.match) != shown and (also := draw_live(live.match))][
        :ALSO_LIVE_SHOWN
    ]


def draw_live(match: int) -> AlsoLive | None:
    """Return a match that is being played as it stands now; None where it has ended or isn't reported of."""
    live = find_live_leg(find_match(None, match))
    if live is None:
        return None
    key = f"also-live:{live.tag}"
    kept: tuple[int, str] | None = cache.get(key)
    if kept is None:
        record = live.record
        presentation = find_presentation(record["game"], record["edition"], record["options"])
        playback = play_back(record, PUBLIC_ONLOOKER)
        scene = playback.scene(playback.last)
        kept = scene.turn, draw_small(scene, presentation)
        cache.set(key, kept, FRAMES_CACHE_S)
    bots = [seat.participant.version.bot for seat in sorted(live.seats, key=lambda seat: seat.participant.index)]
    return AlsoLive(match, bots, name_rules(live.match.game, variant_title(live.match)), *kept)


def draw_small(scene: Scene, presentation: Presentation) -> str:
    """Return a table in small, with its cards where the game draws these; empty where it draws none at all."""
    if presentation.draw_miniature is not None:
        return presentation.draw_miniature(scene)
    picture = draw_end(scene, presentation, is_over=False)
    return render_to_string(picture.template, {"board": picture.board}) if picture else ""


def find_live_leg(match: Match | None) -> LiveLeg | None:
    """Return the leg of a match that is being played, as far as its worker has reported; None where there is none."""
    if match is None or match.state != Match.State.RUNNING:
        return None
    return find_live(list_rows([match])[0], list_attempts(match), list_legs(match))


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
        content = orjson.dumps(NO_FRAMES | {"waiting": _("The next leg is live.")})
    else:
        content = pack_live_frames(live)
    response = HttpResponse(content, content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response


def pack_live_frames(live: LiveLeg) -> bytes:
    """Return the steps so far as JSON. They are kept a while: many may look at it."""
    key = f"live-frames:{live.tag}"
    packed: bytes | None = cache.get(key)
    if packed is None:
        record = live.record
        seats = list_shown_seats(live.seats, {})
        playback = play_back(record, PUBLIC_ONLOOKER)
        frames = build_frames(playback, seats, (STAGE_TEMPLATE,))
        packed = orjson.dumps(frames | {"waiting": describe_waiting(live, playback.to_act)})
        cache.set(key, packed, FRAMES_CACHE_S)
    return packed


def describe_waiting(live: LiveLeg, to_act: int | None) -> str:
    """Return in words who is to act next."""
    if to_act is None:
        return _("The leg has finished.")
    seats = {seat.seat: seat.participant.version.bot.name for seat in live.seats}
    return _("%(name)s is thinking.") % {"name": seats[to_act]}
