"""One bot against another through time: who is better, how it went last, and which seat wins."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.baked import baked
from arena.bots.models import Bot
from arena.ladders.models import Entry, PairStat
from arena.ladders.rating.elo import expected
from arena.matches.models import LegSeat, Match
from arena.pages.appearance import FAULTS, Appearance
from arena.pages.bots.head_to_head import HALF, LAST, Tally, count_legs, met_matches, outcome, sum_up
from arena.pages.bots.reading import ask_matches, find_bot, list_versions
from arena.pages.games import picture_of
from arena.pages.matches.results import list_rows
from arena.pages.svg.charts import DRAWN, HATCHED, LOST, WON, draw_results, draw_share, draw_trend
from arena.runner.verdict import Verdict
from engine.registry import find_game

WALKED = 2000
"""So many matches of the one that played less are looked through."""
COUNTED = 100
"""So many of those in which they met are counted one by one."""
SHOWN = 15
PAIRINGS = 20
FEWEST = 4
"""A way of fewer results is not drawn."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two versions in rated matches, at tables of one size."""

    own: Entry
    other: Entry
    matches: int
    score: float
    """Share of the points against it, from 0 to 1."""

    @property
    def expected(self) -> float:
        """What today's ratings tell."""
        return expected(self.own.rating - self.other.rating)

    @property
    def surplus(self) -> float:
        """Percentage points."""
        return 100 * (self.score - self.expected)


@dataclass(frozen=True, slots=True)
class Meeting:
    """A leg in which both sat at one table."""

    match: int
    seat: int
    result: float
    fault: str
    """The verdict of the one the page is about; empty where it made no fault."""
    other_fault: str


@dataclass(frozen=True, slots=True)
class SeatTally:
    name: str
    tally: Tally

    @property
    def share(self) -> float:
        return (self.tally.won + self.tally.drawn / 2) / self.tally.matches


def detail(request: HttpRequest, slug: str, other: str) -> HttpResponse:
    own, rival = (find_bot(one) for one in (slug, other))
    if own == rival:
        raise Http404(_("No bot plays against itself."))
    meetings, matches = list_meetings(own, rival)
    context = {
        "bot": own,
        "other": rival,
        "seats": tally_seats(own.game, meetings),
        "faults": count_faults([one.fault for one in meetings]),
        "other_faults": count_faults([one.other_fault for one in meetings]),
        "rows": list_rows(ask_matches(matches[:SHOWN]), own),
        "hatched": HATCHED,
        **weigh(list_entries(own, rival), own),
    }
    context |= tell_course(sum_matches(meetings), context["expected"])
    return render(request, "bots/pair.html", context)


def weigh(entries: Sequence[Entry], own: Bot) -> dict[str, Any]:
    """What rated matches and today's ratings say of the two."""
    pairings = list_pairings(entries, own)
    rated = sum(one.matches for one in pairings)
    facing = find_facing(entries, own)
    return {
        "pairings": pairings[:PAIRINGS],
        "rated": rated,
        "score": sum(one.score * one.matches for one in pairings) / rated if rated else None,
        "facing": facing,
        "better": chance_better(*facing) if facing else None,
        "expected": expected(facing[0].rating - facing[1].rating) if facing else None,
    }


def tell_course(results: Sequence[float], expected_share: float | None) -> dict[str, Any]:
    """How the newest matches went, as numbers and as a picture; the share of the points of each, oldest first."""
    return {
        "tally": sum_up(results),
        "last": draw_results([outcome(one, HALF) for one in results[-LAST:]]),
        "trend": draw_trend(results, HALF if expected_share is None else expected_share)
        if len(results) >= FEWEST
        else "",
    }


def find_facing(entries: Sequence[Entry], own: Bot) -> tuple[Entry, Entry] | None:
    """What plays, or is suspended, for both on one ladder; the first by the game's order."""
    now = [one for one in entries if one.state != Entry.State.RETIRED and one.ladder.closed_at is None]
    others = {one.ladder_id: one for one in now if one.version.bot_id != own.pk}
    mine = sorted((one for one in now if one.version.bot_id == own.pk), key=lambda one: one.ladder.place)
    return next(((one, others[one.ladder_id]) for one in mine if one.ladder_id in others), None)


def chance_better(own: Entry, other: Entry) -> float:
    """That the one is stronger, by both ratings, as if what is known of the one were independent of the other."""
    deviation = (own.deviation**2 + other.deviation**2) ** 0.5
    return NormalDist().cdf((own.rating - other.rating) / deviation)


