"""Choose the stories of a day from its results, store them, and read them for pages and feeds."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import takewhile
from typing import Any, TypeVar

from django.core.cache import cache
from django.db import transaction
from django.db.models import Case, QuerySet, When
from django.utils.timezone import get_default_timezone, localdate

from arena.contests.analysis.queries import fetch_judged_losses
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, PairStat, RatingChange, RatingPoint
from arena.contests.ladders.rating import find_upset_chance
from arena.contests.ladders.showing import (
    EVEN_GAP_ELO,
    compute_place_in_show,
    exclude_incomplete,
    filter_public_rated,
    list_points,
    list_strong_entries,
)
from arena.contests.stories.models import Story
from arena.matches.models import Leg, LegSeat, Participant
from engine.core import CloseCall
from engine.registry import GAMES
from engine.replay import find_close_call

# Choose the stories of a day from its results. Pure: no database.

Told = TypeVar("Told")
MAX_RIVALRY_LEAD = 2.0
"""A pair is a rivalry while neither is further ahead than by this many matches."""
MIN_RIVALRY_MATCHES = 10
MIN_CLIMB_ELO = 10.0
"""Less than this is noise."""
MIN_ALIKE = 2
"""Legs that part earlier have nothing in common to tell of."""
MAX_MATCHES_REPLAYED = 100
"""The narrowest claim is looked for in so many matches of a day, those that the match of the day is chosen from first:
two legs take some 25 ms."""


@dataclass(frozen=True, slots=True)
class RatedBot:
    """A bot in a rated match."""

    entry: int
    rating: float
    """Before the match, in Elo."""
    points: float
    """From 0 to 1."""
    score: float
    """The legs that it won, drawn ones counting half; of a series the sum of its scores."""
    strength: float
    """Its rating now, in Elo: before their first matches all have the same."""


@dataclass(frozen=True, slots=True)
class DuelLeg:
    """A leg of a match between two."""

    number: int
    decisions: int
    winner: int | None
    """The entry that won it; None where it was drawn."""


@dataclass(frozen=True, slots=True)
class RatedDuel:
    """A rated match between two without a fault."""

    match: int
    sides: tuple[RatedBot, RatedBot]
    legs: tuple[DuelLeg, ...]
    is_good: bool = False
    """Whether both have a rank now, in the better half of those that have one on their ladder."""

    @property
    def winner(self) -> RatedBot | None:
        """Return who has more points; None if they have the same."""
        one, other = self.sides
        return None if one.points == other.points else max(self.sides, key=lambda side: side.points)

    @property
    def loser(self) -> RatedBot:
        """Return who has fewer points, or the second."""
        one, other = self.sides
        return one if one.points < other.points else other

    @property
    def upset_chance(self) -> float | None:
        """Return the expected score of the winner if it was rated lower and the match wasn't an even one; else None."""
        if self.winner is None or self.loser.rating - self.winner.rating <= EVEN_GAP_ELO:
            return None
        return find_upset_chance(self.winner.rating, self.loser.rating)

    @property
    def has_other_ending(self) -> bool:
        """Return whether of two legs with the same cards each was won by other cards, and so both by one bot."""
        return len(self.legs) == DUEL and self.legs[0].winner is not None and self.legs[0].winner == self.legs[1].winner

    @property
    def is_one_win_each(self) -> bool:
        """Return whether of two legs with the same cards each bot won one."""
        winners = {leg.winner for leg in self.legs}
        return len(self.legs) == DUEL and winners == {side.entry for side in self.sides}

    @property
    def place_in_show(self) -> tuple[tuple[bool, float, float], int]:
        """Return what is lower for a match that spectators are shown earlier, by the rule of the front page."""
        one, other = self.sides
        return compute_place_in_show(self.is_good, (one.strength, other.strength)), -self.match

    @property
    def longest_leg(self) -> DuelLeg:
        """Return the leg with the most decisions, of equal ones the first."""
        return max(self.legs, key=lambda leg: (leg.decisions, -leg.number))

    @property
    def told_leg(self) -> DuelLeg:
        """Return the longest leg that ended as the match did, so that who opens a win sees the winner win."""
        winner = None if self.winner is None else self.winner.entry
        alike = [leg for leg in self.legs if leg.winner == winner] or self.legs
        return max(alike, key=lambda leg: (leg.decisions, -leg.number))


