"""Read the results of a day from which stories are chosen."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from django.db.models import OuterRef
from django.utils.timezone import get_default_timezone

from arena.ladders.models import Entry, LadderMatch, PairStat, RatingChange, RatingPoint
from arena.ladders.queries.showable import exclude_incomplete, filter_public_rated, find_longest_legs, list_points
from arena.matches.models import Leg, LegSeat
from arena.stories.choosing import MIN_RIVALRY_MATCHES, Climb, Pair, Played, Side

CLIMB_PERIOD = timedelta(days=7)
DUEL = 2
LAST_RESULTS = 10
"""The last matches of a rivalry whose results are kept."""


def list_played(day: date) -> list[Played]:
    """List the rated matches between two that ended on a day, in the order of their keys.

    Left out are those with a fault or a lost record, excluded ones, and those that not everybody may see.
    """
    begins, ends = bounds(day)
    of_day = LadderMatch.objects.filter(match__finished_at__gte=begins, match__finished_at__lt=ends)
    rated = exclude_incomplete(filter_public_rated(of_day))
    changes = RatingChange.objects.filter(ladder_match__in=rated.values("pk")).order_by("ladder_match__match", "pk")
    points = LegSeat.objects.filter(
        leg__match=OuterRef("ladder_match__match"), participant__version=OuterRef("entry__version")
    )
    rows = changes.annotate(points=points.values("participant__points")[:1])
    sides: dict[int, list[Side]] = {}
    for match, entry, before, share in rows.values_list("ladder_match__match", "entry", "before", "points"):
        sides.setdefault(match, []).append(Side(entry, before, share or 0.0))
    longest = find_longest_legs(Leg.objects.filter(match__finished_at__gte=begins, match__finished_at__lt=ends))
    return [
        Played(match, (found[0], found[1]), *longest[match])
        for match, found in sides.items()
        if len(found) == DUEL and match in longest
    ]


def bounds(day: date) -> tuple[datetime, datetime]:
    """Return when a day of the site's time zone begins and ends."""
    zone = get_default_timezone()
    begins = datetime(day.year, day.month, day.day, tzinfo=zone)
    following = day + timedelta(days=1)
    return begins, datetime(following.year, following.month, following.day, tzinfo=zone)


def list_pairs() -> Iterator[Pair]:
    """List what two active entries of a running season scored against each other in many matches between two."""
    stats = PairStat.objects.filter(
        seats=DUEL, ladder__group=None, ladder__closed_at=None, matches__gte=MIN_RIVALRY_MATCHES
    )
    for entry in ("low", "high"):
        stats = stats.filter(**{f"{entry}__state": Entry.State.ACTIVE})
    for low, high, matches, halves in stats.values_list("low", "high", "matches", "halves").iterator():
        yield Pair(low, high, matches, halves / (2 * DUEL))


def list_climbs(day: date) -> Iterator[Climb]:
    """List how ratings changed in the week before a day, of entries that had a rank on both days."""
    points = RatingPoint.objects.filter(rank__isnull=False, entry__state=Entry.State.ACTIVE, entry__ladder__group=None)
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
