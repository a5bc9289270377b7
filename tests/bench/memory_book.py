"""A ladder's active entries in memory, in the order of each index: for simulations and tests of matchmaking."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, islice
from math import inf

from arena.contests.ladders.matchmaking import (
    MAX_OPEN_MATCHES_PER_ENTRY,
    Candidate,
    Table,
    sort_pair,
    take_nearest,
)


class MemoryBook:
    """Meetings and tables in flight are the simulation's to write down: `met`, `flights`, `waiting`."""

    def __init__(self, candidates: Iterable[Candidate] = (), dispersion: float = 0.95, spread: float = 200.0) -> None:
        self.dispersion = dispersion
        self.spread = spread
        self.top_rating: float | None = None
        self.weighs_costs = False
        self.most_open: float = MAX_OPEN_MATCHES_PER_ENTRY
        self.candidates: dict[int, Candidate] = {}
        self.met: Counter[Table] = Counter()
        self.flights: list[list[Candidate]] = []
        self.waiting: list[int] = []
        """Entries that haven't played for a day, the longest first."""
        self._by_rating: list[tuple[float, int]] = []
        self._by_deviation: list[tuple[float, int]] = []
        for candidate in candidates:
            self.put(candidate)

    def put(self, candidate: Candidate) -> None:
        """Add an entry, or change its numbers."""
        if candidate.entry in self.candidates:
            self.remove(candidate.entry)
        self.candidates[candidate.entry] = candidate
        insort(self._by_rating, (candidate.rating, candidate.entry))
        insort(self._by_deviation, (-candidate.deviation, candidate.entry))

    def remove(self, entry: int) -> None:
        gone = self.candidates.pop(entry)
        del self._by_rating[bisect_left(self._by_rating, (gone.rating, entry))]
        del self._by_deviation[bisect_left(self._by_deviation, (-gone.deviation, entry))]

    def count(self, table: Sequence[int]) -> None:
        """These have played a match."""
        self.met.update(sort_pair(one, other) for one, other in combinations(table, 2))

    def find_top(self) -> None:
        """Where the best tenth begins, as things stand."""
        best = max(1, len(self._by_rating) // 10)
        self.top_rating = self._by_rating[-best][0]

    def list_open_matches(self) -> Sequence[Sequence[Candidate]]:
        return self.flights

    def find_overdue(self, barred: Collection[int]) -> Candidate | None:
        entry = next((entry for entry in self.waiting if entry not in barred and entry in self.candidates), None)
        return None if entry is None else self.candidates[entry]

    def list_most_uncertain(self, count: int, least_rating: float | None) -> Sequence[Candidate]:
        least = -inf if least_rating is None else least_rating
        return self._some(self._by_deviation, count, lambda one: one.rating >= least)

    def list_around(
        self, rating: float, count: int, barred: Collection[int], authors: Collection[int]
    ) -> Sequence[Candidate]:
        def is_free(one: Candidate) -> bool:
            return one.entry not in barred and one.owner not in authors

        middle = bisect_left(self._by_rating, (rating,))
        above = self._some(islice(self._by_rating, middle, None), 2 * count, is_free)
        below = self._some(self._backwards(middle), 2 * count, is_free)
        return take_nearest(above, below, count)

    def count_meetings(self, entries: Collection[int]) -> Counter[Table]:
        pairs = (sort_pair(one, other) for one, other in combinations(entries, 2))
        return Counter({two: self.met[two] for two in pairs if two in self.met})

    def _some(self, rows: Iterable[tuple[float, int]], count: int, is_free) -> list[Candidate]:
        free = (self.candidates[entry] for _, entry in rows if is_free(self.candidates[entry]))
        return list(islice(free, count))

    def _backwards(self, middle: int) -> Iterator[tuple[float, int]]:
        return (self._by_rating[index] for index in range(middle - 1, -1, -1))
