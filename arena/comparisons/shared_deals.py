"""In a field two matches are played with the same deal. What is known of the one is known of the other."""

from django.db.models import QuerySet

from arena.baked import baked
from arena.comparisons.models import ComparisonMatch
from arena.matches.models import Match


def is_deal_in_play(match: Match) -> bool:
    """Whether another match with the same deal is not over: until then nobody may see the cards of this one."""
    rows = ask_compared(match.pk)
    if not rows:
        return False
    row = rows[0]
    twins = ComparisonMatch.objects.filter(comparison=row.comparison_id, number=row.number).exclude(pk=row.pk)
    return twins.filter(match__state__in=[Match.State.QUEUED, Match.State.RUNNING]).exists()


@baked
def ask_compared(match: int) -> QuerySet[ComparisonMatch]:
    return ComparisonMatch.objects.filter(match=match)
