"""Results of a bot: how many matches it won, and its last results against each opponent."""

from collections.abc import Iterable
from dataclasses import dataclass

from arena.ladders.models import Entry
from arena.ladders.queries.rated_matches import list_recent_rated_matches
from arena.matches.queries.played import list_points
from arena.pages.matches.results import POINTS_DIGITS
from arena.pages.svg.charts import DRAWN_POINTS, LOST_POINTS, WON_POINTS

MAX_MATCHES_COUNTED = 60
"""A tally counts this many of an entry's newest rated matches."""
MAX_RESULTS_SHOWN = 10
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of matches. A match is won with more than half of its points."""

    won: int
    drawn: int
    lost: int

    @property
    def matches(self) -> int:
        """Return the number of all matches."""
        return self.won + self.drawn + self.lost


@dataclass(frozen=True, slots=True)
class Form:
    """The results of an entry's newest rated matches."""

    tally: Tally
    last: dict[int, list[float]]
    """The last results against each version, oldest first."""


def count_results(points: Iterable[float]) -> Tally:
    """Return how many matches were won, drawn and lost with these shares of the points."""
    results = [compare_points(one, HALF) for one in points]
    return Tally(results.count(WON_POINTS), results.count(DRAWN_POINTS), results.count(LOST_POINTS))


def compare_points(own: float, other: float) -> float:
    """Return WON, DRAWN or LOST for who has these points against who has those."""
    own, other = round(own, POINTS_DIGITS), round(other, POINTS_DIGITS)
    return WON_POINTS if own > other else LOST_POINTS if own < other else DRAWN_POINTS


def read_form(entry: Entry) -> Form:
    """Return an entry's form, in two queries however much it has played."""
    matches = list_recent_rated_matches(entry, MAX_MATCHES_COUNTED)
    tables: dict[int, dict[int, float]] = {match: {} for match in matches}
    for match, version, points in list_points(matches):
        if points is not None:
            tables[match][version] = points
    played = [table for table in tables.values() if entry.version_id in table]
    own = [table.pop(entry.version_id) for table in played]
    last: dict[int, list[float]] = {}
    for points, table in zip(own, played, strict=True):
        for version, others in table.items():
            met = last.setdefault(version, [])
            if len(met) < MAX_RESULTS_SHOWN:
                met.insert(0, compare_points(points, others))
    return Form(count_results(own), last)