@dataclass(frozen=True, slots=True)
class Call:
    """The close call of a leg of a match."""

    played: RatedDuel
    leg: int
    claimant: int
    """The entry that claimed."""
    closest: CloseCall


@dataclass(frozen=True, slots=True)
class Twins:
    """A match of two legs with the same cards."""

    played: RatedDuel
    alike: int
    """Decisions that both legs begin with."""
    seat: int | None = None
    """The seat that takes the first decision that differs; None where the legs are the same."""
    cost: float = 0.0
    """What one bot gave away by it and the other kept, in chance of winning from 0 to 1; 0 where no analysis tells."""
    careless: int | None = None
    """The entry that gave it away; None where there is no cost."""


@dataclass(frozen=True, slots=True)
class EntryPair:
    """All rated matches of two entries."""

    first: int
    second: int
    matches: int
    points: float
    """Points of the first, one a match."""

    @property
    def lead(self) -> float:
        """Return by how many matches one is ahead."""
        return abs(2 * self.points - self.matches)


@dataclass(frozen=True, slots=True)
class Climb:
    """The change of an entry's rating within a week, in Elo."""

    entry: int
    before: float
    after: float
    by_day: tuple[float, ...] = ()
    """Its ratings from the first day to the last."""


def choose_match_of_the_day(played: Iterable[RatedDuel]) -> RatedDuel | None:
    """Return the match that spectators are shown first, by the rule of the front page; of equal ones the newest."""
    return min(played, key=lambda one: one.place_in_show, default=None)


def choose_matches_to_replay(played: Iterable[RatedDuel]) -> list[RatedDuel]:
    """Return the matches that come first by the rule for the match of the day."""
    return sorted(played, key=lambda one: one.place_in_show)[:MAX_MATCHES_REPLAYED]


def choose_narrowest_claim(calls: Iterable[Call]) -> Call | None:
    """Return the claim that was nearest to being refuted, of equal ones the first."""
    return min(calls, key=lambda one: one.closest.margin, default=None)


def choose_twins(found: Iterable[Twins]) -> Twins | None:
    """Return the match whose legs went alike for longest before they parted, of equal ones the first."""
    return find_highest(found, lambda one: float(one.alike) if one.alike >= MIN_ALIKE else None)


def choose_costliest(found: Iterable[Twins]) -> Twins | None:
    """Return the match whose first difference cost most; where none cost anything, the one alike for longest."""
    told = [one for one in found if one.seat is not None and (one.cost or one.alike >= MIN_ALIKE)]
    return max(told, key=lambda one: (one.cost, one.alike), default=None)


def choose_upset(played: Iterable[RatedDuel]) -> RatedDuel | None:
    """Return the match whose winner was the least likely."""
    return find_highest(played, lambda one: None if one.upset_chance is None else -one.upset_chance)


def choose_longest(played: Iterable[RatedDuel]) -> RatedDuel | None:
    """Return the match with the leg of the most decisions."""
    return find_highest(played, lambda one: float(one.longest_leg.decisions))


def choose_rivalry(pairs: Iterable[EntryPair], played: Iterable[RatedDuel]) -> EntryPair | None:
    """Return the pair with the most matches of those that met that day and of which neither is far ahead."""
    met = {frozenset(side.entry for side in duel.sides) for duel in played}
    rivals = (
        one
        for one in pairs
        if one.matches >= MIN_RIVALRY_MATCHES
        and one.lead <= MAX_RIVALRY_LEAD
        and frozenset((one.first, one.second)) in met
    )
    return find_highest(rivals, lambda one: float(one.matches))


def choose_climber(climbs: Iterable[Climb]) -> Climb | None:
    """Return the highest climb."""
    return find_highest(climbs, lambda one: rise if (rise := one.after - one.before) >= MIN_CLIMB_ELO else None)


def find_highest(found: Iterable[Told], value_of: Callable[[Told], float | None]) -> Told | None:
    """Return the one of the highest value, of equal ones the first; None where none has a value."""
    best, highest = None, float("-inf")
    for one in found:
        value = value_of(one)
        if value is not None and value > highest:
            best, highest = one, value
    return best


# Read the results of a day from which stories are chosen.

CLIMB_PERIOD = timedelta(days=7)
DUEL = 2
LAST_RESULTS = 10
"""The last matches of a rivalry whose results are kept."""


