"""Read what entries scored against each other in rated matches."""

from collections.abc import Sequence

from django.db.models import F, FloatField, Q, QuerySet, Sum
from django.db.models.functions import Cast

from arena.ladders.models import Entry, PairStat

MAX_RIVALS_LISTED = 10


def list_pair_stats(entries: set[int]) -> QuerySet[PairStat]:
    """List the results of these entries against all others they met in rated matches."""
    stats = PairStat.objects.filter(Q(low__in=entries) | Q(high__in=entries), matches__gt=0)
    return stats.select_related("ladder", "low__version__bot", "high__version__bot").defer(
        "ladder__secret", "low__version__build_log", "high__version__build_log"
    )


def list_pair_stats_between(entries: Sequence[int], others: Sequence[int]) -> QuerySet[PairStat]:
    """List what these entries scored against those in rated matches."""
    met = Q(low__in=entries, high__in=others) | Q(low__in=others, high__in=entries)
    return PairStat.objects.filter(met, matches__gt=0)


def list_rivals(entry: Entry) -> list[tuple[Entry, int, float]]:
    """List the entries that this one met most often, with the number of matches and its points from 0 to 1 each."""
    stats = PairStat.objects.filter(Q(low=entry) | Q(high=entry), matches__gt=0).values_list("low", "high")
    summed = stats.annotate(met=Sum("matches"), points=Sum(Cast("halves", FloatField()) / (2 * F("seats"))))
    found = {}
    for low, high, met, points in summed.order_by("-met", "low", "high")[:MAX_RIVALS_LISTED]:
        found[high if low == entry.pk else low] = met, points if low == entry.pk else met - points
    bot = ("version__bot__name", "version__bot__slug", "version__bot__crest_difference", "version__bot__crest_design")
    shown = ("rating", "state", "version__number", *bot)
    entries = Entry.objects.select_related("version__bot").only(*shown).in_bulk(list(found))
    return [(entries[pk], met, points / met) for pk, (met, points) in found.items()]
