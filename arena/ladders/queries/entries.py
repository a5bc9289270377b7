"""Read entries of ladders: standings, and where bots play."""

from collections.abc import Sequence

from django.db.models import QuerySet

from arena.bots.models import Bot
from arena.ladders.models import Entry, EntryQuerySet, Ladder, RatingPoint


def list_entries_in_play(bots: Sequence[int]) -> QuerySet[Entry]:
    """List the entries of these bots on running ladders, suspended or not."""
    entries = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__bot__in=bots, ladder__closed_at=None)
    entries = entries.select_related("ladder", "version").defer("ladder__secret", "version__build_log")
    return entries.order_by("version__number", "ladder")


def list_standings(ladder: Ladder, *, bot: str = "") -> EntryQuerySet:
    """List the entries of a ladder, best first, or the one of a bot."""
    entries = Entry.objects.standing(ladder)
    return entries.filter(version__bot__slug=bot) if bot else entries


def rank_before(entry: Entry, ladder: Ladder) -> int:
    """Return how many entries of the ladder come before this one."""
    return Entry.objects.standing(ladder).before(entry).count()


def list_rating_points(bot: Bot, **conditions: object) -> QuerySet[RatingPoint]:
    """List the daily ratings of a bot's versions; conditions are lookups of the entry."""
    points = RatingPoint.objects.filter(entry__version__bot=bot)
    points = points.filter(**{f"entry__{name}": value for name, value in conditions.items()})
    return points.select_related("entry__ladder", "entry__version").defer(
        "entry__ladder__secret", "entry__version__build_log"
    )
