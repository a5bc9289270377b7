"""Read the history of ratings and the results against rivals."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import F, FloatField, Q, Sum
from django.db.models.functions import Cast

from arena.ladders.models import Entry, Ladder, PairStat, RatingChange, RatingPoint

MAX_DAYS, MAX_CHANGES = 366, 200
"""How far back the history of a rating goes, by day and by match."""
MAX_RIVALS = 10


def list_daily_ratings(bot: int, ladder: int) -> list[tuple[float, float, int, date, int, int | None]]:
    """List rating, deviation, matches, day, version and rank of a bot over all its versions, newest first."""
    days = RatingPoint.objects.filter(entry__version__bot=bot, entry__ladder=ladder).order_by("-day", "-pk")
    columns = ("rating", "deviation", "matches", "day", "entry__version__number", "rank")
    return list(days.values_list(*columns)[:MAX_DAYS])


def list_ratings_by_match(entry: int) -> list[tuple[float, float, datetime | None]]:
    """List rating and deviation of an entry after each of its last matches, and when these ended, newest first."""
    changes = RatingChange.objects.filter(entry=entry).order_by("-pk")
    return list(changes.values_list("after", "deviation", "ladder_match__match__finished_at")[:MAX_CHANGES])


def list_ratings_of_bots(ladder: Ladder, bots: Sequence[int], after: date, before: date) -> Iterable[tuple[Any, ...]]:
    """List bot, day and rating of these bots in the days between the two, oldest first."""
    points = RatingPoint.objects.filter(entry__ladder=ladder, entry__version__bot__in=bots)
    between = points.filter(day__gt=after, day__lt=before).order_by("day", "entry")
    return between.values_list("entry__version__bot", "day", "rating")


def list_rivals(entry: Entry) -> list[tuple[Entry, int, float]]:
    """List the entries that this one met most often, with the number of matches and its points from 0 to 1 each."""
    stats = PairStat.objects.filter(Q(low=entry) | Q(high=entry), matches__gt=0).values_list("low", "high")
    summed = stats.annotate(met=Sum("matches"), points=Sum(Cast("halves", FloatField()) / (2 * F("seats"))))
    found = {}
    for low, high, met, points in summed.order_by("-met", "low", "high")[:MAX_RIVALS]:
        found[high if low == entry.pk else low] = met, points if low == entry.pk else met - points
    shown = ("rating", "state", "version__number", "version__bot__name", "version__bot__slug")
    entries = Entry.objects.select_related("version__bot").only(*shown).in_bulk(list(found))
    return [(entries[pk], met, points / met) for pk, (met, points) in found.items()]