def list_played(day: date) -> list[RatedDuel]:
    """List the rated matches between two that ended on a day, in the order of their keys.

    Left out are those with a fault or a lost record, excluded ones, and those that not everybody may see.
    """
    begins, ends = bounds(day)
    of_day = LadderMatch.objects.filter(match__finished_at__gte=begins, match__finished_at__lt=ends)
    rated = exclude_incomplete(filter_public_rated(of_day))
    changes = RatingChange.objects.filter(ladder_match__in=rated.values("pk")).order_by("ladder_match__match", "pk")
    columns = ("ladder_match__match", "entry", "entry__version", "entry__rating", "before")
    rows = list(changes.values_list(*columns))
    results = _fetch_results(rated)
    strong = set(list_strong_entries())
    sides: dict[int, list[tuple[int, RatedBot]]] = {}
    for match, entry, version, strength, before in rows:
        points, score = results[match].scores.get(version, (0.0, 0.0))
        sides.setdefault(match, []).append((version, RatedBot(entry, before, points, score, strength)))
    found = []
    for match, ((first, one), (second, other)) in (
        (m, of_match) for m, of_match in sides.items() if len(of_match) == DUEL
    ):
        entries = {first: one.entry, second: other.entry}
        legs = tuple(
            DuelLeg(number, decisions, entries.get(winner or 0)) for number, decisions, winner in results[match].legs
        )
        if legs:
            found.append(RatedDuel(match, (one, other), legs, strong.issuperset(entries.values())))
    return found


@dataclass(frozen=True, slots=True)
class _Results:
    """What a match between two ended with, by the keys of the versions."""

    legs: list[tuple[int, int, int | None]]
    """Number, decisions, and who won it."""
    scores: dict[int, tuple[float, float]]
    """Points and score."""


def _fetch_results(rated: QuerySet[LadderMatch]) -> Mapping[int, _Results]:
    """Return the results of these matches. A leg whose number of decisions is unknown is left out."""
    matches = rated.values("match")
    found: dict[int, _Results] = defaultdict(lambda: _Results([], {}))
    seats = LegSeat.objects.filter(leg__match__in=matches, leg__decisions__gt=0).order_by("leg__number", "place")
    places: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for match, number, decisions, place, version in seats.values_list(
        *("leg__match", "leg__number", "leg__decisions", "place", "participant__version")
    ):
        places.setdefault((match, number, decisions), []).append((place, version))
    for (match, number, decisions), of_leg in places.items():
        (first, winner), (second, _loser) = of_leg[:DUEL]
        found[match].legs.append((number, decisions, winner if first < second else None))
    participants = Participant.objects.filter(match__in=matches)
    for match, version, points, series_score in participants.values_list("match", "version", "points", "series_score"):
        share = points or 0.0
        score = share * len(found[match].legs) if series_score is None else series_score
        found[match].scores[version] = share, score
    return found


def bounds(day: date) -> tuple[datetime, datetime]:
    """Return when a day of the site's time zone begins and ends."""
    zone = get_default_timezone()
    begins = datetime(day.year, day.month, day.day, tzinfo=zone)
    following = day + timedelta(days=1)
    return begins, datetime(following.year, following.month, following.day, tzinfo=zone)


def list_pairs() -> Iterator[EntryPair]:
    """List what two active entries of a running season scored against each other in many matches between two."""
    stats = PairStat.objects.filter(
        seats=DUEL, ladder__in=Ladder.objects.public().open(), matches__gte=MIN_RIVALRY_MATCHES
    )
    for entry in ("low", "high"):
        stats = stats.filter(**{f"{entry}__state": Entry.State.ACTIVE})
    for low, high, matches, halves in stats.values_list("low", "high", "matches", "halves").iterator():
        yield EntryPair(low, high, matches, halves / (2 * DUEL))


def list_climbs(day: date) -> Iterator[Climb]:
    """List how ratings changed in the week before a day, of entries that had a rank on both days."""
    public = Entry.objects.active().public()
    points = RatingPoint.objects.filter(rank__isnull=False, entry__in=public)
    latest = dict(points.filter(day=day).values_list("entry", "rating"))
    earlier = points.filter(day__gte=day - CLIMB_PERIOD, day__lt=day, entry__in=points.filter(day=day).values("entry"))
    by_entry: dict[int, list[float]] = {}
    for entry, rating in earlier.order_by("day").values_list("entry", "rating").iterator():
        by_entry.setdefault(entry, []).append(rating)
    for entry, ratings in by_entry.items():
        yield Climb(entry, ratings[0], latest[entry], (*ratings, latest[entry]))


