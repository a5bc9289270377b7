"""Read the history of ratings, by day and by match."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import QuerySet

from arena.bots.models import Bot
from arena.groups.audience import Reader
from arena.ladders.models import Entry, Ladder, RatingChange, RatingPoint

MAX_RATING_DAYS_LISTED, MAX_RATING_CHANGES_LISTED = 366, 200
"""Maximum length of the history of a rating, by day and by match."""


def list_daily_ratings(bot: int, ladder: int) -> list[tuple[float, float, int, date, int, int | None]]:
    """List rating, deviation, matches, day, version and rank of a bot over all its versions, newest first."""
    days = RatingPoint.objects.filter(entry__version__bot=bot, entry__ladder=ladder).order_by("-day", "-pk")
    columns = ("rating", "deviation", "matches", "day", "entry__version__number", "rank")
    return list(days.values_list(*columns)[:MAX_RATING_DAYS_LISTED])


def list_ratings_by_match(entry: int) -> list[tuple[float, float, datetime | None]]:
    """List rating and deviation of an entry after each of its last matches, and when these ended, newest first."""
    changes = RatingChange.objects.filter(entry=entry).order_by("-pk")
    return list(
        changes.values_list("after", "deviation", "ladder_match__match__finished_at")[:MAX_RATING_CHANGES_LISTED]
    )


def list_ratings_of_bots(ladder: Ladder, bots: Sequence[int], after: date, before: date) -> Iterable[tuple[Any, ...]]:
    """List bot, day and rating of these bots in the days between the two, oldest first."""
    points = RatingPoint.objects.filter(entry__ladder=ladder, entry__version__bot__in=bots)
    between = points.filter(day__gt=after, day__lt=before).order_by("day", "entry")
    return between.values_list("entry__version__bot", "day", "rating")


def list_ratings_by_bot_and_ladder(bots: Sequence[int], after: date, before: date) -> Iterable[tuple[Any, ...]]:
    """List bot, ladder, day and rating of these bots on running ladders between two days, oldest first."""
    points = RatingPoint.objects.filter(entry__version__bot__in=bots, entry__ladder__closed_at=None)
    between = points.filter(day__gt=after, day__lt=before).order_by("day", "entry")
    return between.values_list("entry__version__bot", "entry__ladder", "day", "rating")


def list_rating_points(reader: Reader, bot: Bot, **conditions: object) -> QuerySet[RatingPoint]:
    """List the daily ratings of a bot's versions; conditions are lookups of the entry."""
    shown = Entry.objects.shown_to(reader).filter(version__bot=bot)
    points = RatingPoint.objects.filter(entry__in=shown)
    points = points.filter(**{f"entry__{name}": value for name, value in conditions.items()})
    return points.select_related("entry__ladder", "entry__version").defer(
        "entry__ladder__secret", "entry__version__build_log"
    )
