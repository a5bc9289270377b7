"""One bot against another: who is better, their last results, and which seat wins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.bots.models import Bot
from arena.bots.queries.versions import list_versions
from arena.ladders.models import Entry
from arena.ladders.queries.entries import list_entries_of_bots
from arena.ladders.queries.pair_stats import list_pair_stats_between
from arena.ladders.rating.elo import expected_score
from arena.matches.queries.bot_matches import fetch_series_points, list_meeting_seats
from arena.matches.queries.played import attach_verdicts, count_legs, fetch_matches, list_shared_matches
from arena.pages.appearance import FAULT_APPEARANCES, Appearance
from arena.pages.bots.head_to_head import HALF, MAX_RESULTS_SHOWN, Tally, compare_points, count_results
from arena.pages.bots.lookup import bot_or_404
from arena.pages.bots.rivalry import build_rivalry
from arena.pages.games import find_presentation
from arena.pages.matches.results import list_rows
from arena.pages.svg.charts import (
    DRAWN_POINTS,
    HATCH_PATTERN_SVG,
    LOST_POINTS,
    WON_POINTS,
    draw_result_squares,
    draw_score_trend,
    draw_share_bar,
)
from arena.runner.verdict import Verdict
from engine.registry import find_game

MAX_MATCHES_SCANNED = 2000
"""Their matches are looked for among this many of the bot that played less."""
MAX_MEETINGS_COUNTED = 100
MATCHES_SHOWN = 15
MAX_PAIRINGS_SHOWN = 20
MIN_RESULTS_FOR_TREND = 4


@dataclass(frozen=True, slots=True)
class Pairing:
    """The rated matches of two versions with one number of seats."""

    own: Entry
    other: Entry
    matches: int
    score: float
    """Share of the points against it, from 0 to 1."""

    @property
    def expected(self) -> float:
        """Return the share that today's ratings predict."""
        return expected_score(self.own.rating - self.other.rating)

    @property
    def surplus(self) -> float:
        """Return how far the score is above what ratings predict, in percentage points."""
        return 100 * (self.score - self.expected)


@dataclass(frozen=True, slots=True)
class Meeting:
    """A leg that both played."""

    match: int
    seat: int
    result: float
    fault: str
    """The verdict of the one the page is about; empty where it made no fault."""
    other_fault: str


@dataclass(frozen=True, slots=True)
class SeatTally:
    """The results of the legs in one seat."""

    name: str
    tally: Tally

    @property
    def share(self) -> float:
        """Return the share of the points, from 0 to 1."""
        return (self.tally.won + self.tally.drawn / 2) / self.tally.matches


def detail(request: HttpRequest, slug: str, other: str) -> HttpResponse:
    """Show the results of a bot against another."""
    own, rival = (bot_or_404(request, one) for one in (slug, other))
    if own == rival:
        raise Http404(_("No bot plays against itself."))
    meetings, matches = list_meetings(own, rival)
    context = {
        "bot": own,
        "other": rival,
        "seats": tally_seats(own.game, meetings),
        "faults": count_faults([one.fault for one in meetings]),
        "other_faults": count_faults([one.other_fault for one in meetings]),
        "rows": list_rows(fetch_matches(matches[:MATCHES_SHOWN]), own),
        "hatched": HATCH_PATTERN_SVG,
        **summarize_ratings(list(list_entries_of_bots(request.user, [own.pk, rival.pk])), own),
    }
    results = points_by_match(meetings, fetch_series_points(matches, own.pk))
    context |= summarize_results(results, context["expected"])
    points = (context["score"] or 0.0) * context["rated"]
    context["rivalry"] = build_rivalry(own, rival, (points, context["rated"]), results)
    return render(request, "bots/pair.html", context)


def summarize_ratings(entries: Sequence[Entry], own: Bot) -> dict[str, Any]:
    """Return what rated matches and today's ratings say of the two."""
    pairings = list_pairings(entries, own)
    rated = sum(one.matches for one in pairings)
    facing = find_current_entries(entries, own)
    return {
        "pairings": pairings[:MAX_PAIRINGS_SHOWN],
        "rated": rated,
        "score": sum(one.score * one.matches for one in pairings) / rated if rated else None,
        "facing": facing,
        "better": probability_better(*facing) if facing else None,
        "expected": expected_score(facing[0].rating - facing[1].rating) if facing else None,
    }


def summarize_results(results: Sequence[float], expected_share: float | None) -> dict[str, Any]:
    """Return how the newest matches went, as numbers and charts. `results` are shares of the points, oldest first."""
    return {
        "tally": count_results(results),
        "last": draw_result_squares([compare_points(one, HALF) for one in results[-MAX_RESULTS_SHOWN:]]),
        "trend": draw_score_trend(results, HALF if expected_share is None else expected_share)
        if len(results) >= MIN_RESULTS_FOR_TREND
        else "",
    }


