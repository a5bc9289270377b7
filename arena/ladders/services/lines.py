"""Read lines of a ledger, with the results of their matches, many at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from arena.ladders.models import Entry, Ladder, LadderMatch, LadderMatchQuerySet
from arena.ladders.rating.table import PairResult, compute_pair_results
from arena.matches.models import LegSeat
from arena.runner.verdict import Verdict

LEDGER_LINES_PER_READ = 500


@dataclass(frozen=True, slots=True)
class Line:
    """A finished match of a ladder. Entries, points and legs are by participant."""

    row: LadderMatch
    finished_at: datetime
    entries: tuple[int, ...]
    points: tuple[float, ...]
    legs: tuple[str, ...]
    """One letter per leg: x for a fault, . for none."""
    results: tuple[PairResult, ...]

    @property
    def by_pair(self) -> Iterator[tuple[int, int, int, int]]:
        """Both ids (the lower first), number of seats and half points of the first, of each two entries."""
        for result in self.results:
            one, other = self.entries[result.first], self.entries[result.second]
            if one < other:
                yield one, other, result.seats, result.halves
            else:
                yield other, one, result.seats, 2 * result.seats - result.halves


def select_match_columns(rows: LadderMatchQuerySet) -> LadderMatchQuerySet:
    """Select the columns of matches that `read_ledger_lines` needs."""
    return rows.select_related("match").defer("match__deal", "match__options", "match__limits")


def read_ledger_lines(ladder: Ladder, rows: Sequence[LadderMatch]) -> list[Line]:
    """Return the lines of these matches in their order. A match without legs has neither entries nor results."""
    seats = LegSeat.objects.filter(leg__match__in=[row.match_id for row in rows]).order_by("leg__number", "seat")
    leg_columns = ("leg__match", "leg__number", "place", "verdict")
    participant_columns = ("participant__index", "participant__version", "participant__points")
    tables: dict[int, LineBuilder] = {}
    for match, leg, place, verdict, *participant in seats.values_list(*leg_columns, *participant_columns):
        tables.setdefault(match, LineBuilder()).add(leg, place, verdict, participant)
    versions = {version for table in tables.values() for version, _ in table.versions.values()}
    entries = dict(Entry.objects.filter(ladder=ladder, version__in=versions).values_list("version", "pk"))
    return [tables.get(row.match_id, LineBuilder()).build(row, entries) for row in rows]


def iterate_ledger(ladder: Ladder, *, after: int = 0) -> Iterator[Line]:
    """Yield the lines of all rated matches after line `after`, in order, including matches excluded later."""
    rows = select_match_columns(LadderMatch.objects.rated().filter(ladder=ladder))
    while chunk := list(rows.filter(sequence__gt=after)[:LEDGER_LINES_PER_READ]):
        yield from read_ledger_lines(ladder, chunk)
        after = chunk[-1].sequence or 0


class LineBuilder:
    """Collect the seats of the legs of one match and build its line."""

    def __init__(self) -> None:
        self.versions: dict[int, tuple[int, float]] = {}
        self.places: dict[int, dict[int, int]] = {}
        self.legs: dict[int, str] = {}

    def add(self, leg: int, place: int, verdict: str, participant: list[Any]) -> None:
        """Add a seat of a leg. `participant` is its index, version and points."""
        index, version, points = participant
        self.versions[index] = version, points or 0.0
        self.places.setdefault(leg, {})[index] = place
        self.legs[index] = self.legs.get(index, "") + ("." if verdict == Verdict.OK else "x")

    def build(self, row: LadderMatch, entries: Mapping[int, int]) -> Line:
        """Return the line; `entries` are ids by version."""
        indices = sorted(self.versions)
        assert row.match.finished_at is not None
        legs = [[places[index] for index in indices] for places in self.places.values()]
        return Line(
            row=row,
            finished_at=row.match.finished_at,
            entries=tuple(entries[self.versions[index][0]] for index in indices),
            points=tuple(self.versions[index][1] for index in indices),
            legs=tuple(self.legs[index] for index in indices),
            results=tuple(compute_pair_results(legs)) if legs else (),
        )
