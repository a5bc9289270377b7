"""Deals that two matches share.

In a field both versions play the same deal, so while one of the two matches is still to be played, nobody may see the
cards of the other.
"""

from collections.abc import Collection

from arena.comparisons.models import ComparisonMatch
from arena.matches.models import Match

UNPLAYED = (Match.State.QUEUED, Match.State.RUNNING)


def is_deal_in_play(match: Match) -> bool:
    """Return whether another match with the same deal is still to be played."""
    row = ComparisonMatch.objects.filter(match=match.pk).first()
    if row is None:
        return False
    others = ComparisonMatch.objects.filter(comparison=row.comparison_id, number=row.number).exclude(pk=row.pk)
    return others.filter(match__state__in=UNPLAYED).exists()


def list_matches_with_deal_in_play(matches: Collection[int]) -> set[int]:
    """Return those of these finished matches whose deal is still to be played by others."""
    rows = list(ComparisonMatch.objects.filter(match__in=matches).values_list("match", "comparison", "number"))
    if not rows:
        return set()
    comparisons = {comparison for _match, comparison, _number in rows}
    unplayed = ComparisonMatch.objects.filter(comparison__in=comparisons, match__state__in=UNPLAYED)
    in_play = set(unplayed.values_list("comparison", "number"))
    return {match for match, *deal in rows if tuple(deal) in in_play}
