"""Find where finished matches turned, as far as their legs have been analysed."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.analysis.models import LegAnalysis, SeatAnalysis


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The decision of a match that gave away the most."""

    leg: int
    decision: int
    """The number of the decision in the record of the leg, from 0."""
    loss: float
    """The chance that it gave away, from 0 to 1."""


def fetch_turning_points(matches: Sequence[int]) -> dict[int, TurningPoint]:
    """Return by match the worst decision of all analysed legs; matches without one are left out."""
    seats = SeatAnalysis.objects.filter(
        analysis__leg__match__in=matches, analysis__state=LegAnalysis.State.DONE
    ).exclude(mistakes=[])
    found: dict[int, TurningPoint] = {}
    rows = seats.values_list("analysis__leg__match", "analysis__leg__number", "mistakes")
    for match, leg, mistakes in rows.order_by("analysis__leg", "seat"):
        worst = max(mistakes, key=lambda mistake: mistake["loss"])
        if match not in found or worst["loss"] > found[match].loss:
            found[match] = TurningPoint(leg, worst["number"], worst["loss"])
    return found
