"""Test whether results against a group of opponents are out of line with all ratings, as when bots lose on purpose."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from arena.ladders.rating.elo import expected_score

COLLUSION_Z_THRESHOLD = 4.0
"""Results are out of line from this many standard deviations on."""
MIN_COLLUSION_MATCHES = 20
"""With fewer matches no results are out of line."""


@dataclass(frozen=True, slots=True)
class Meetings:
    """The rated matches of an entry against one opponent with the same number of seats."""

    lead: float
    """Own rating less the opponent's, Elo."""
    seats: int
    matches: int
    halves: int
    """Own half points: from 0 to 2 * seats in each match."""


@dataclass(frozen=True, slots=True)
class Surplus:
    """The excess of results over those that ratings predict."""

    z: float
    """Deviation of the score from the expected one, in standard deviations."""
    matches: int

    @property
    def is_out_of_line(self) -> bool:
        """Return whether the results are to be reported."""
        return self.matches >= MIN_COLLUSION_MATCHES and abs(self.z) >= COLLUSION_Z_THRESHOLD


def measure_surplus(meetings: Iterable[Meetings], dispersion: float) -> Surplus:
    """Return the surplus of an entry in these meetings. `dispersion` is that of a match's score on the ladder."""
    surplus, variance, matches = 0.0, 0.0, 0
    for row in meetings:
        chance = expected_score(row.lead)
        surplus += row.halves / (2 * row.seats) - row.matches * chance
        variance += dispersion * row.matches * chance * (1 - chance) / row.seats
        matches += row.matches
    return Surplus(surplus / sqrt(variance) if variance else 0.0, matches)
