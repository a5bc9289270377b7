"""Who sits at the next table of a ladder. A choice among values; knows no database.

Whose rating is least certain comes first, and meets somebody of about its strength, but not only its neighbours: a
ladder on which only neighbours met would not know how far apart the others are.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import pi, sqrt
from random import Random
from typing import Protocol

from arena.ladders.rating.elo import Q, expected
from arena.ladders.rating.table import games

Table = tuple[int, ...]
"""The entries that play one match, in no particular order."""

ROUND_ROBIN_MAX_ENTRIES = 30
"""Round robin beats matchmaking up to here: in simulated ladders its error is a fifth lower at 24 entries and higher at
40."""
MAX_OPEN_MATCHES_PER_ENTRY = 2
"""Matches of one entry that may wait or run at once; ladders paired as a round robin have no such limit."""
TOP_TENTH_PROBABILITY = 0.25
"""Probability that the least certain entry is sought among the best tenth."""
IDLE_ENTRY_FIRST_PROBABILITY = 0.5
"""Probability that an entry without a match for a day is served first."""
NEIGHBOURS_PER_SIDE = 3
"""Candidates considered on either side of the wanted rating."""
MAX_FIRST_CANDIDATES = 3
"""First entries tried before giving up: each may find all its opponents busy."""
FIRST_MEETING_BONUS = 3.0
"""Extra weight of a first meeting, which shrinks with each further one; it lowers the error of simulated ladders of 50
entries by a twentieth."""
PAIR_INTERACTION_SD_ELO = 40.0
"""How much two bots' results differ, in Elo, from what their ratings tell. What more meetings can't teach."""


@dataclass(frozen=True, slots=True)
class Seated:
    """What counts of an entry at a table in flight."""

    entry: int
    rating: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Candidate(Seated):
    owner: int
    is_house: bool

    def may_meet(self, other: "Candidate") -> bool:
        """An author's bots would only push each other; the house has nothing to win by it."""
        return self.entry != other.entry and (self.owner != other.owner or self.is_house)


class CandidateSource(Protocol):
    """What can be looked up of a ladder's active entries. Each question is answered by few rows of an index."""

    dispersion: float
    spread: float
    """Standard deviation of the ratings."""
    top_rating: float | None
    """Where the best tenth begins; None where that isn't known."""

    def in_flight(self) -> Sequence[Sequence[Seated]]:
        """Who sits at each of the tables whose match isn't rated yet."""

    def overdue(self, barred: Collection[int]) -> Candidate | None:
        """The one that waits longest for a match, if that is more than a day. Never of the entries `barred`."""

    def most_uncertain(self, count: int, least_rating: float | None) -> Sequence[Candidate]:
        """The `count` of largest deviation, of those whose rating is at least that; fewer where there are no more."""

    def around(
        self, rating: float, count: int, barred: Collection[int], owners: Collection[int]
    ) -> Sequence[Candidate]:
        """The nearest `count` at or above a rating and the nearest `count` below it, of none of these owners.

        More on one side, where there are fewer on the other: see `nearest`.
        """

    def meetings(self, entries: Collection[int]) -> Counter[Table]:
        """How many rated matches any two of these entries had, by `pair`."""


def pair(one: int, other: int) -> Table:
    return (one, other) if one < other else (other, one)


def nearest(above: Sequence[Candidate], below: Sequence[Candidate], count: int) -> list[Candidate]:
    """`count` of either side, and what one of them lacks from the other. Each side has the nearest first."""
    return [*above[: max(count, 2 * count - len(below))], *below[: max(count, 2 * count - len(above))]]


def table_size(number: int, seats: Sequence[int]) -> int:
    """How many are to sit at a ladder's table of that number: the sizes that the game allows take turns."""
    sizes = [size for size in seats if size >= 2]
    return sizes[(number - 1) % len(sizes)]


def choose_table(source: CandidateSource, seats: int, rng: Random) -> Table | None:
    """Who plays the next match, at a table of so many seats, or fewer where no more may meet. None where nobody may."""
    flights = source.in_flight()
    seated = Counter(one.entry for table in flights for one in table)
    uncertain = _most_uncertain(source, seated)
    if len(uncertain) < ROUND_ROBIN_MAX_ENTRIES:
        return _least_met(source, uncertain, flights, seats, rng)
    barred = {entry for entry, matches in seated.items() if matches >= MAX_OPEN_MATCHES_PER_ENTRY}
    free = [one for one in uncertain if one.entry not in barred]
    if source.top_rating is not None and rng.random() < TOP_TENTH_PROBABILITY:
        best = _most_uncertain(source, seated, source.top_rating)
        free = [one for one in best if one.entry not in barred] or free
    for first in _first_candidates(source, free, barred, _expected_information(flights, source.dispersion), rng):
        table = _fill(source, [first], barred, seats, rng, _meetings(flights))
        if len(table) > 1:
            return tuple(one.entry for one in table)
    return None


