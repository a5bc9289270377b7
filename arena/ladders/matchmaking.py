"""Who plays whom next, and how many at a table. A choice among values; knows no database."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

Table = tuple[int, ...]
"""The entries that play one match, in rising order."""


@dataclass(frozen=True, slots=True)
class Candidate:
    entry: int
    owner: int
    is_house: bool
    rating: float
    played: int
    """Matches rated, waiting and running."""

    def may_meet(self, other: "Candidate") -> bool:
        """An author's bots would only push each other; the house has nothing to win by it."""
        return self.entry != other.entry and (self.owner != other.owner or self.is_house)


@dataclass(slots=True)
class Past:
    """What was played of late, as far as it counts for what comes next."""

    met: Counter[Table] = field(default_factory=Counter)
    """How often two entries sat at a table, by the pair of them."""
    sat: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often an entry sat at a table of so many seats, by entry and seats."""
    latest: dict[int, int] = field(default_factory=dict)
    """The number of the latest table of so many seats, by seats; the first table is number 1."""
    tables: int = 0

    def add(self, table: Table) -> None:
        self.tables += 1
        self.latest[len(table)] = self.tables
        self.met.update(combinations(sorted(table), 2))
        self.sat.update((entry, len(table)) for entry in table)


def choose_tables(candidates: Sequence[Candidate], recent: Sequence[Table], seats: range, room: int) -> list[Table]:
    """At most `room` tables, given what was played of late, oldest first. Nothing is left to chance.

    The numbers of seats that the game allows take turns, as far as there are enough candidates who may meet. At each
    table sits whoever has played least; then whom those there have met least, then who has played least, then who is
    nearest in rating. Of those who have played equally often, the one that sat least at a table of this size comes
    first, so that nobody is left with tables of one size.
    """
    past = Past()
    for table in recent:
        past.add(table)
    sizes = [size for size in seats if 2 <= size <= _may_sit_together(candidates)]
    played = {candidate.entry: candidate.played for candidate in candidates}
    tables: list[Table] = []
    while sizes and len(tables) < room:
        size = min(sizes, key=lambda size: (past.latest.get(size, 0), size))
        table = _fill(candidates, played, past, size)
        tables.append(table)
        past.add(table)
        for entry in table:
            played[entry] += 1
    return tables


def _may_sit_together(candidates: Sequence[Candidate]) -> int:
    """So many at most, and whoever sits down first."""
    authors = {candidate.owner for candidate in candidates if not candidate.is_house}
    return len(authors) + sum(candidate.is_house for candidate in candidates)


def _fill(candidates: Sequence[Candidate], played: dict[int, int], past: Past, size: int) -> Table:
    def turn(candidate: Candidate) -> tuple[int, int]:
        return played[candidate.entry], past.sat[candidate.entry, size]

    first = min(candidates, key=lambda candidate: (*turn(candidate), candidate.entry))
    table = [first]
    while len(table) < size:
        free = [one for one in candidates if all(one.may_meet(other) for other in table)]
        table.append(
            min(
                free,
                key=lambda one: (
                    sum(past.met[pair(one.entry, other.entry)] for other in table),
                    *turn(one),
                    abs(one.rating - first.rating),
                    one.entry,
                ),
            )
        )
    return tuple(sorted(candidate.entry for candidate in table))


def pair(one: int, other: int) -> Table:
    return (one, other) if one < other else (other, one)
