"""Rounds of tables with two to four seats: everybody plays in each round and meets everybody about equally often.

Points have no influence on the pairings. A round is seated at random; then two entrants swap places as long as that
makes the meetings more even. In a small field this is repeated many times, and the best result is taken.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations, product
from math import ceil, comb
from random import Random

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.settings import Settings
from engine.deal import shuffle

MAX_DEFAULT_ROUNDS = 12
"""The number of rounds that this format sets by itself at most."""
ENTRANTS_SEATED_PER_SEARCH = 1000
"""The number of entrants seated in all random trials of a round together."""
SMALL_TABLE_COST = 1_000_000
"""The cost of a smaller table for each time that its entrants had one before: more than any meetings cost."""

Pair = tuple[int, int]
Seating = list[list[int]]
"""The numbers of the entrants at each table of a round."""


class History:
    """Meetings, seats and table sizes of the rounds played, for those that still take part."""

    def __init__(self, there: Sequence[int], rounds: Sequence[Round]) -> None:
        self.meetings = Counter(dict.fromkeys(permutations(there, 2), 0))
        """The number of meetings of each two, in either order. It has all pairs, because default values are slow."""
        self.small_tables: Counter[int] = Counter()
        """The number of times that each was at a smaller table than others; with two seats that is a bye."""
        self.seats_taken: Counter[Pair] = Counter()
        """The number of times that an entrant has had a seat, by (entrant, seat)."""
        for results in rounds:
            largest = max(len(result.pairing.entrants) for result in results)
            for result in results:
                self._add(result.pairing.entrants, largest, result.played)
        self.meeting_costs = {two: times * times for two, times in self.meetings.items()}
        """The cost of another meeting of each two; a third one costs more than two second ones."""

    def _add(self, table: Sequence[int], largest: int, played: bool) -> None:
        if len(table) < largest:
            self.small_tables.update(table)
        if played:
            self.meetings.update(permutations(table, 2))
            self.seats_taken.update((number, seat) for seat, number in enumerate(table))

    def compute_cost(self, table: Sequence[int]) -> int:
        """Return the cost of seating these together, by the number of their meetings."""
        return sum(self.meeting_costs[two] for two in combinations(table, 2))


class Tables(Format):
    """The format of tables at which everybody meets everybody about equally often."""

    key = "tables"
    title = "Rounds of tables"
    is_result_independent = True
    uses = frozenset({"rounds", "seats"})

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number set, or else as many rounds as everybody needs to meet everybody, within limits."""
        meetings = sum(comb(size, 2) for size in compute_table_sizes(entrants, settings.seats))
        return settings.rounds or min(MAX_DEFAULT_ROUNDS, ceil(comb(entrants, 2) / meetings))

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        number = len(rounds) + 1
        there = [entrant.number for entrant in field if entrant.is_in(number)]
        if number > self.count_rounds(len(field), settings) or len(there) < 2:
            return None
        history = History(there, rounds)
        tables = _find_most_even_seating(there, settings.seats, history, Random(f"{settings.seed} {number}"))
        return [Pairing(_assign_seats(table, history)) for table in tables]


def compute_table_sizes(entrants: int, seats: int) -> list[int]:
    """Return the sizes of as few tables as possible, the larger ones first; they differ by at most one.

    With two seats and an odd number of entrants, one sits alone, which is a bye.
    """
    tables = ceil(entrants / seats)
    size, larger = divmod(entrants, tables)
    return [size + 1] * larger + [size] * (tables - larger)


def _find_most_even_seating(there: Sequence[int], seats: int, history: History, rng: Random) -> Seating:
    """Return the cheapest seating found in a number of random trials."""
    prices = sorted(history.meeting_costs[two] for two in combinations(there, 2))
    least = sum(prices[: sum(comb(size, 2) for size in compute_table_sizes(len(there), seats))])
    best: Seating = []
    lowest = -1
    for _ in range(max(1, ENTRANTS_SEATED_PER_SEARCH // len(there))):
        tables = _seat_at_random(there, seats, history, rng)
        while _improve(tables, history, prices[0]):
            pass
        cost = sum(map(history.compute_cost, tables))
        if not best or cost < lowest:
            best, lowest = tables, cost
        if lowest == least:
            break
    return best


def _seat_at_random(there: Sequence[int], seats: int, history: History, rng: Random) -> Seating:
    """Return a random seating; those that had smaller tables least often sit at the smaller ones."""
    order = list(there)
    shuffle(order, rng)
    order.sort(key=lambda number: -history.small_tables[number])
    dealt = iter(order)
    return [[next(dealt) for _ in range(size)] for size in compute_table_sizes(len(there), seats)]


def _improve(tables: Seating, history: History, lowest: int) -> bool:
    """Swap entrants between tables where that is cheaper, and return whether there was a swap.

    Two tables at which each meeting has the lowest cost can't be improved.
    """

    def is_good(table: list[int]) -> bool:
        return history.compute_cost(table) == lowest * comb(len(table), 2)

    good = {id(table): is_good(table) for table in tables}
    changed = False
    for one, other in combinations(tables, 2):
        if not (good[id(one)] and good[id(other)]) and _swap_one_pair(one, other, history):
            changed = True
            good |= {id(table): is_good(table) for table in (one, other)}
    return changed


def _swap_one_pair(one: list[int], other: list[int], history: History) -> bool:
    """Swap the first two entrants of these tables that make them cheaper, and return whether there were two."""
    for here, there in product(range(len(one)), range(len(other))):
        if _compute_swap_cost(one, here, other, there, history) < 0:
            one[here], other[there] = other[there], one[here]
            return True
    return False


def _compute_swap_cost(one: list[int], here: int, other: list[int], there: int, history: History) -> int:
    """Return by how much swapping these two places raises the cost."""
    meeting_costs, goes, comes = history.meeting_costs, one[here], other[there]
    more = sum(meeting_costs[comes, mate] - meeting_costs[goes, mate] for mate in one if mate != goes)
    more += sum(meeting_costs[goes, mate] - meeting_costs[comes, mate] for mate in other if mate != comes)
    smaller_tables = history.small_tables[goes] - history.small_tables[comes]
    return more + SMALL_TABLE_COST * (len(one) - len(other)) * smaller_tables


def _assign_seats(table: Sequence[int], history: History) -> tuple[int, ...]:
    """Return the order of a table in which entrants have the seats that they had least often.

    It decides the seats in the first leg only, because a match is played in all rotations of the seats.
    """
    return min(
        permutations(table),
        key=lambda order: sum(history.seats_taken[number, seat] for seat, number in enumerate(order)),
    )
