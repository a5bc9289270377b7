"""Choose the entries of a ladder's next match. Pure functions: no database access.

The entry with the least certain rating comes first. It meets an entry of similar strength, but not only its neighbours:
a ladder on which only neighbours met would not tell how far apart the others are.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import pi, sqrt
from random import Random
from typing import Protocol

from arena.contests.ladders.rating import LOGITS_PER_ELO, count_equivalent_games, expected_score

Table = tuple[int, ...]
"""The entries that play one match, in no particular order."""

ROUND_ROBIN_MAX_ENTRIES = 30
"""Round robin beats matchmaking up to here: in simulated ladders its error is a fifth lower at 24 entries and higher at
40."""
MAX_OPEN_MATCHES_PER_ENTRY = 2
"""`CandidateSource.most_open` of a ladder whose matches workers play."""
TOP_TENTH_PROBABILITY = 0.25
"""Probability that the least certain entry is sought among the best tenth."""
IDLE_ENTRY_FIRST_PROBABILITY = 0.5
"""Probability that an entry without a match for a day is served first."""
NEIGHBOURS_PER_SIDE = 3
"""Candidates considered on either side of the wanted rating."""
MAX_FIRST_CANDIDATES = 3
"""First entries tried before giving up: each may find all its opponents busy."""
MATCH_OVERHEAD_S = 0.2
"""Processor seconds of a match besides those of its bots: their starts, and storing the result."""
FIRST_MEETING_BONUS = 3.0
"""Extra weight of a first meeting, which shrinks with each further one; it lowers the error of simulated ladders of 50
entries by a twentieth."""
PAIR_INTERACTION_SD_ELO = 40.0
"""Standard deviation of a pair's results from those its ratings predict, which further meetings don't reduce."""


@dataclass(frozen=True, slots=True)
class Seated:
    """An entry in a match that is not rated yet."""

    entry: int
    rating: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Candidate(Seated):
    """An entry that may be chosen for the next match."""

    owner: int
    is_house: bool
    co_authors: frozenset[int] = frozenset()
    """The keys of its authors beside the owner."""
    processor_s: float = 0.0
    """Processor seconds of its bot in a match."""
    is_guest: bool = False
    """Whether it meets remote bots alone: a sandboxed bot on an open ladder."""

    @property
    def authors(self) -> frozenset[int]:
        """The keys of its authors."""
        return self.co_authors | {self.owner}

    def may_meet(self, other: "Candidate") -> bool:
        """Return whether the two may play each other: bots that share an author may not, except house bots."""
        if self.entry == other.entry or (self.is_guest and other.is_guest):
            return False
        return self.is_house or (self.owner != other.owner and self.authors.isdisjoint(other.authors))


class CandidateSource(Protocol):
    """Look up the active entries of a ladder. Each method reads few rows of an index."""

    dispersion: float
    spread: float
    """Standard deviation of the ratings."""
    top_rating: float | None
    """The lowest rating of the best tenth, or None if unknown."""
    weighs_costs: bool
    """Whether a match is chosen by what it tells for each processor second; until all are ranked it isn't."""
    most_open: float
    """Matches of one entry that may wait or run at once; ladders paired as a round robin have no such limit."""

    def list_open_matches(self) -> Sequence[Sequence[Seated]]:
        """Return the entries of each match that is not rated yet."""

    def find_overdue(self, barred: Collection[int]) -> Candidate | None:
        """Return the entry, not among `barred`, that has waited longest for a match, if over a day, else None."""

    def list_most_uncertain(self, count: int, least_rating: float | None) -> Sequence[Candidate]:
        """Return up to `count` entries of at least this rating (None: any), largest deviation first."""

    def list_around(
        self, rating: float, count: int, barred: Collection[int], authors: Collection[int]
    ) -> Sequence[Candidate]:
        """Return the nearest `count` entries at or above a rating and the nearest `count` below it.

        Entries in `barred` and those of `authors` are left out. A shortage on one side is made up on the other, as in
        `take_nearest`.
        """

    def count_meetings(self, entries: Collection[int]) -> Counter[Table]:
        """Count the rated matches between each two of these entries, by `sort_pair`."""


