"""Read rated matches of ladders, and how they changed ratings."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from arena.bots.models import Bot
from arena.ladders.models import Entry, LadderMatch, PairStat, RatingChange


@dataclass(frozen=True, slots=True)
class RatingStep:
    """What a match did to the rating of a version, in Elo."""

    before: float
    after: float
    deviation: float
    """Standard deviation afterwards."""


def fetch_ladder_matches(matches: Sequence[int]) -> dict[int, LadderMatch]:
    """Return the row of the ledger of each of these matches that was played for a ladder."""
    rows = LadderMatch.objects.filter(match__in=matches).select_related("ladder").defer("ladder__secret")
    return {row.match_id: row for row in rows}


def fetch_rating_changes(matches: Sequence[int]) -> dict[tuple[int, int], RatingStep]:
    """Return what these matches did to ratings, by match and version."""
    changes = RatingChange.objects.filter(ladder_match__match__in=matches).order_by()
    rows = changes.values_list("ladder_match__match", "entry__version", "before", "after", "deviation")
    return {(match, version): RatingStep(*change) for match, version, *change in rows}


def fetch_entry_keys(bot: Bot, **conditions: object) -> set[int]:
    """Return the keys of a bot's entries that meet the conditions."""
    return set(Entry.objects.filter(version__bot=bot, **conditions).values_list("pk", flat=True))


def list_pair_stats(entries: set[int]) -> QuerySet[PairStat]:
    """List the results of these entries against all others they met in rated matches."""
    stats = PairStat.objects.filter(Q(low__in=entries) | Q(high__in=entries), matches__gt=0)
    return stats.select_related("ladder", "low__version__bot", "high__version__bot").defer(
        "ladder__secret", "low__version__build_log", "high__version__build_log"
    )