def list_last_results(first: int, second: int) -> list[float]:
    """List how the first of two entries did in their last rated matches against each other, oldest first.

    1 is won, ½ drawn, 0 lost.
    """
    changes = RatingChange.objects.filter(
        entry=first, ladder_match__changes__entry=second, ladder_match__void_sequence=None
    )
    newest = dict(changes.order_by("-pk").values_list("ladder_match__match", "entry__version")[:LAST_RESULTS])
    results = []
    for match, rows in list_points(reversed(newest)).items():
        if len(rows) == DUEL:
            (own,) = (share for version, _bot, share in rows if version == newest[match])
            (other,) = (share for version, _bot, share in rows if version != newest[match])
            results.append(0.5 + 0.5 * ((own > other) - (own < other)))
    return results


# Replay the legs of matches to find their close calls.

RECORDS_PER_READ = 20
SEAT_COLUMNS = ("leg__match", "leg__number", "seat")


def list_close_calls(matches: Sequence[RatedDuel]) -> Iterator[Call]:
    """List the close call of each leg of these matches that has one, in the order of the matches.

    Legs of games that are not installed are left out. Records are read a few at a time.
    """
    by_key = {played.match: played for played in matches}
    entries = [side.entry for played in matches for side in played.sides]
    versions = dict(Entry.objects.filter(pk__in=entries).values_list("pk", "version"))
    seats = _fetch_seats(list(by_key))
    for first in range(0, len(matches), RECORDS_PER_READ):
        chunk = [played.match for played in matches[first : first + RECORDS_PER_READ]]
        legs = Leg.objects.filter(match__in=chunk, match__game__in=list(GAMES)).exclude(record=None)
        found = sorted(legs.only("match", "number", "record"), key=lambda leg: (chunk.index(leg.match_id), leg.number))
        for leg in found:
            closest = find_close_call(leg.record_data)
            if closest is not None:
                played, version = by_key[leg.match_id], seats[leg.pk, closest.seat]
                claimant = next(side.entry for side in played.sides if versions[side.entry] == version)
                yield Call(played, leg.number, claimant, closest)


def list_twins(matches: Sequence[RatedDuel]) -> Iterator[Twins]:
    """List those of these matches whose two legs had the same cards, in their order."""
    for first in range(0, len(matches), RECORDS_PER_READ):
        chunk = {played.match: played for played in matches[first : first + RECORDS_PER_READ]}
        legs = Leg.objects.filter(match__in=chunk, match__series__isnull=True).exclude(record=None).order_by("number")
        decided: dict[int, list[list[tuple[int, str]]]] = {match: [] for match in chunk}
        for leg in legs.only("match", "record"):
            decided[leg.match_id].append([(one["seat"], one["action"]) for one in leg.record_data["actions"]])
        for match, of_legs in decided.items():
            if len(of_legs) == DUEL:
                same = takewhile(lambda pair: pair[0] == pair[1], zip(*of_legs, strict=False))
                alike, longer = sum(1 for _pair in same), max(of_legs, key=len)
                yield Twins(chunk[match], alike, longer[alike][0] if alike < len(longer) else None)


def list_with_costs(twins: Sequence[Twins]) -> Iterator[Twins]:
    """List these matches, those of which both legs are analysed with what their first differences cost."""
    matches = [one.played.match for one in twins]
    losses = fetch_judged_losses(matches)
    seats = LegSeat.objects.filter(leg__match__in=matches)
    versions = {tuple(key): version for *key, version in seats.values_list(*SEAT_COLUMNS, "participant__version")}
    entries = [side.entry for one in twins for side in one.played.sides]
    version_of = dict(Entry.objects.filter(pk__in=entries).values_list("pk", "version"))
    for one in twins:
        played, analysed = one.played, losses.get(one.played.match, {})
        lost = {leg.number: analysed[leg.number].get(one.alike, 0.0) for leg in played.legs if leg.number in analysed}
        if one.seat is None or len(lost) < DUEL or min(lost.values()) == max(lost.values()):
            yield one
            continue
        worse = max(lost, key=lambda number: lost[number])
        version = versions[played.match, worse, one.seat]
        careless = next(side.entry for side in played.sides if version_of[side.entry] == version)
        yield replace(one, cost=max(lost.values()) - min(lost.values()), careless=careless)


