"""Choose the matches of a ladder that are analysed without being asked for."""

from datetime import datetime

from django.db.models import Exists, Min, OuterRef

from arena.analysis.models import LegAnalysis
from arena.ladders.models import Ladder, LadderMatch
from arena.matches.models import Match


def list_top_matches(ladder: Ladder, since: datetime, limit: int) -> list[Match]:
    """Return the rated matches since then whose weaker bot had the highest rating, without those analysed already."""
    analysed = LegAnalysis.objects.filter(leg__match=OuterRef("match"))
    rated = LadderMatch.objects.filter(
        ~Exists(analysed), ladder=ladder, void_sequence=None, match__finished_at__gte=since, sequence__isnull=False
    )
    rated = rated.annotate(weaker=Min("changes__before")).filter(weaker__isnull=False).order_by("-weaker", "-pk")
    return [row.match for row in rated.select_related("match").defer("match__deal")[:limit]]
