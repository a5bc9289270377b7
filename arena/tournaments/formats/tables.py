"""Rounds at tables of two to four seats: everybody plays in each round, and meets everybody about equally often.

Points don't matter for who meets whom. A round is seated at random; then any two change places who make the meetings
more even by it, until there are no such two. In a small field that is tried many times, and the best one is taken.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from math import ceil, comb
from random import Random

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.settings import Settings
from engine.deal import shuffle

MOST_RECOMMENDED = 12
"""Rounds."""
TRIED = 1000
"""So many entrants are seated, in all trials together."""
SHORT = 1_000_000
"""The price of a smaller table, for each time that somebody was at one before: more than any meetings cost."""

Two = tuple[int, int]
Seating = list[list[int]]
"""The tables of a round, and at each the numbers of its entrants."""


class Past:
    """What happened in the rounds before to those who are there."""

    def __init__(self, there: Sequence[int], rounds: Sequence[Round]) -> None:
        self.met = Counter(dict.fromkeys(permutations(there, 2), 0))
        """How often two have played each other, under either order. No pair is missing: that would be slow."""
        self.short: Counter[int] = Counter()
        """How often each was at a smaller table than others were. With two seats that is a bye."""
        self.sat: Counter[Two] = Counter()
        """How often an entrant, the first of the two, has played in the seat that is the second."""
        for results in rounds:
            largest = max(len(result.pairing.entrants) for result in results)
            for result in results:
                self._add(result.pairing.entrants, largest, result.played)
        self.price = {two: times * times for two, times in self.met.items()}
        """Of meeting again: the third time costs more than two second times."""

    def _add(self, table: Sequence[int], largest: int, played: bool) -> None:
        if len(table) < largest:
            self.short.update(table)
        if played:
            self.met.update(permutations(table, 2))
            self.sat.update((number, seat) for seat, number in enumerate(table))

    def cost(self, table: Sequence[int]) -> int:
        """Return the cost of seating these together, by how often they have met."""
        return sum(self.price[two] for two in combinations(table, 2))


class Tables(Format):
    """In each round those with about the same score sit at one table."""

    key = "tables"
    title = "Rounds of tables"

    def length(self, entrants: int, settings: Settings) -> int:
        """Where the settings don't say: so many that everybody could have met everybody, if those aren't too many."""
        meetings = sum(comb(size, 2) for size in sizes(entrants, settings.seats))
        return settings.rounds or min(MOST_RECOMMENDED, ceil(comb(entrants, 2) / meetings))

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None when all is played."""
        number = len(rounds) + 1
        there = [entrant.number for entrant in field if entrant.is_in(number)]
        if number > self.length(len(field), settings) or len(there) < 2:
            return None
        past = Past(there, rounds)
        tables = _most_even(there, settings.seats, past, Random(f"{settings.seed} {number}"))
        return [Pairing(_seats(table, past)) for table in tables]


def sizes(entrants: int, seats: int) -> list[int]:
    """Return the sizes of as few tables as possible, the larger ones first; they differ by at most one.

    With two seats and an odd number somebody sits alone, which is a bye.
    """
    tables = ceil(entrants / seats)
    size, larger = divmod(entrants, tables)
    return [size + 1] * larger + [size] * (tables - larger)


def _most_even(there: Sequence[int], seats: int, past: Past, rng: Random) -> Seating:
    prices = sorted(past.price[two] for two in combinations(there, 2))
    least = sum(prices[: sum(comb(size, 2) for size in sizes(len(there), seats))])
    best: Seating = []
    lowest = -1
    for _ in range(max(1, TRIED // len(there))):
        tables = _dealt(there, seats, past, rng)
        while _improve(tables, past, prices[0]):
            pass
        cost = sum(map(past.cost, tables))
        if not best or cost < lowest:
            best, lowest = tables, cost
        if lowest == least:
            break
    return best


def _dealt(there: Sequence[int], seats: int, past: Past, rng: Random) -> Seating:
    """At random, but at the smaller tables sit those who were at such tables least often."""
    order = list(there)
    shuffle(order, rng)
    order.sort(key=lambda number: -past.short[number])
    dealt = iter(order)
    return [[next(dealt) for _ in range(size)] for size in sizes(len(there), seats)]


def _improve(tables: Seating, past: Past, lowest: int) -> bool:
    """Whether anybody changed places. Two tables at which each meeting has the lowest price are as good as can be."""

    def is_good(table: list[int]) -> bool:
        return past.cost(table) == lowest * comb(len(table), 2)

    good = {id(table): is_good(table) for table in tables}
    changed = False
    for one, other in combinations(tables, 2):
        if not (good[id(one)] and good[id(other)]) and _exchange(one, other, past):
            changed = True
            good |= {id(table): is_good(table) for table in (one, other)}
    return changed


def _exchange(one: list[int], other: list[int], past: Past) -> bool:
    """Whether two of these tables changed places: the first two who make them better by it."""
    for here, there in _places(one, other):
        if _cost(one, here, other, there, past) < 0:
            one[here], other[there] = other[there], one[here]
            return True
    return False


def _places(one: list[int], other: list[int]) -> Iterator[Two]:
    return ((here, there) for here in range(len(one)) for there in range(len(other)))


def _cost(one: list[int], here: int, other: list[int], there: int, past: Past) -> int:
    """By how much more it costs if those two change places."""
    price, goes, comes = past.price, one[here], other[there]
    more = sum(price[comes, mate] - price[goes, mate] for mate in one if mate != goes)
    more += sum(price[goes, mate] - price[comes, mate] for mate in other if mate != comes)
    return more + SHORT * (len(one) - len(other)) * (past.short[goes] - past.short[comes])


def _seats(table: Sequence[int], past: Past) -> tuple[int, ...]:
    """Return a table with everybody in the seat it had least often.

    Each match is played in all rotations of the seats, so this decides only who sits where in the first leg.
    """
    return min(permutations(table), key=lambda order: sum(past.sat[number, seat] for seat, number in enumerate(order)))
