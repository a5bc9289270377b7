"""In a field two matches are played with the same deal. What is known of the one is known of the other."""

from arena.comparisons.models import ComparisonMatch
from arena.matches.models import Match


def has_twin_in_play(match: Match) -> bool:
    """Whether another match with the same deal is not over: until then nobody may see the cards of this one."""
    row = ComparisonMatch.objects.filter(match=match).first()
    if row is None:
        return False
    twins = ComparisonMatch.objects.filter(comparison=row.comparison_id, number=row.number).exclude(pk=row.pk)
    return twins.filter(match__state__in=[Match.State.QUEUED, Match.State.RUNNING]).exists()