def _fetch_seats(matches: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the version at each seat, by leg and seat."""
    rows = LegSeat.objects.filter(leg__match__in=matches).values_list("leg", "seat", "participant__version")
    return {(leg, seat): version for leg, seat, version in rows}


# Choose and store the stories of a day.

Kind = Story.Kind
SUNDAY = 7
FIRST_HOUR_WITH_FINAL_STORIES = 3
"""From then on the stories of the day before stay: they are chosen for the last time an hour earlier."""


def tell_stories_of_today() -> int:
    """Choose the stories of today anew. Return their number."""
    return tell_stories(day=localdate())


def tell_first_stories_of_today() -> int:
    """Choose the stories of today if there are none yet. Return the number of those chosen."""
    return 0 if Story.objects.filter(day=localdate()).exists() else tell_stories_of_today()


def tell_stories_of_yesterday() -> int:
    """Choose the stories of yesterday for the last time, now that all its matches are rated. Return their number."""
    return tell_stories(day=localdate() - timedelta(days=1))


def tell_stories(*, day: date) -> int:
    """Store the stories of a day in place of those chosen before. Return their number."""
    played = list_played(day)
    best, upset, longest = choose_match_of_the_day(played), choose_upset(played), choose_longest(played)
    chosen = {
        Kind.MATCH_OF_THE_DAY: best and describe_match_for_story(best, best.told_leg),
        Kind.UPSET: upset and describe_match_for_story(upset, upset.told_leg),
        Kind.LONGEST: longest and describe_match_for_story(longest, longest.longest_leg),
        Kind.NARROWEST_CLAIM: describe_call(choose_narrowest_claim(list_close_calls(choose_matches_to_replay(played)))),
        Kind.CLIMBER: describe_climb(choose_climber(list_climbs(day))),
        Kind.RIVALRY: describe_pair(choose_rivalry(list_pairs(), played)) if played else None,
        **(describe_week(list_week(day)) if day.isoweekday() == SUNDAY else {}),
    }
    told = [Story(day=day, kind=kind, **fields) for kind, fields in chosen.items() if fields]
    with transaction.atomic():
        kept = Story.objects.filter(day=day)
        for story in told:
            fields = {name: getattr(story, name) for name in ("match_id", "leg", "first_id", "second_id", "facts")}
            kept.update_or_create(day=day, kind=story.kind, defaults=fields)
        kept.exclude(kind__in=[story.kind for story in told]).delete()
    return len(told)


def describe_match_for_story(played: RatedDuel, leg: DuelLeg) -> dict[str, Any]:
    """Return the fields of a story of a match, of which a leg is shown."""
    first, second = played.sides
    if played.winner is second or (played.winner is None and leg.winner == second.entry):
        first, second = second, first
    facts = {
        "decisions": leg.decisions,
        "chance": played.upset_chance,
        "scores": [first.score, second.score],
        "legs": len(played.legs),
        "leg_winner": None if leg.winner is None else int(leg.winner == second.entry),
    }
    return describe_sides(played, first, leg.number, facts)


def describe_call(call: Call | None) -> dict[str, Any] | None:
    """Return the fields of the story of a close call, which is about who claimed."""
    if call is None:
        return None
    first = next(side for side in call.played.sides if side.entry == call.claimant)
    closest = call.closest
    facts = {"step": closest.step, "seat": closest.seat, "margin": list(closest.margin), "call": closest.facts}
    return describe_sides(call.played, first, call.leg, facts)


def list_week(day: date) -> list[RatedDuel]:
    """List the rated matches of the week that ends with a day, as `list_played` lists those of a day."""
    return [played for ago in range(CLIMB_PERIOD.days) for played in list_played(day - timedelta(ago))]


def describe_week(week: Sequence[RatedDuel]) -> dict[str, dict[str, Any] | None]:
    """Return by kind the fields of the stories of a week: of matches whose legs had the same cards."""
    other_endings = list_twins(choose_matches_to_replay(one for one in week if one.has_other_ending))
    one_each = list_with_costs(list(list_twins(choose_matches_to_replay(one for one in week if one.is_one_win_each))))
    return {
        Kind.SAME_CARDS: describe_twins(choose_twins(other_endings)),
        Kind.ONE_WIN_EACH: describe_even_twins(choose_costliest(one_each)),
    }


def describe_twins(twins: Twins | None) -> dict[str, Any] | None:
    """Return the fields of the story of a match whose legs went alike at first, which is about who won both."""
    if twins is None or twins.played.winner is None:
        return None
    return describe_sides(twins.played, twins.played.winner, 1, {"alike": twins.alike})


def describe_even_twins(twins: Twins | None) -> dict[str, Any] | None:
    """Return the fields of the story of a match in which each bot won one leg.

    It is about the one that gave something away by the first difference, else about the one that won the first leg.
    """
    if twins is None:
        return None
    about = twins.careless or twins.played.legs[0].winner
    first = next(side for side in twins.played.sides if side.entry == about)
    return describe_sides(twins.played, first, 1, {"alike": twins.alike, "cost": round(100 * twins.cost)})


def describe_sides(played: RatedDuel, first: RatedBot, leg: int, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a story of a match that is about `first`, whose opponent is the other side."""
    second = played.sides[1] if first is played.sides[0] else played.sides[0]
    facts |= {
        "ratings": [round(first.rating), round(second.rating)],
        "points": [first.points, second.points],
    }
    found = {"match_id": played.match, "leg": leg, "facts": facts}
    return {**found, "first_id": first.entry, "second_id": second.entry}


def describe_climb(climb: Climb | None) -> dict[str, Any] | None:
    """Return the fields of the story of a climber."""
    if climb is None:
        return None
    facts = {
        "before": round(climb.before),
        "after": round(climb.after),
        "ratings_by_day": [round(rating) for rating in climb.by_day],
    }
    return {"first_id": climb.entry, "facts": facts}


def describe_pair(pair: EntryPair | None) -> dict[str, Any] | None:
    """Return the fields of the story of a rivalry."""
    if pair is None:
        return None
    facts = {
        "matches": pair.matches,
        "points": [pair.points, pair.matches - pair.points],
        "last": list_last_results(pair.first, pair.second),
    }
    return {"first_id": pair.first, "second_id": pair.second, "facts": facts}


# Read stories for pages and feeds.

KIND_ORDER = Case(*(When(kind=kind, then=number) for number, kind in enumerate(Story.Kind)))


def list_stories(day: date) -> QuerySet[Story]:
    """List the stories of a day with whom they are about, in the order in which they are told."""
    return _with_bots(Story.objects.filter(day=day)).order_by(KIND_ORDER)


def list_newest_stories(limit: int) -> QuerySet[Story]:
    """List the newest stories of all days."""
    return _with_bots(Story.objects.all())[:limit]


def find_latest_day() -> date | None:
    """Return the last day of which there are stories."""
    return Story.objects.values_list("day", flat=True).first()


COUNT_CACHE_S = 60


def count_rated_matches(day: date) -> int:
    """Count the public rated matches that ended on a day; the number is cached for a moment."""
    begins, ends = bounds(day)
    of_day = LadderMatch.objects.filter(match__finished_at__gte=begins, match__finished_at__lt=ends)
    found: int | None = cache.get(f"rated:{day}")
    if found is None:
        found = filter_public_rated(of_day).count()
        cache.set(f"rated:{day}", found, COUNT_CACHE_S)
    return found


def fetch_told_matches() -> dict[int, tuple[str, date]]:
    """Return by match, of the week's best matches and biggest upsets, as what it was told and of which day."""
    kinds = [Kind.UPSET, Kind.MATCH_OF_THE_DAY]
    told = Story.objects.filter(kind__in=kinds, day__gt=localdate() - timedelta(days=7)).exclude(match=None)
    found = told.order_by(KIND_ORDER.copy(), "day").values_list("match", "kind", "day")
    return {match: (kind, day) for match, kind, day in reversed(found)}


def list_days(before: date, limit: int) -> list[date]:
    """List the days before this one of which there are stories, the latest first."""
    days = Story.objects.filter(day__lt=before).order_by("-day").values_list("day", flat=True).distinct()
    return list(days[:limit])


def _with_bots(stories: QuerySet[Story]) -> QuerySet[Story]:
    related = [f"{entry}__version__bot__owner" for entry in ("first", "second")]
    deferred = [f"{entry}__version__build_log" for entry in ("first", "second")]
    found = stories.select_related("match", "first__ladder", *related)
    return found.defer("match__deal", "match__options", "match__limits", "first__ladder__secret", *deferred)
