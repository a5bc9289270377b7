"""Matches in lists: who met whom, how it went, series of games, and the page of a match that has no result yet."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import orjson
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache as shelf
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.functional import Promise
from django.utils.timezone import now
from django.utils.translation import get_language

from arena.bots.models import Bot, BotVersion
from arena.bots.queries import is_game_known
from arena.contests.analysis.queries import TurningPoint, fetch_turning_points
from arena.contests.ladders.queries import RatingStep, fetch_rating_steps, find_game_title
from arena.contests.tournaments.models import Pairing
from arena.contests.tournaments.queries import fetch_named_pairings
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext
from arena.matches.filters import GAME_CHOICES, MatchFilter
from arena.matches.models import Attempt, Leg, LegSeat, Match, Participant
from arena.matches.queries import (
    OTHER_PURPOSE,
    fetch_fault_verdicts,
    fetch_leg_reasons,
    fetch_purposes,
    list_attempts,
    list_participants,
    list_public_legs,
    list_visible_matches,
)
from arena.matches.queue import MATCHES_TIMED, fetch_typical_seconds, place_in_queue
from arena.pages.formatting import FAULT_APPEARANCES, Appearance
from arena.pages.games import find_presentation
from arena.pages.matches.frames import ReplayMove, build_stage
from arena.pages.matches.replay import LAST_STEP, PUBLIC_ONLOOKER, play_to
from arena.pages.rules import get_choice_field
from arena.pages.serving import (
    HtmxRequest,
    PageByKey,
    find_named_round,
    read_keys,
    read_page_by_key,
    reader_of,
    render_live,
)
from arena.people.accounts.models import User
from arena.runner.program import Verdict
from engine.core import Json
from engine.registry import GAMES
from engine.series import SeriesLength, add_series_scores

# Matches as rows of a list: who met whom, how it went, and why.

DUEL = 2
"""Number of participants of a match in which one wins and the other loses."""
PURPOSE_LABELS: dict[str, str | Promise] = {
    "trial": gettext_lazy("trial"),
    "ladder": gettext_lazy("rated"),
    "challenge": gettext_lazy("challenge"),
    "comparison": gettext_lazy("comparison"),
    OTHER_PURPOSE: gettext_lazy("unrated"),
}
"""By purpose of a match, what lists call it; of finished ones those that are not rated."""
POINTS_DIGITS = 6
"""Points are means of thirds and halves: those that are equal when rounded to so many digits are equal."""
RatingSteps = Mapping[int, Mapping[int, RatingStep]]
"""Changes of ratings by match, of those that are played for a ladder, and version."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """The change of a rating by a match, as lists show it."""

    elo: float
    is_taken_back: bool
    """Whether the match was excluded from the ratings later."""

    @property
    def tone(self) -> str:
        """Return the class of its style: `void` where it is taken back, else its direction as far as is shown."""
        return "void" if self.is_taken_back else name_direction(self.elo)


@dataclass(frozen=True, slots=True)
class MatchFinish:
    """The place of a participant among all of its match."""

    place: int
    """1 is first; equal places are shared."""
    is_shared: bool
    participants: int

    @property
    def is_duel(self) -> bool:
        """Return whether one wins and the other loses."""
        return self.participants == DUEL

    @property
    def is_first(self) -> bool:
        """Return whether it is alone in the first place."""
        return self.place == 1 and not self.is_shared


@dataclass(frozen=True, slots=True)
class MatchPart:
    """One participant of a match in a list."""

    participant: Participant
    score: str
    """Number of opponents it left behind, summed over the legs, ties counting half; with two participants, the number
    of legs it won; of a series its series score. Empty before the end."""
    finish: MatchFinish | None
    """None before the end."""
    faults: list[Appearance]
    """One for each kind of fault."""
    change: RatingChange | None = None
    """None where the match is not rated, or not yet."""

    @property
    def version(self) -> BotVersion:
        """Return the version that took part."""
        return self.participant.version


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match in a list."""

    match: Match
    parts: list[MatchPart]
    own: MatchPart | None
    """The part of the bot the list is about."""
    others: list[MatchPart]
    is_rated: bool = False
    """Whether it was played for a ladder."""
    purpose: str = ""
    """What the match is for, where its rating doesn't say so; empty where the list doesn't show it."""
    pairing: Pairing | None = None
    """Where it belongs in a tournament that the reader has in lists."""
    folded: Sequence["MatchRow"] = ()
    """The other matches of the same pairing that stand in this row."""
    typical_s: float | None = None
    """About how long a match that waits is going to take; None before the first of its kind."""
    endings: list[str] = field(default_factory=list)
    """In a word or two, for what its legs ended, faults apart."""
    turning_point: TurningPoint | None = None
    """Where an analysis found that it turned."""

    @property
    def is_duel(self) -> bool:
        """Return whether it is a match between two."""
        return len(self.parts) == DUEL

    @property
    def series_name(self) -> str:
        """Return what kind of series it is; empty where it is none."""
        length = self.match.series_length
        return "" if length is None else name_series(length)

    @property
    def is_finished(self) -> bool:
        """Return whether it has been played to its end."""
        return self.match.state == Match.State.FINISHED

    @property
    def is_even_duel(self) -> bool:
        """Return whether two bots won as much with the same cards, without a fault: both legs are shown at once.

        A trial isn't: its author wants to see the new version play from the first turn on.
        """
        if any(part.participant.tried_edition is not None for part in self.parts):
            return False
        shared = all(part.finish is not None and part.finish.is_shared for part in self.parts)
        is_clean = not any(part.faults for part in self.parts)
        return self.is_finished and self.is_duel and self.match.series is None and shared and is_clean

    @property
    def pair_url(self) -> str:
        """Return the address of the page about its two bots; empty where it is no match between two."""
        slugs = list(dict.fromkeys(part.version.bot.slug for part in self.parts))
        return reverse("pair", args=slugs) if self.is_duel and len(slugs) == len(self.parts) else ""

    @property
    def stillness(self) -> str:
        """Return why a finished rated match moved no rating; empty where it moved one, as far as is shown."""
        changes = [part.change for part in self.parts]
        if not (self.is_finished and self.is_rated) or any(change and change.tone != "even" for change in changes):
            return ""
        return _("as expected") if any(changes) else _("not counted yet")

    @property
    def has_result(self) -> bool:
        """Return whether there are points to show."""
        return bool(self.parts and self.parts[0].score)

    @property
    def time(self) -> datetime:
        """Return when the match ended, or before that when it was queued."""
        return self.match.finished_at or self.match.created_at

    @property
    def best_score(self) -> int:
        """Return what a participant would have that came first in every leg."""
        return self.parts[0].participant.legs_played * (len(self.parts) - 1)