def list_meetings(own: Bot, rival: Bot) -> tuple[list[Meeting], list[int]]:
    """The legs of their newest matches, oldest first; and the ids of these matches, of those to come too, newest
    first."""
    versions, others = (list_versions(bot) for bot in (own, rival))
    walks = sorted((versions, others), key=lambda some: sum(count_legs(some).values()))
    matches = met_matches(walks[0], [one.pk for one in walks[1]], WALKED, COUNTED)
    legs: dict[int, dict[int, tuple[int, int, int, str]]] = {}
    for leg, match, bot, *seat in ask_seats(matches, [own.pk, rival.pk]):
        legs.setdefault(leg, {})[bot] = (match, *seat)
    meetings = [meet(sides[own.pk], sides[rival.pk]) for sides in legs.values() if len(sides) > 1]
    return meetings, matches


@baked
def ask_seats(matches: Sequence[int], bots: Sequence[int]) -> QuerySet:
    seats = LegSeat.objects.filter(participant__match__in=matches, participant__version__bot__in=bots)
    seats = seats.filter(leg__match__state=Match.State.FINISHED).order_by("participant__match", "leg")
    return seats.values_list("leg", "participant__match", "participant__version__bot", "seat", "place", "verdict")


def meet(own: tuple[int, int, int, str], other: tuple[int, int, int, str]) -> Meeting:
    """Of each: match, seat, place and verdict. A lower place is better."""
    faults = ["" if side[3] == Verdict.OK else side[3] for side in (own, other)]
    return Meeting(own[0], own[1], outcome(-own[2], -other[2]), *faults)


def sum_matches(meetings: Sequence[Meeting]) -> list[float]:
    """The share of the points against the other in each match, oldest first."""
    matches: dict[int, list[float]] = {}
    for meeting in meetings:
        matches.setdefault(meeting.match, []).append(meeting.result)
    return [fmean(results) for results in matches.values()]


def tally_seats(game: str, meetings: Sequence[Meeting]) -> list[tuple[SeatTally, str]]:
    """How the legs went by seat, and as a picture."""
    seats: dict[int, list[float]] = {}
    for meeting in meetings:
        seats.setdefault(meeting.seat, []).append(meeting.result)
    name = picture_of(game, next(iter(find_game(game).editions))).name_seat
    tallies = [
        SeatTally(name(seat), Tally(results.count(WON), results.count(DRAWN), results.count(LOST)))
        for seat, results in sorted(seats.items())
    ]
    return [(one, draw_share(one.share)) for one in tallies]


def count_faults(verdicts: Sequence[str]) -> list[tuple[Appearance, int]]:
    """Return how often each kind of fault happened."""
    return [(FAULTS[Verdict(one)], verdicts.count(one)) for one in dict.fromkeys(verdicts) if one]


def list_pairings(entries: Sequence[Entry], own: Bot) -> list[Pairing]:
    """Newest versions first."""
    by_pk = {entry.pk: entry for entry in entries}
    mine = [pk for pk, entry in by_pk.items() if entry.version.bot_id == own.pk]
    theirs = [pk for pk in by_pk if pk not in mine]
    found = []
    for stat in ask_stats(mine, theirs):
        share = stat.halves / (2 * stat.matches * stat.seats)
        is_low = stat.low_id in mine
        pair = (stat.low_id, stat.high_id) if is_low else (stat.high_id, stat.low_id)
        found.append(Pairing(*(by_pk[pk] for pk in pair), stat.matches, share if is_low else 1 - share))
    return sorted(found, key=lambda pairing: (-pairing.own.version.number, -pairing.other.version.number))


@baked
def ask_stats(mine: Sequence[int], theirs: Sequence[int]) -> QuerySet[PairStat]:
    met = Q(low__in=mine, high__in=theirs) | Q(low__in=theirs, high__in=mine)
    return PairStat.objects.filter(met, matches__gt=0)


def list_entries(*bots: Bot) -> list[Entry]:
    return ask_entries([bot.pk for bot in bots])


@baked
def ask_entries(bots: Sequence[int]) -> QuerySet[Entry]:
    entries = Entry.objects.filter(version__bot__in=bots).select_related("version__bot", "ladder")
    return entries.defer("version__build_log", "ladder__secret")
