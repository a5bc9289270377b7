"""Formats in which everybody meets everybody: round robins, groups, and tables of up to four."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations, permutations, product
from math import ceil, comb
from random import Random
from string import ascii_uppercase

from caissify_pairings.engines.round_robin import berger_schedule  # type: ignore[import-untyped]

from arena.contests.tournaments import standings
from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.contests.tournaments.formats.brackets import (
    ThenKnockout,
    count_knockout_rounds,
    count_rounds_passed,
    order_seeds,
)
from arena.contests.tournaments.settings import Settings
from engine.deal import shuffle

# Round robins in the order of the Berger tables (FIDE Handbook C.05, annex 1).

RoundPlaces = Sequence[tuple[int, int]]
"""The places, from 1, that meet in a round. The one with the first seat comes first."""


class RoundRobin(Format):
    """The format in which all entrants meet once."""

    key = "round-robin"
    title = "Round robin"
    is_result_independent = True

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds."""
        return len(self.build_schedule(entrants))

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the next round; None after the last. Entrants that have left stay in the schedule."""
        tables = self.build_schedule(len(field))
        number = len(rounds) + 1
        there = {entrant.number for entrant in field if entrant.is_in(number)}
        if number > len(tables) or not there:
            return None
        return [pairing for pairing in _pair_places(tables[number - 1], field) if there.intersection(pairing.entrants)]

    def find_struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Return the entrants that left before half of their pairings were over (FIDE Handbook C.05)."""
        schedule = [_pair_places(table, field) for table in self.build_schedule(len(field))]
        return frozenset(entrant.number for entrant in field if _has_left_early(entrant, schedule))

    def build_schedule(self, entrants: int) -> list[RoundPlaces]:
        """Return the places that meet in each round."""
        return _build_berger_schedule(entrants)


class DoubleRoundRobin(RoundRobin):
    """The format in which all entrants meet twice."""

    key = "double-round-robin"
    title = "Double round robin"

    def build_schedule(self, entrants: int) -> list[RoundPlaces]:
        """Return a round robin, then the same with the seats swapped.

        The last two rounds of the first half are exchanged, as the Handbook recommends: otherwise some entrants would
        have the same seat three times in a row.
        """
        once = _build_berger_schedule(entrants)
        again = [[(second, first) for first, second in table] for table in once]
        return [*once[:-2], *reversed(once[-2:]), *again]


def _build_berger_schedule(entrants: int) -> list[RoundPlaces]:
    """Return the Berger tables; an odd number of entrants leaves a place empty."""
    return list(berger_schedule(entrants + entrants % 2))


def _pair_places(table: RoundPlaces, field: Sequence[Entrant]) -> list[Pairing]:
    """Return the pairings of a round; the entrant opposite the empty place has a bye, which comes last."""
    numbers = {place: entrant.number for place, entrant in enumerate(field, start=1)}
    meetings = [tuple(numbers[place] for place in places if place in numbers) for places in table]
    return sorted((Pairing(meeting) for meeting in meetings), key=lambda pairing: pairing.is_bye)


def _has_left_early(entrant: Entrant, schedule: Sequence[Sequence[Pairing]]) -> bool:
    """Return whether an entrant left before half of its pairings were over."""
    meets = [
        number
        for number, pairings in enumerate(schedule, start=1)
        for pairing in pairings
        if entrant.number in pairing.entrants and not pairing.is_bye
    ]
    return 2 * sum(entrant.is_in(number) for number in meets) < len(meets)


# Rounds of tables with two to four seats: everybody plays in each round and meets everybody about equally often.
#
# Points have no influence on the pairings. A round is seated at random; then two entrants swap places as long as that
# makes the meetings more even. In a small field this is repeated many times, and the best result is taken.

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
                self._add(result.pairing.entrants, largest, result.is_meeting)
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


# Groups: round robins whose best entrants advance to a knockout.

GROUP_FORMAT = RoundRobin()
"""The format in which each group is played."""
NO_MEETING_ROUND = 99
"""The round in which two places meet if there is no second place: later than in any bracket."""


class GroupPhase(Format):
    """The format in which everybody meets everybody of its group."""

    key = "groups"
    title = "Groups"
    is_result_independent = True

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds of the largest group."""
        return GROUP_FORMAT.count_rounds(-(-entrants // settings.groups), settings)

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the next round of all groups that have one; None after the last."""
        found: list[Pairing] = []
        is_over = True
        for name, members in split_into_groups(field, settings).items():
            pairings = GROUP_FORMAT.pair(members, filter_results(name, rounds), settings)
            if pairings is not None:
                is_over = False
                found.extend(replace(pairing, name=name) for pairing in pairings)
        return None if is_over else found

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return how many places each entrant is above the last one of the largest group, by its place in its own."""
        groups = split_into_groups(field, settings)
        largest = max(map(len, groups.values()))
        return {
            line.number: largest - place
            for name, members in groups.items()
            for place, line in enumerate(rank_group(name, members, rounds, settings), 1)
        }

    def find_struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Return the entrants that are struck out of the round robin of their group."""
        struck = (
            GROUP_FORMAT.find_struck_out(members, filter_results(name, rounds), settings)
            for name, members in split_into_groups(field, settings).items()
        )
        return frozenset(chain.from_iterable(struck))