def name_series(length: SeriesLength) -> str:
    """Return what a series of this length is called."""
    if length.games is not None:
        return ngettext("series of %(count)d game", "series of %(count)d games", length.games) % {"count": length.games}
    return _("series to %(points)d points") % {"points": length.points}


def name_direction(elo: float) -> str:
    """Return `up`, `down` or `even` for a change of a rating, which is shown as a whole number."""
    rounded = round(elo)
    return "up" if rounded > 0 else "down" if rounded else "even"


def signed(number: float) -> str:
    """Return the change of a rating: whole, with its sign."""
    rounded = round(number)
    return f"+{rounded}" if rounded > 0 else f"−{-rounded}" if rounded else "±0"


def list_rows(matches: Iterable[Match], bot: Bot | None = None, reader: User | None = None) -> list[MatchRow]:
    """Return the rows of a list, each with what the match did to ratings and why it ended, in some queries in all.

    They name the tournaments that `reader` has in lists; without one, those that everybody has.
    """
    found = list(matches)
    over = [match.pk for match in found if match.is_over]
    rows = read_rows(found, bot, fetch_rating_steps(over))
    keys = [match.pk for match in found]
    pairings = fetch_named_pairings(reader or AnonymousUser(), keys)
    silent = {row.match.pk for row in rows if row.is_rated or row.match.state == Match.State.VOID}
    purposes = {match: purpose for match, purpose in fetch_purposes(keys).items() if match not in silent}
    reasons, turning_points = fetch_leg_reasons(over), fetch_turning_points(over)
    return [
        replace(
            row,
            purpose=str(PURPOSE_LABELS[purposes[row.match.pk]]) if row.match.pk in purposes else "",
            endings=name_endings(row.match, reasons.get(row.match.pk, [])),
            turning_point=turning_points.get(row.match.pk),
            pairing=pairings.get(row.match.pk),
        )
        for row in rows
    ]


