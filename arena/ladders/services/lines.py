"""What stands in the lines of a ledger: the results of its matches, read many at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from arena.ladders.models import Entry, Ladder, LadderMatch, LadderMatchQuerySet
from arena.ladders.rating.table import PairResult, pair_results
from arena.matches.models import LegSeat
from arena.runner.verdict import Verdict

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Line:
    """A finished match of a ladder. Everything but the results is by participant."""

    row: LadderMatch
    finished_at: datetime
    entries: tuple[int, ...]
    points: tuple[float, ...]
    legs: tuple[str, ...]
    """A letter a leg: x where it was at fault, . elsewhere."""
    results: tuple[PairResult, ...]

    @property
    def by_pair(self) -> Iterator[tuple[int, int, int, int]]:
        """Of each two entries, the lower id first: both, the seats of the table, half points of the first."""
        for result in self.results:
            one, other = self.entries[result.one], self.entries[result.other]
            if one < other:
                yield one, other, result.seats, result.halves
            else:
                yield other, one, result.seats, 2 * result.seats - result.halves


def with_matches(rows: LadderMatchQuerySet) -> LadderMatchQuerySet:
    """With what `read_lines` wants of their matches."""
    return rows.select_related("match").defer("match__deal", "match__options", "match__limits")


def read_lines(ladder: Ladder, rows: Sequence[LadderMatch]) -> list[Line]:
    """The lines of these matches of a ladder, in their order. A match without legs has neither entries nor results."""
    seats = LegSeat.objects.filter(leg__match__in=[row.match_id for row in rows]).order_by("leg__number", "seat")
    facts = ("leg__match", "leg__number", "place", "verdict")
    whose = ("participant__index", "participant__version", "participant__points")
    tables: dict[int, Table] = {}
    for match, leg, place, verdict, *participant in seats.values_list(*facts, *whose):
        tables.setdefault(match, Table()).add(leg, place, verdict, participant)
    versions = {version for table in tables.values() for version, _ in table.versions.values()}
    entries = dict(Entry.objects.filter(ladder=ladder, version__in=versions).values_list("version", "pk"))
    return [tables.get(row.match_id, Table()).line(row, entries) for row in rows]


def ledger(ladder: Ladder, *, after: int = 0) -> Iterator[Line]:
    """All lines that count a match, in order, those that were made void included."""
    rows = with_matches(LadderMatch.objects.rated().filter(ladder=ladder))
    while chunk := list(rows.filter(sequence__gt=after)[:CHUNK]):
        yield from read_lines(ladder, chunk)
        after = chunk[-1].sequence or 0


class Table:
    """Collects what the seats of the legs of one match say."""

    def __init__(self) -> None:
        self.versions: dict[int, tuple[int, float]] = {}
        self.places: dict[int, dict[int, int]] = {}
        self.legs: dict[int, str] = {}

    def add(self, leg: int, place: int, verdict: str, participant: list[Any]) -> None:
        index, version, points = participant
        self.versions[index] = version, points or 0.0
        self.places.setdefault(leg, {})[index] = place
        self.legs[index] = self.legs.get(index, "") + ("." if verdict == Verdict.OK else "x")

    def line(self, row: LadderMatch, entries: Mapping[int, int]) -> Line:
        indices = sorted(self.versions)
        assert row.match.finished_at is not None
        legs = [[places[index] for index in indices] for places in self.places.values()]
        return Line(
            row=row,
            finished_at=row.match.finished_at,
            entries=tuple(entries[self.versions[index][0]] for index in indices),
            points=tuple(self.versions[index][1] for index in indices),
            legs=tuple(self.legs[index] for index in indices),
            results=tuple(pair_results(legs)) if legs else (),
        )
