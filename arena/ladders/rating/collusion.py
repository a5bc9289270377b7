"""Whether results against a group of opponents are out of line with all ratings: of bots that lose on purpose, say."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from arena.ladders.rating.elo import expected

COLLUSION_Z_THRESHOLD = 4.0
"""Standard deviations from which results are out of line."""
MIN_COLLUSION_MATCHES = 20
"""Matches below which nothing is said."""


@dataclass(frozen=True, slots=True)
class Meetings:
    """All rated matches of one with one opponent at tables of one size."""

    lead: float
    """Own rating less the opponent's, Elo."""
    seats: int
    matches: int
    halves: int
    """Own half points: from 0 to 2 * seats in each match."""


@dataclass(frozen=True, slots=True)
class Surplus:
    z: float
    """Standard deviations above (or below) what the ratings tell."""
    matches: int

    @property
    def is_out_of_line(self) -> bool:
        return self.matches >= MIN_COLLUSION_MATCHES and abs(self.z) >= COLLUSION_Z_THRESHOLD


def measure_surplus(meetings: Iterable[Meetings], dispersion: float) -> Surplus:
    """Of the results with a group of opponents. `dispersion` is the ladder's dispersion of a match's score."""
    surplus, variance, matches = 0.0, 0.0, 0
    for row in meetings:
        chance = expected(row.lead)
        surplus += row.halves / (2 * row.seats) - row.matches * chance
        variance += dispersion * row.matches * chance * (1 - chance) / row.seats
        matches += row.matches
    return Surplus(surplus / sqrt(variance) if variance else 0.0, matches)