def estimate_rows(rows: Iterable[MatchRow]) -> list[MatchRow]:
    """Return the rows of matches that wait, with how long each is going to take."""
    typical = fetch_typical_seconds(MATCHES_TIMED)
    return [replace(row, typical_s=typical.get((row.match.game, row.match.edition))) for row in rows]


def fold_pairings(rows: Iterable[MatchRow]) -> list[MatchRow]:
    """Return one row for all matches of a pairing, at the place of the first; scores are summed over them."""
    groups: dict[tuple[str, int], list[MatchRow]] = {}
    for row in rows:
        is_played = row.pairing is not None and row.is_finished
        key = ("pairing", row.pairing.pk) if row.pairing and is_played else ("match", row.match.pk)
        groups.setdefault(key, []).append(row)
    return [fold_rows(group) if len(group) > 1 else group[0] for group in groups.values()]


def fold_rows(group: Sequence[MatchRow]) -> MatchRow:
    """Return the row of several matches between the same participants."""
    points: dict[int, float] = {}
    for row in group:
        for part in row.parts:
            points[part.version.pk] = points.get(part.version.pk, 0.0) + float(part.score or 0)
    order = sorted(points.values(), reverse=True)
    first = group[0]
    folded = {}
    for part in first.parts:
        own = points[part.version.pk]
        finish = MatchFinish(1 + order.index(own), order.count(own) > 1, len(order))
        faults = list(
            dict.fromkeys(
                fault for row in group for one in row.parts for fault in one.faults if one.version.pk == part.version.pk
            )
        )
        folded[part.participant.pk] = replace(part, score=f"{own:.3g}", finish=finish, faults=faults)
    parts = [folded[part.participant.pk] for part in first.parts]
    own_part = folded[first.own.participant.pk] if first.own else None
    others = [folded[part.participant.pk] for part in first.others]
    return replace(first, parts=parts, own=own_part, others=others, folded=group, endings=[], turning_point=None)


def name_endings(match: Match, reasons: Sequence[str]) -> list[str]:
    """Return in a word or two for what legs ended, each once; faults stand with who made them."""
    labels = find_presentation(match.game, match.edition).ending_labels if match.game in GAMES else {}
    return [str(labels[reason]) for reason in dict.fromkeys(reasons) if reason in labels]


def read_rated_row(match: Match) -> MatchRow:
    """Return the row of one match with what it did to ratings, and nothing else that lists say of it."""
    return read_rows([match], steps=fetch_rating_steps([match.pk]))[0]


def read_row(match: Match) -> MatchRow:
    """Return the row of one match, without what it did to ratings."""
    return read_rows([match])[0]


def read_rows(matches: Sequence[Match], bot: Bot | None = None, steps: RatingSteps | None = None) -> list[MatchRow]:
    """Return the rows of matches that are read already; `steps` by match, none where the list doesn't show them."""
    participants = list_participants([match.pk for match in matches])
    faults = fetch_fault_verdicts([one.pk for of_match in participants.values() for one in of_match])
    return [
        make_match_row(match, participants[match.pk], faults, bot, (steps or {}).get(match.pk)) for match in matches
    ]


def make_match_row(
    match: Match,
    participants: Sequence[Participant],
    faults: Mapping[int, list[Verdict]],
    bot: Bot | None,
    steps: Mapping[int, RatingStep] | None,
) -> MatchRow:
    """Return the row of a match; `steps` by version, None where the match is not rated."""
    by_version = steps or {}
    parts = [
        make_match_part(one, participants, faults.get(one.pk, []), by_version.get(one.version_id))
        for one in participants
    ]
    own = next((part for part in parts if bot and part.version.bot_id == bot.pk), None)
    return MatchRow(match, parts, own, [part for part in parts if part is not own], steps is not None)


def make_match_part(
    participant: Participant,
    participants: Sequence[Participant],
    verdicts: list[Verdict],
    step: RatingStep | None,
) -> MatchPart:
    """Return one participant of a row."""
    points = participant.points
    faults = [FAULT_APPEARANCES[verdict] for verdict in dict.fromkeys(verdicts)]
    if points is None:
        return MatchPart(participant, "", None, faults)
    counted = (
        points * (len(participants) - 1) * participant.legs_played
        if participant.series_score is None
        else participant.series_score
    )
    score = f"{counted:.3g}"
    change = RatingChange(step.after - step.before, step.is_taken_back) if step else None
    return MatchPart(participant, score, finish_of(participant, participants), faults, change)