def find_current_entries(entries: Sequence[Entry], own: Bot) -> tuple[Entry, Entry] | None:
    """Return the entries of both on the first ladder, in the game's order, that has both; None without one."""
    now = [one for one in entries if one.state != Entry.State.RETIRED and one.ladder.closed_at is None]
    others = {one.ladder_id: one for one in now if one.version.bot_id != own.pk}
    mine = sorted((one for one in now if one.version.bot_id == own.pk), key=lambda one: one.ladder.place)
    return next(((one, others[one.ladder_id]) for one in mine if one.ladder_id in others), None)


def probability_better(own: Entry, other: Entry) -> float:
    """Return the probability that the first is stronger, taking the errors of both ratings as independent."""
    deviation = (own.deviation**2 + other.deviation**2) ** 0.5
    return NormalDist().cdf((own.rating - other.rating) / deviation)


def list_meetings(own: Bot, rival: Bot) -> tuple[list[Meeting], list[int]]:
    """Return the legs of their newest matches, oldest first, and the keys of these matches, newest first."""
    versions, others = (attach_verdicts(list_versions(bot)) for bot in (own, rival))
    by_activity = sorted((versions, others), key=lambda some: sum(count_legs(some).values()))
    matches = list_shared_matches(
        by_activity[0], [one.pk for one in by_activity[1]], scanned=MAX_MATCHES_SCANNED, limit=MAX_MEETINGS_COUNTED
    )
    legs: dict[int, dict[int, tuple[int, int, int, str]]] = {}
    for leg, match, bot, seat, place, verdict in list_meeting_seats(matches, [own.pk, rival.pk]):
        legs.setdefault(leg, {})[bot] = (match, seat, place, verdict)
    meetings = [build_meeting(sides[own.pk], sides[rival.pk]) for sides in legs.values() if len(sides) > 1]
    return meetings, matches


def build_meeting(own: tuple[int, int, int, str], other: tuple[int, int, int, str]) -> Meeting:
    """Return a leg of both, of each of whom match, seat, place and verdict are given."""
    faults = ["" if side[3] == Verdict.OK else side[3] for side in (own, other)]
    return Meeting(own[0], own[1], compare_points(-own[2], -other[2]), *faults)


def points_by_match(meetings: Sequence[Meeting], series: Mapping[int, float]) -> list[float]:
    """Return the share of the points against the other in each match, oldest first; `series` has those of series."""
    matches: dict[int, list[float]] = {}
    for meeting in meetings:
        matches.setdefault(meeting.match, []).append(meeting.result)
    return [series.get(match, fmean(results)) for match, results in matches.items()]


def tally_seats(game: str, meetings: Sequence[Meeting]) -> list[tuple[SeatTally, str]]:
    """Return the results by seat, each with a chart."""
    seats: dict[int, list[float]] = {}
    for meeting in meetings:
        seats.setdefault(meeting.seat, []).append(meeting.result)
    name = find_presentation(game, next(iter(find_game(game).editions))).name_seat
    tallies = [
        SeatTally(name(seat), Tally(results.count(WON_POINTS), results.count(DRAWN_POINTS), results.count(LOST_POINTS)))
        for seat, results in sorted(seats.items())
    ]
    return [(one, draw_share_bar(one.share)) for one in tallies]


def count_faults(verdicts: Sequence[str]) -> list[tuple[Appearance, int]]:
    """Return how often each kind of fault happened."""
    return [(FAULT_APPEARANCES[Verdict(one)], verdicts.count(one)) for one in dict.fromkeys(verdicts) if one]


def list_pairings(entries: Sequence[Entry], own: Bot) -> list[Pairing]:
    """Return what the versions of both scored against each other, newest versions first."""
    by_pk = {entry.pk: entry for entry in entries}
    mine = [pk for pk, entry in by_pk.items() if entry.version.bot_id == own.pk]
    theirs = [pk for pk in by_pk if pk not in mine]
    found = []
    for stat in list_pair_stats_between(mine, theirs):
        share = stat.halves / (2 * stat.matches * stat.seats)
        is_low = stat.low_id in mine
        low, high = by_pk[stat.low_id], by_pk[stat.high_id]
        pair = (low, high) if is_low else (high, low)
        found.append(Pairing(*pair, stat.matches, share if is_low else 1 - share))
    return sorted(found, key=lambda pairing: (-pairing.own.version.number, -pairing.other.version.number))