def sort_pair(first: int, second: int) -> Table:
    """Return the two ids, the lower first."""
    return (first, second) if first < second else (second, first)


def take_nearest(above: Sequence[Candidate], below: Sequence[Candidate], count: int) -> list[Candidate]:
    """Return `count` candidates of either side, making up a shortage on one from the other. Nearest come first."""
    return [*above[: max(count, 2 * count - len(below))], *below[: max(count, 2 * count - len(above))]]


def choose_match_size(match_number: int, allowed_sizes: Sequence[int]) -> int:
    """Return the number of seats of a ladder's match of that number: the sizes that the game allows take turns."""
    sizes = [size for size in allowed_sizes if size >= 2]
    return sizes[(match_number - 1) % len(sizes)]


def choose_match_entries(source: CandidateSource, seats: int, rng: Random) -> Table | None:
    """Return the entries of the next match: as many as seats, fewer if no more may meet, None if no two may."""
    open_matches = source.list_open_matches()
    seated = Counter(one.entry for table in open_matches for one in table)
    uncertain = _list_most_uncertain(source, seated)
    if len(uncertain) < ROUND_ROBIN_MAX_ENTRIES:
        return _choose_least_met(source, uncertain, open_matches, seats, rng)
    barred = {entry for entry, matches in seated.items() if matches >= source.most_open}
    free = [one for one in uncertain if one.entry not in barred and not one.is_guest]
    if source.top_rating is not None and rng.random() < TOP_TENTH_PROBABILITY:
        best = _list_most_uncertain(source, seated, source.top_rating)
        free = [one for one in best if one.entry not in barred and not one.is_guest] or free
    for first in _choose_first_entries(
        source, free, barred, _sum_expected_information(open_matches, source.dispersion), rng
    ):
        table = _add_opponents(source, [first], barred, seats, rng, _count_open_meetings(open_matches))
        if len(table) > 1:
            return tuple(one.entry for one in table)
    return None


def _list_most_uncertain(
    source: CandidateSource, seated: Collection[int], least_rating: float | None = None
) -> Sequence[Candidate]:
    """Return enough of the least certain entries to have MAX_FIRST_CANDIDATES among them that play no match now.

    Fewer than ROUND_ROBIN_MAX_ENTRIES are returned only if there are no more.
    """
    count = ROUND_ROBIN_MAX_ENTRIES
    while True:
        found = source.list_most_uncertain(count, least_rating)
        if len(found) < count or sum(one.entry not in seated for one in found) >= MAX_FIRST_CANDIDATES:
            return found
        count *= 2


def compute_match_information(first: Seated, second: Seated, seats: int, dispersion: float) -> float:
    """Return the information (Elo⁻²) that one match with so many seats gives about the difference of two ratings."""
    damping = 1.0 + 3.0 * LOGITS_PER_ELO * LOGITS_PER_ELO * (first.deviation**2 + second.deviation**2) / pi**2
    chance = expected_score((first.rating - second.rating) / sqrt(damping))
    return (
        count_equivalent_games(seats)
        * chance
        * (1.0 - chance)
        * LOGITS_PER_ELO
        * LOGITS_PER_ELO
        / (damping * dispersion)
    )


def _choose_first_entries(
    source: CandidateSource,
    free: Sequence[Candidate],
    barred: set[int],
    expected_information: dict[int, float],
    rng: Random,
) -> Iterator[Candidate]:
    if rng.random() < IDLE_ENTRY_FIRST_PROBABILITY and (overdue := source.find_overdue(barred)) is not None:
        yield overdue
    certain = {one.entry: one.deviation**-2 + expected_information.get(one.entry, 0.0) for one in free}
    yield from sorted(free, key=lambda one: (certain[one.entry], rng.random()))[:MAX_FIRST_CANDIDATES]