def finish_of(participant: Participant, participants: Sequence[Participant]) -> MatchFinish | None:
    """Return where a participant came in; None where the match has no result."""
    if participant.points is None:
        return None
    points = [round(one.points or 0, POINTS_DIGITS) for one in participants]
    own = round(participant.points, POINTS_DIGITS)
    return MatchFinish(1 + sum(one > own for one in points), points.count(own) > 1, len(participants))


# The list of all matches.

MATCHES_PER_PAGE = 25


def show_matches(request: HttpRequest) -> HttpResponse:
    """List matches, newest first: without a filter those that are over.

    An invalid filter gets a message at its field, and nothing is listed.
    """
    matches = list_visible_matches(request.user)
    is_filtered = any(request.GET.get(name) for name in MatchFilter.base_filters)
    filters = MatchFilter(request.GET, matches if is_filtered else matches.over(), reader=request.user)
    is_valid = filters.is_valid()
    bot = filters.chosen_bot if is_valid else None
    page = PageByKey([], None, None)
    if is_valid:
        end = filters.limit_scan(MATCHES_PER_PAGE + 1, *read_keys(request.GET))
        page = read_page_by_key(filters.qs, request.GET, MATCHES_PER_PAGE, end)
    context = {
        "page": page,
        "rows": fold_pairings(list_rows(page.rows, bot, reader_of(request))),
        "form": name_missing_game(filters.form),
        "bot": bot,
        "is_filtered": is_filtered,
        "export": address_of_export(request, filters.form.cleaned_data) if is_valid else "",
    }
    return render(request, "matches/index.html", context, status=200 if is_valid else 400)


EXPORT_FILTERS = {"bot", "opponent", "game", "edition", "result", "fault"}


def address_of_export(request: HttpRequest, found: Mapping[str, Any]) -> str:
    """Return where the records of these matches are downloaded; nothing where a filter isn't one of downloads."""
    chosen = {name: value for name, value in request.GET.dict().items() if value and name in MatchFilter.base_filters}
    bots: dict[str, str] = {name: found[name].slug for name in ("bot", "opponent") if name in chosen}
    if chosen.keys() - EXPORT_FILTERS - {"state"} or chosen.get("state", "finished") != "finished":
        return ""
    chosen.pop("state", None)
    chosen |= bots
    return f"{reverse('api_record_export')}?{urlencode(chosen)}"


def name_missing_game(form: Form) -> Form:
    """Give the game that is asked for its title in the list of games where it is not installed."""
    key = str(form.data.get("game", ""))
    if key not in GAMES and is_game_known(key):
        get_choice_field(form, "game").choices = [*GAME_CHOICES.items(), (key, find_game_title(key))]
    return form


# A series of games on the page of its match: who started each game, how it ended, and how the series stood then.


@dataclass(frozen=True, slots=True)
class SeriesGame:
    """A game of a series. Scores are by participant, in the order of the match."""

    leg: Leg
    starter: MatchPart
    scores: list[str]
    standing: list[str]
    """The series scores after this game."""
    faults: list[LegSeat]
    """The seats that were at fault."""


def list_games(row: MatchRow, legs: Sequence[Leg]) -> list[SeriesGame]:
    """Return the games of a finished series in order; the seats of its participants must be attached to them."""
    by_leg: dict[int, list[LegSeat]] = {leg.pk: [] for leg in legs}
    for part in row.parts:
        for seat in part.participant.leg_seats.all():
            by_leg[seat.leg_id].append(seat)
    games: list[SeriesGame] = []
    played: list[tuple[Sequence[int], Sequence[float]]] = []
    for leg in legs:
        seats = by_leg[leg.pk]
        scores = [seat.score for seat in seats]
        played.append((range(len(scores)), scores))
        games.append(
            SeriesGame(
                leg=leg,
                starter=row.parts[leg.seating[0]],
                scores=[f"{score:g}" for score in scores],
                standing=[f"{score:g}" for score in add_series_scores(played)],
                faults=[seat for seat in seats if seat.verdict != "ok"],
            )
        )
    return games


# The page of a match that waits, runs or has no result; while it runs, with the public view of the table.