def _most_uncertain(
    source: CandidateSource, seated: Collection[int], least_rating: float | None = None
) -> Sequence[Candidate]:
    """Among these are the least certain ones, whatever the matches in flight are going to tell of those seated: of all
    others the least certain are there. Fewer than ROUND_ROBIN_MAX_ENTRIES only where there are no more."""
    count = ROUND_ROBIN_MAX_ENTRIES
    while True:
        found = source.most_uncertain(count, least_rating)
        if len(found) < count or sum(one.entry not in seated for one in found) >= MAX_FIRST_CANDIDATES:
            return found
        count *= 2


def information(one: Seated, other: Seated, seats: int, dispersion: float) -> float:
    """What one match at a table of so many is going to tell of the difference of the two: an inverse variance, Elo."""
    damping = 1.0 + 3.0 * Q * Q * (one.deviation**2 + other.deviation**2) / pi**2
    chance = expected((one.rating - other.rating) / sqrt(damping))
    return games(seats) * chance * (1.0 - chance) * Q * Q / (damping * dispersion)


def _first_candidates(
    source: CandidateSource, free: Sequence[Candidate], barred: set[int], told: dict[int, float], rng: Random
) -> Iterator[Candidate]:
    if rng.random() < IDLE_ENTRY_FIRST_PROBABILITY and (overdue := source.overdue(barred)) is not None:
        yield overdue
    certain = {one.entry: one.deviation**-2 + told.get(one.entry, 0.0) for one in free}
    yield from sorted(free, key=lambda one: (certain[one.entry], rng.random()))[:MAX_FIRST_CANDIDATES]


def _expected_information(flights: Iterable[Sequence[Seated]], dispersion: float) -> dict[int, float]:
    """What the matches in flight are going to tell of each entry: an inverse variance, Elo."""
    told: dict[int, float] = defaultdict(float)
    for table in flights:
        for one, other in combinations(table, 2):
            amount = information(one, other, len(table), dispersion)
            told[one.entry] += amount
            told[other.entry] += amount
    return told


def _fill(
    source: CandidateSource, table: list[Candidate], barred: set[int], seats: int, rng: Random, met: Counter[Table]
) -> list[Candidate]:
    width = min(max(0.9 * source.spread, 120.0), 250.0)
    while len(table) < seats:
        aim = rng.gauss(table[0].rating, width)
        owners = {one.owner for one in table if not one.is_house}
        near = source.around(aim, NEIGHBOURS_PER_SIDE, barred | {one.entry for one in table}, owners)
        if not near:
            break
        if len(near) > 1:
            known = met + source.meetings([one.entry for one in (*table, *near)])
            near = [max(near, key=lambda one: _expected_gain(one, table, known, rng))]
        table.append(near[0])
    return table


def _expected_gain(one: Candidate, table: Sequence[Candidate], met: Counter[Table], rng: Random) -> float:
    """What is to be learnt if this one sits down, less where they know each other well."""
    worth = 0.0
    for other in table:
        chance = expected(one.rating - other.rating)
        spread = chance * (1.0 - chance)
        meetings = met[pair(one.entry, other.entry)]
        known = 1.0 + meetings * spread * (Q * PAIR_INTERACTION_SD_ELO) ** 2
        fresh = 1.0 + FIRST_MEETING_BONUS / (1.0 + meetings)
        worth += spread * (one.deviation**2 + other.deviation**2) * fresh / known
    return worth * rng.uniform(0.9, 1.1)


def _meetings(flights: Iterable[Sequence[Seated]]) -> Counter[Table]:
    """How often two sit together at tables in flight."""
    return Counter(pair(one.entry, other.entry) for table in flights for one, other in combinations(table, 2))


def _least_met(
    source: CandidateSource,
    everybody: Sequence[Candidate],
    flights: Sequence[Sequence[Seated]],
    seats: int,
    rng: Random,
) -> Table | None:
    """The pair that has met least, and whoever has met those two least. Of equals, whoever sits in fewer flights."""
    legal = [(one, other) for one, other in combinations(everybody, 2) if one.may_meet(other)]
    if not legal:
        return None
    met = source.meetings([one.entry for one in everybody]) + _meetings(flights)
    seated = Counter(one.entry for table in flights for one in table)

    def rank(ones: Sequence[Candidate]) -> tuple[float, ...]:
        meetings = sum(met[pair(one.entry, other.entry)] for one, other in combinations(ones, 2))
        return meetings, sum(seated[one.entry] for one in ones), rng.random()

    table: tuple[Candidate, ...] = min(legal, key=rank)
    while len(table) < seats:
        free = [one for one in everybody if all(one.may_meet(other) for other in table)]
        if not free:
            break
        table = min(((*table, one) for one in free), key=rank)
    return tuple(one.entry for one in table)
