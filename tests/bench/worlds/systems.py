"""Two ways to rate: what is usual, and what the arena does, made of the arena's own parts with its rows in memory."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random

import numpy as np
import numpy.typing as npt

from arena.contests.ladders.fit import Entities, FitResult, Stats, find_sure_places, fit_ratings
from arena.contests.ladders.matchmaking import Candidate, choose_match_entries
from arena.contests.ladders.rating import (
    INITIAL_DEVIATION_ELO,
    INITIAL_RATING_ELO,
    VERSION_CHANGE_SD_ELO,
    PairResult,
    Rating,
    count_half_points,
    expected_score,
    is_certain,
    is_ranked,
    update_ratings,
)
from tests.bench.memory_book import MemoryBook

Floats = npt.NDArray[np.float64]

K = 32.0


class Naive:
    """Elo with a K of 32 after every game between two at random. A new version takes over its parent's rating."""

    def __init__(self) -> None:
        self.ratings: dict[int, float] = {}

    def enter(self, entry: int, parent: int | None = None) -> None:
        self.ratings[entry] = INITIAL_RATING_ELO if parent is None else self.ratings[parent]

    def pick(self, active: Sequence[int], rng: Random, seats: int = 2) -> list[int]:
        return rng.sample(active, seats)

    def learn(self, one: int, other: int, score: float) -> None:
        change = K * (score - expected_score(self.ratings[one] - self.ratings[other]))
        self.ratings[one] += change
        self.ratings[other] -= change

    def learn_places(self, table: Sequence[int], places: Sequence[int]) -> None:
        changes = [self._change(table, places, seat) for seat in range(len(table))]
        for one, change in zip(table, changes, strict=True):
            self.ratings[one] += change

    def _change(self, table: Sequence[int], places: Sequence[int], seat: int) -> float:
        """As if each table were a game with each of the others, of less weight."""
        own = self.ratings[table[seat]]
        surplus = sum(
            count_half_points(places[seat], place) / 2 - expected_score(own - self.ratings[other])
            for other, place in zip(table, places, strict=True)
            if other != table[seat]
        )
        return K / (len(table) - 1) * surplus


@dataclass(slots=True)
class Row:
    """What the arena's table of entries knows."""

    rating: float
    deviation: float
    parent: int = -1
    is_active: bool = True
    is_anchor: bool = False
    matches: int = 0


class Shipped:
    """Mirrored matches picked by uncertainty, rated by the online step until the next fit. Entries count from 0."""

    def __init__(self, seed: int, *, anchor_mean: float = INITIAL_RATING_ELO) -> None:
        self.rng = Random(f"{seed}: picks")
        self.anchor_mean = anchor_mean
        self.rows: list[Row] = []
        self.book = MemoryBook()
        self.opponents: defaultdict[int, set[int]] = defaultdict(set)
        self.slots: dict[tuple[int, int, int], int] = {}
        self.sums = np.zeros((1024, 6), dtype=np.int64)
        self.fitted: FitResult | None = None
        self.sure: set[int] = set()
        """Entries whose place the last fit left no doubt about."""

    def enter(self, parent: int | None = None, *, is_anchor: bool = False) -> int:
        entry = len(self.rows)
        if parent is None:
            row = Row(INITIAL_RATING_ELO, INITIAL_DEVIATION_ELO, is_anchor=is_anchor)
        else:
            old = self.rows[parent]
            row = Row(old.rating, sqrt(old.deviation**2 + VERSION_CHANGE_SD_ELO**2), parent)
            self.retire(parent)
        self.rows.append(row)
        self._put(entry)
        return entry

    def retire(self, entry: int) -> None:
        self.rows[entry].is_active = False
        self.book.remove(entry)

    def pick(self, seats: int = 2) -> tuple[int, ...]:
        table = choose_match_entries(self.book, seats, self.rng)
        assert table is not None
        return table

    def learn(self, table: Sequence[int], results: Sequence[PairResult]) -> None:
        """A match is rated."""
        rows = [self.rows[entry] for entry in table]
        after = update_ratings([Rating(row.rating, row.deviation) for row in rows], results, self.book.dispersion)
        for entry, row, one in zip(table, rows, after, strict=True):
            row.rating, row.deviation = one.rating, one.deviation
            row.matches += 1
            self.opponents[entry].update(table)
            self._put(entry)
        self.book.count(table)
        for result in results:
            self._add(table[result.first], table[result.second], result)

    def refit(self) -> None:
        self.fitted = fitted = fit_ratings(
            self._entities(),
            self._stats(),
            anchor_mean=self.anchor_mean,
            start=np.array([row.rating for row in self.rows]),
        )
        active = [entry for entry, row in enumerate(self.rows) if row.is_active]
        for row, rating, deviation in zip(self.rows, fitted.rating, fitted.deviation, strict=True):
            row.rating, row.deviation = float(rating), float(deviation)
        for entry in active:
            self._put(entry)
        self.book.dispersion = fitted.dispersion
        self.book.spread = float(np.std(fitted.rating[active]))
        self.book.find_top()
        rows = np.arange(len(active))
        covariance = None if fitted.covariance is None else fitted.covariance[np.ix_(active, active)]
        sure = find_sure_places(fitted.rating[active], fitted.deviation[active], covariance, rows)
        self.sure = {entry for entry, is_sure in zip(active, sure.tolist(), strict=True) if is_sure}

    def shown_first(self, active: Sequence[int]) -> int:
        """The entry on top of the standing: the best of those that are settled."""
        return max(active, key=lambda entry: (self.is_ranked(entry), self.rows[entry].rating))

    def is_ranked(self, entry: int) -> bool:
        """Whether an entry has a rank by the arena's rule."""
        row, met = self.rows[entry], len(self.opponents[entry] - {entry})
        certain = is_certain(row.deviation, self.book.spread, has_sure_place=entry in self.sure)
        return is_ranked(certain, row.matches, met, len(self.book.candidates) - 1)

    def _put(self, entry: int) -> None:
        row = self.rows[entry]
        if row.is_active:
            self.book.put(Candidate(entry, row.rating, row.deviation, entry, row.is_anchor))

    def _add(self, one: int, other: int, result: PairResult) -> None:
        halves = result.halves if one < other else 2 * result.seats - result.halves
        key = (min(one, other), max(one, other), result.seats)
        slot = self.slots.setdefault(key, len(self.slots))
        if slot == len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
        self.sums[slot, :3] = key
        self.sums[slot, 3:] += (1, halves, halves * halves)

    def _entities(self) -> Entities:
        rows = self.rows
        parent = np.array([row.parent for row in rows])
        return Entities(
            rating0=np.full(len(rows), INITIAL_RATING_ELO),
            deviation0=np.full(len(rows), INITIAL_DEVIATION_ELO),
            parent=parent,
            is_root=parent < 0,
            is_active=np.array([row.is_active for row in rows]),
            is_anchor=np.array([row.is_anchor for row in rows]),
        )

    def _stats(self) -> Stats:
        return Stats(*np.ascontiguousarray(self.sums[: len(self.slots)].T))