def _sum_expected_information(open_matches: Iterable[Sequence[Seated]], dispersion: float) -> dict[int, float]:
    """Return, by entry, the information (Elo⁻²) that matches not rated yet will give."""
    expected_information: dict[int, float] = defaultdict(float)
    for table in open_matches:
        for one, other in combinations(table, 2):
            amount = compute_match_information(one, other, len(table), dispersion)
            expected_information[one.entry] += amount
            expected_information[other.entry] += amount
    return expected_information


def _add_opponents(
    source: CandidateSource, table: list[Candidate], barred: set[int], seats: int, rng: Random, meetings: Counter[Table]
) -> list[Candidate]:
    width = min(max(0.9 * source.spread, 120.0), 250.0)
    while len(table) < seats:
        aim = rng.gauss(table[0].rating, width)
        authors = {author for one in table if not one.is_house for author in one.authors}
        near = source.list_around(aim, NEIGHBOURS_PER_SIDE, barred | {one.entry for one in table}, authors)
        if not near:
            break
        if len(near) > 1:
            known = meetings + source.count_meetings([one.entry for one in (*table, *near)])
            costs = source.weighs_costs
            near = [max(near, key=lambda one: _weigh_opponent(one, table, known, rng, weighs_costs=costs))]
        table.append(near[0])
    return table


def _weigh_opponent(
    candidate: Candidate,
    table: Sequence[Candidate],
    meetings_by_pair: Counter[Table],
    rng: Random,
    *,
    weighs_costs: bool,
) -> float:
    """Return the weight of adding this entry to the match: the information expected, less after many meetings.

    With `weighs_costs` it is that for each processor second of the match.
    """
    worth = 0.0
    for other in table:
        chance = expected_score(candidate.rating - other.rating)
        spread = chance * (1.0 - chance)
        meetings = meetings_by_pair[sort_pair(candidate.entry, other.entry)]
        known = 1.0 + meetings * spread * (LOGITS_PER_ELO * PAIR_INTERACTION_SD_ELO) ** 2
        fresh = 1.0 + FIRST_MEETING_BONUS / (1.0 + meetings)
        worth += spread * (candidate.deviation**2 + other.deviation**2) * fresh / known
    if weighs_costs:
        worth /= MATCH_OVERHEAD_S + sum(one.processor_s for one in (candidate, *table))
    return worth * rng.uniform(0.9, 1.1)


def _count_open_meetings(open_matches: Iterable[Sequence[Seated]]) -> Counter[Table]:
    """Count the matches not rated yet between each two entries."""
    return Counter(sort_pair(one.entry, other.entry) for table in open_matches for one, other in combinations(table, 2))


def _choose_least_met(
    source: CandidateSource,
    candidates: Sequence[Candidate],
    open_matches: Sequence[Sequence[Seated]],
    seats: int,
    rng: Random,
) -> Table | None:
    """Return the pair that has met least, joined by the entries that have met it least.

    Ties go to entries with fewer matches not rated yet. Where costs are weighed it is the pair whose match tells most
    for each processor second.
    """
    legal = [(one, other) for one, other in combinations(candidates, 2) if one.may_meet(other)]
    if not legal:
        return None
    met = source.count_meetings([one.entry for one in candidates]) + _count_open_meetings(open_matches)
    seated = Counter(one.entry for table in open_matches for one in table)

    def sort_key(entries: Sequence[Candidate]) -> tuple[float, ...]:
        if source.weighs_costs:
            return (-_weigh_opponent(entries[-1], entries[:-1], met, rng, weighs_costs=True),)
        meetings = sum(met[sort_pair(one.entry, other.entry)] for one, other in combinations(entries, 2))
        return meetings, sum(seated[one.entry] for one in entries), rng.random()

    table: tuple[Candidate, ...] = min(legal, key=sort_key)
    while len(table) < seats:
        free = [one for one in candidates if all(one.may_meet(other) for other in table)]
        if not free:
            break
        table = min(((*table, one) for one in free), key=sort_key)
    return tuple(one.entry for one in table)