SILENCE_TIMEOUT = timedelta(seconds=20)
"""After the last sign of life of its worker, a running match is said to be silent."""
LIVE_CACHE_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class LiveLeg:
    """The leg of a running match that is played, as far as its worker has reported."""

    match: Match
    attempt: Attempt
    leg: Leg
    actions: Sequence[Json]
    legs: int
    seats: Sequence[LegSeat]
    is_silent: bool
    series_scores: Sequence[str]
    """The series score of each participant before this leg; empty where the match is no series."""

    @property
    def tag(self) -> str:
        """Return a key that changes with everything that is shown, and with the language."""
        told = [self.attempt.pk, self.leg.number, len(self.actions), self.is_silent, get_language(), self.names]
        return hashlib.sha256(orjson.dumps(told)).hexdigest()[:32]

    @property
    def names(self) -> list[str]:
        """Return the name and version of the bot at each seat."""
        return [str(seat.participant.version) for seat in self.seats]

    @property
    def record(self) -> Json:
        """Return the record so far, without a result."""
        self.match.refresh_from_db(fields=["deal", "options"])
        deal = self.leg.deal if self.match.series else None
        return {
            "game": self.match.game,
            "edition": self.match.edition,
            "options": self.match.options,
            "deal": deal or self.match.deal,
            "seats": [{} for _ in self.seats],
            "actions": self.actions,
            "result": None,
        }


def show_unfinished(request: HtmxRequest, row: MatchRow) -> HttpResponse:
    """Show a match that waits, runs or ended without a result, or whose deal is still in play elsewhere.

    Of a leg that is being played the page shows only what is public.
    """
    match = row.match
    attempts = list_attempts(match)
    legs = list_public_legs(match)
    live = find_live(row, attempts, legs)
    if live and request.htmx and (unchanged := get_conditional_response(request, etag=f'"{live.tag}"')):
        unchanged["ETag"] = f'"{live.tag}"'
        patch_vary_headers(unchanged, ["HX-Request"])
        return unchanged
    is_final = match.state == Match.State.VOID
    context = {
        "match": match,
        "named_round": find_named_round(request, match),
        "is_final": is_final,
        "row": row,
        "waiting": place_in_queue(match) if match.state == Match.State.QUEUED else None,
        "legs": legs,
        "attempts": attempts,
        "live": live,
        "table": live and render_live_table(live),
    }
    response = render_live(request, "matches/unfinished.html", "matches/_unfinished.html", context, is_final)
    if live and request.htmx:
        response["ETag"] = f'"{live.tag}"'
    return response


def find_live(row: MatchRow, attempts: Sequence[Attempt], legs: Sequence[Leg]) -> LiveLeg | None:
    """Return the leg that is played; None where the match isn't running or its worker has not reported yet."""
    match = row.match
    attempt = next((one for one in attempts if one.ended_at is None and one.underway), None)
    if attempt is None or match.state != Match.State.RUNNING:
        return None
    underway: Json = attempt.underway or {}
    leg = legs[underway["leg"] - 1]
    seating = underway.get("seating") or leg.seating
    seats = [LegSeat(seat=seat, participant=row.parts[index].participant) for seat, index in enumerate(seating)]
    is_silent = now() - attempt.heartbeat_at > SILENCE_TIMEOUT
    scores = [f"{score:g}" for score in underway.get("series_scores", ())]
    return LiveLeg(match, attempt, leg, underway["actions"], len(legs), seats, is_silent, scores)


def render_live_table(live: LiveLeg) -> str:
    """Return the table after the newest step that is over, and all steps so far. Kept a while: many may look at it."""
    kept: str | None = shelf.get(f"live:{live.tag}")
    if kept is None:
        kept = render_to_string("matches/_live.html", build_table_context(live.record, live.seats))
        shelf.set(f"live:{live.tag}", kept, LIVE_CACHE_TIMEOUT_S)
    return kept


def build_table_context(record: Json, seats: Sequence[Any]) -> dict[str, Any]:
    """Return the context of the table's template, built from the public view so that it has no hidden card."""
    presentation = find_presentation(record["game"], record["edition"])
    scene = play_to(record, LAST_STEP, PUBLIC_ONLOOKER)
    return {
        **build_stage(scene, presentation),
        "seats": seats,
        "moves": [ReplayMove(step, presentation.describe_step(step)) for step in scene.steps[:0:-1]],
    }