class Groups(ThenKnockout):
    """The format of round robins in groups whose best entrants play a knockout."""

    key = "groups"
    title = "Groups, then a knockout"
    first_phase = GroupPhase()
    uses = frozenset({"groups", "advance_per_group", "max_tiebreak_matches", "third_place_match"})

    def list_advancing(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[int]:
        """Return the best of all groups. Where a group has too few left, those that have left fill its places."""
        orders = [
            _order_group(name, members, rounds, settings)
            for name, members in split_into_groups(field, settings).items()
        ]
        return [
            orders[group][index // settings.groups]
            for index, group in enumerate(spread_groups(settings.groups, settings.advance_per_group))
        ]

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return how far each came, as `ThenKnockout` does; by the rule of older tournaments if the settings say so.

        There, those that advance have 1 as soon as the groups are over, and also if they had left before.
        """
        if settings.separate_phases:
            return super().measure_progress(field, rounds, settings)
        stage, knockout = self.split_phases(rounds)
        came = dict.fromkeys((entrant.number for entrant in field), 0)
        if knockout or self.first_phase.pair(field, stage, settings) is None:
            passed = count_rounds_passed(self.list_knockout_seeds(field, stage, knockout, settings), knockout, settings)
            came.update({number: 1 + many for number, many in passed.items()})
        return came


def split_into_groups(field: Sequence[Entrant], settings: Settings) -> dict[str, list[Entrant]]:
    """Return the members of groups A, B, …: seeds are assigned in order, then in reverse order, and so on."""
    names = ["".join(letters) for letters in chain(ascii_uppercase, product(ascii_uppercase, repeat=2))][
        : settings.groups
    ]
    groups: dict[str, list[Entrant]] = {name: [] for name in names}
    for index, entrant in enumerate(field):
        turn, place = divmod(index, len(names))
        groups[names[-1 - place if turn % 2 else place]].append(entrant)
    return groups


def spread_groups(groups: int, advance: int) -> list[int]:
    """Return, for each seed of the knockout, the index of the group that it comes from.

    Group winners come first, then all seconds, and so on, arranged so that members of a group meet as late as possible.
    """
    depth = count_knockout_rounds(groups * advance)
    places = {seed: place for place, seed in enumerate(order_seeds(2**depth))}
    found: list[int] = []
    taken: list[list[int]] = [[] for _ in range(groups)]
    for first in range(1, groups * advance + 1, groups):
        tier = [places[seed] for seed in range(first, first + groups)]
        apart = [[_find_first_meeting(place, others) for others in taken] for place in tier]
        given = next(filter(None, (_match_groups(apart, least) for least in range(depth + 1, -1, -1))))
        for place, group in zip(tier, given, strict=True):
            taken[group].append(place)
        found.extend(given)
    return found


def _find_first_meeting(place: int, others: Sequence[int]) -> int:
    """Return the first round in which this place can meet one of the others."""
    return min(((place ^ other).bit_length() for other in others), default=NO_MEETING_ROUND)


def _match_groups(apart: Sequence[Sequence[int]], least: int) -> list[int] | None:
    """Return a different group for each place, which it can't meet before round `least`; None if that is impossible.

    This is a bipartite matching by augmenting paths, starting with the first free group.
    """
    owners: dict[int, int] = {}

    def find(place: int, asked: set[int]) -> bool:
        far = [group for group, rounds in enumerate(apart[place]) if rounds >= least]
        for group in sorted(far, key=owners.__contains__):
            if group not in asked:
                asked.add(group)
                if group not in owners or find(owners[group], asked):
                    owners[group] = place
                    return True
        return False

    if not all(find(place, set()) for place in range(len(apart))):
        return None
    return sorted(owners, key=lambda group: owners[group])


def filter_results(name: str, rounds: Sequence[Round]) -> list[Round]:
    """Return a group's results by round."""
    return [[result for result in results if result.pairing.name == name] for results in rounds]


def rank_group(
    name: str, members: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
) -> list[standings.Standing]:
    """Return the standings of a group after these rounds, best first."""
    return standings.rank(GROUP_FORMAT, members, filter_results(name, rounds), settings)


def _order_group(name: str, members: Sequence[Entrant], stage: Sequence[Round], settings: Settings) -> list[int]:
    """Return the numbers of a group's members, best first; those that have left come last."""
    table = rank_group(name, members, stage, settings)
    there = {member.number for member in members if member.is_in(len(stage) + 1)}
    return sorted((line.number for line in table), key=lambda number: number not in there)
