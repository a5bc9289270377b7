"""Figures of analyses for operators."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q

from arena.analysis.models import LegAnalysis


@dataclass(frozen=True, slots=True)
class AnalysisFigures:
    """How many analyses wait and are made, and when the longest waiting one was requested."""

    waiting: int
    running: int
    oldest: datetime | None


def fetch_analysis_figures() -> AnalysisFigures:
    """Return the figures of this moment. One that is made in slices counts as running between them, too."""
    found = LegAnalysis.objects.unfinished().aggregate(
        waiting=Count("pk", filter=Q(state=LegAnalysis.State.WAITING)),
        running=Count("pk", filter=Q(state=LegAnalysis.State.RUNNING)),
        oldest=Min("created_at"),
    )
    return AnalysisFigures(**found)
