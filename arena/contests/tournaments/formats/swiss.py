"""Swiss tournaments: entrants with equal points meet, and nobody meets the same opponent twice.

Up to MAX_DUTCH_ENTRANTS entrants are paired by the FIDE (Dutch) System of February 2026 (Handbook C.04.3) with a
library. It finds the one correct pairing in a time that grows with the fourth power of the number of entrants. Larger
fields are paired by a single weighted matching with the same criteria in the same order, without the Handbook's finer
rules. The matching is also used if the rules allow no pairing because too many entrants must have the same seat: each
match is played from both seats anyway.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import combinations
from math import ceil, log2
from typing import Any

from caissify_pairings import generate_pairings  # type: ignore[import-untyped]

from arena.contests.tournaments import standings
from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Result, Round, make_bye
from arena.contests.tournaments.formats.brackets import ThenKnockout
from arena.contests.tournaments.settings import Settings

# A simple pairing of Swiss rounds for simulations: from the top, each meets the next one it hasn't met yet.


def pair_neighbours(numbers: Sequence[int], rounds: Sequence[Round]) -> list[Pairing]:
    """Pair a Swiss round simply: from the top, each entrant meets the next one that it hasn't met, if there is one.

    In an odd field the last one without a bye or walkover has a bye.
    """
    points: dict[int, float] = defaultdict(float)
    met: dict[int, set[int]] = defaultdict(set)
    was_free = set()
    for results in rounds:
        for result in results:
            for number, got in zip(result.pairing.entrants, result.points, strict=True):
                points[number] += got
                if result.is_meeting:
                    met[number].update(result.pairing.entrants)
                elif got:
                    was_free.add(number)
    there = sorted(numbers, key=lambda number: (-points[number], number))
    rest = []
    if len(there) % 2:
        resting = next((number for number in reversed(there) if number not in was_free), there[-1])
        there.remove(resting)
        rest = [make_bye(resting)]
    return [*_pair_in_order(there, met), *rest]


def _pair_in_order(there: list[int], met: Mapping[int, set[int]]) -> list[Pairing]:
    pairings = []
    while there:
        one = there.pop(0)
        other = next((number for number in there if number not in met[one]), there[0])
        there.remove(other)
        pairings.append(Pairing((one, other)))
    return pairings


MAX_DUTCH_ENTRANTS = 64
"""Pairing this many by the Dutch System takes some 2 seconds a round; 256 would take 12 minutes."""
FIRST_SEAT, SECOND_SEAT = "white", "black"
"""The library's names of the seats."""
UPFLOAT, DOWNFLOAT, NO_FLOAT = "up", "down", "none"
"""The library's names for meeting an opponent with more, fewer or equal points."""
BYE_NUMBER = 0
"""The number of the opponent in a bye."""
COST_BASE = 10**8
"""Larger than the sum of any one criterion's cost over all meetings of a round."""

Meeting = tuple[int, int]
"""The numbers of two entrants; once seats are assigned, the one with the first seat comes first."""


@dataclass(slots=True)
class PastResults:
    """An entrant's results as far as they decide its next pairing."""

    number: int
    points: float = 0.0
    """1, ½ or 0 for each pairing, whatever the scoring of the tournament."""
    seats: list[str] = field(default_factory=list)
    """Its seat in each pairing that it played."""
    floats: list[str] = field(default_factory=list)
    """UPFLOAT, DOWNFLOAT or NO_FLOAT for each round."""
    met: set[int] = field(default_factory=set)
    """The opponents that it has played. A walkover is no meeting."""
    was_free: bool = False
    """Whether it has had a bye or won by walkover; then it gets no bye any more."""

    @property
    def seat_difference(self) -> int:
        """Return how many times more it had the first seat than the second."""
        return self.seats.count(FIRST_SEAT) - self.seats.count(SECOND_SEAT)

    @property
    def preferred_seat(self) -> str:
        """Return the seat that it had less often, or else not the last time; empty before its first pairing."""
        if self.seat_difference:
            return SECOND_SEAT if self.seat_difference > 0 else FIRST_SEAT
        return {FIRST_SEAT: SECOND_SEAT, SECOND_SEAT: FIRST_SEAT}.get(self.seats[-1], "") if self.seats else ""

    def may_take(self, seat: str) -> bool:
        """Return whether it may have this seat: not three times in a row, nor three times more than the other one."""
        seat_difference = self.seat_difference + (1 if seat == FIRST_SEAT else -1)
        return abs(seat_difference) <= 2 and self.seats[-2:] != [seat, seat]

    def may_meet(self, other: "PastResults") -> bool:
        """Return whether the seats of both allow them to meet."""
        return any(
            self.may_take(own) and other.may_take(its)
            for own, its in ((FIRST_SEAT, SECOND_SEAT), (SECOND_SEAT, FIRST_SEAT))
        )


class Swiss(Format):
    """The format in which entrants with about the same score meet, never twice."""

    key = "swiss"
    title = "Swiss"
    uses = frozenset({"rounds"})

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds: by default, enough for a single unbeaten winner and one more.

        The additional round separates the places behind the winner. Up to half as many rounds as entrants can always
        be paired, because everybody still has half of the others to meet (Dirac's theorem). Four entrants can all meet
        in three rounds.
        """
        most = entrants - 1 + entrants % 2
        return min(most, settings.rounds or min(ceil(log2(entrants)) + 1, max(3, ceil(entrants / 2))))

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the next round; None after the last, or if any pairing would repeat a meeting or a bye."""
        number, length = len(rounds) + 1, self.count_rounds(len(field), settings)
        records = _build_records(field, rounds)
        there = sorted((records[entrant.number] for entrant in field if entrant.is_in(number)), key=_rank_key)
        if number > length or len(there) < 2:
            return None
        meetings = _pair_by_fide_rules(there, number, length) or _pair_by_matching(there, number)
        return None if meetings is None else _order_pairings(meetings, there)

    def pair_roughly(
        self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
    ) -> Sequence[Pairing] | None:
        """Return a round paired from the top: the exact pairing takes too long to be repeated often."""
        there = [entrant.number for entrant in field if entrant.is_in(len(rounds) + 1)]
        if len(rounds) >= self.count_rounds(len(field), settings) or len(there) < 2:
            return None
        return pair_neighbours(there, rounds)


def _build_records(field: Sequence[Entrant], rounds: Sequence[Round]) -> dict[int, PastResults]:
    """Return the past results of each entrant by number."""
    records = {entrant.number: PastResults(entrant.number) for entrant in field}
    for results in rounds:
        before = {number: record.points for number, record in records.items()}
        for result in results:
            _add_result(result, records, before)
    return records


def _add_result(result: Result, records: dict[int, PastResults], before: dict[int, float]) -> None:
    """Add a result to its entrants' records; `before` are the points before the round."""
    for number, points, seat in zip(result.pairing.entrants, result.points, (FIRST_SEAT, SECOND_SEAT), strict=False):
        record = records[number]
        record.points += points
        if not result.is_meeting:
            record.floats.append(DOWNFLOAT)
            record.was_free |= points > 0
            continue
        (other,) = set(result.pairing.entrants) - {number}
        ahead = before[number] - before[other]
        record.floats.append(DOWNFLOAT if ahead > 0 else UPFLOAT if ahead < 0 else NO_FLOAT)
        record.seats.append(seat)
        record.met.add(other)


def _pair_by_fide_rules(there: Sequence[PastResults], number: int, length: int) -> list[Meeting] | None:
    """Return the pairings by the rules of FIDE; None if the field is too large, or if the rules allow none.

    In the second case the library would search for hours and then leave several entrants without an opponent. Its
    answer is always checked.
    """
    if number > 1 and (len(there) > MAX_DUTCH_ENTRANTS or not _has_pairing(there, number, length)):
        return None
    meetings = _call_library(there, number, length)
    return meetings if _is_valid(meetings, there) else None


def _call_library(there: Sequence[PastResults], number: int, length: int) -> list[Meeting]:
    pairings = generate_pairings(
        system="dutch",
        players=[_build_library_record(one, rank) for rank, one in enumerate(there, start=1)],
        previous_pairings={(one.number, other) for one in there for other in one.met},
        round_number=number,
        total_rounds=length,
    )
    return [(pairing["white_id"], pairing["black_id"] or BYE_NUMBER) for pairing in pairings]


def _build_library_record(one: PastResults, rank: int) -> dict[str, Any]:
    """Return a record as the library expects it.

    The library ranks by pairing number alone, and uses its parity where the rules mean that of the seed. So the number
    is made of the rank by points and the parity of the seed.
    """
    return {
        "id": one.number,
        "name": "",
        "rating": 0,
        "score": one.points,
        "starting_number": one.number,
        "pairing_number": 2 * rank + one.number % 2,
        "color_hist": one.seats,
        "float_history": one.floats,
        "bye_count": int(one.was_free),
    }


def _has_pairing(there: Sequence[PastResults], number: int, length: int) -> bool:
    """Return whether the absolute criteria allow a pairing.

    In the last round an entrant with more than half of the points may have any seat.
    """
    half = (number - 1) / 2 if number == length else number
    networkx = _import_networkx()
    graph = networkx.Graph()
    graph.add_edges_from(
        (one.number, other.number)
        for one, other in combinations(there, 2)
        if other.number not in one.met and (one.may_meet(other) or max(one.points, other.points) > half)
    )
    if len(there) % 2:
        graph.add_edges_from((one.number, BYE_NUMBER) for one in there if not one.was_free)
    return len(networkx.max_weight_matching(graph, maxcardinality=True)) == ceil(len(there) / 2)


def _is_valid(meetings: Sequence[Meeting], there: Sequence[PastResults]) -> bool:
    records = {one.number: one for one in there}
    named = sorted(number for meeting in meetings for number in meeting)
    if named != sorted([*records, *[BYE_NUMBER] * (len(records) % 2)]):
        return False
    return not any(
        records[one].was_free if other == BYE_NUMBER else other in records[one].met for one, other in meetings
    )


def _pair_by_matching(there: Sequence[PastResults], number: int) -> list[Meeting] | None:
    """Return the cheapest pairings without repeated meetings and byes; None if there are none."""
    groups, networkx = _group_by_points(there), _import_networkx()
    graph = networkx.Graph()
    for one, other in combinations(there, 2):
        if other.number not in one.met:
            graph.add_edge(one.number, other.number, weight=_compute_cost(one, other, groups))
    if len(there) % 2:
        for one in there:
            if not one.was_free:
                graph.add_edge(one.number, BYE_NUMBER, weight=_compute_bye_cost(one, groups))
    matching = networkx.min_weight_matching(graph)
    if len(matching) < ceil(len(there) / 2):
        return None
    records = {one.number: one for one in there}
    return [_assign_seats(records, max(two), min(two), number) for two in matching]


def _import_networkx() -> Any:
    """Import networkx when it is first needed: it takes a quarter as long as all other imports of a command."""
    return import_module("networkx")


def _group_by_points(there: Sequence[PastResults]) -> dict[float, list[int]]:
    """Return the numbers of the entrants with equal points, in the order of their ranks."""
    groups: dict[float, list[int]] = defaultdict(list)
    for one in there:
        groups[one.points].append(one.number)
    return groups


def _compute_cost(higher: PastResults, lower: PastResults, groups: dict[float, list[int]]) -> int:
    """Return the cost of a meeting by the Handbook's criteria in their order.

    They are: forbidden seats; byes, of which this is none; difference in points; preferred seats; floats repeated
    within two rounds; and distance from the standard order within and between point groups.
    """
    between = int(2 * (higher.points - lower.points))
    again = higher.floats[-2:].count(DOWNFLOAT) + lower.floats[-2:].count(UPFLOAT) if between else 0
    return _combine_costs(
        int(not higher.may_meet(lower)),
        0,
        between**2,
        int(higher.preferred_seat == lower.preferred_seat != ""),
        again,
        *_compute_shape_cost(higher, lower, groups),
    )


def _compute_shape_cost(higher: PastResults, lower: PastResults, groups: dict[float, list[int]]) -> tuple[int, int]:
    """Return how far a meeting is from the standard order.

    Among equal points the upper half meets the lower half in order; otherwise the last of a group meet the first of the
    next one.
    """
    above, below = groups[higher.points], groups[lower.points]
    place, other = above.index(higher.number), below.index(lower.number)
    if above is not below:
        return 0, (len(above) - place + other) ** 2
    half = len(above) // 2
    return int((place < half) == (other < half)), (other - place - half) ** 2


def _compute_bye_cost(one: PastResults, groups: dict[float, list[int]]) -> int:
    """Return the cost of a bye: the last of those with the fewest points should have it."""
    from_below = len(groups[one.points]) - groups[one.points].index(one.number)
    return _combine_costs(0, int(2 * one.points), 0, 0, one.floats[-2:].count(DOWNFLOAT), 0, from_below**2)


def _combine_costs(*costs: int) -> int:
    """Return one number for costs of which each outweighs all that follow."""
    total = 0
    for cost in costs:
        total = total * COST_BASE + cost
    return total


def _assign_seats(records: dict[int, PastResults], one: int, other: int, number: int) -> Meeting:
    """Return a meeting with the seats that the library assigns to these two alone."""
    if other == BYE_NUMBER:
        return one, BYE_NUMBER
    two = sorted((records[one], records[other]), key=_rank_key)
    (meeting,) = _call_library(two, number, number)
    return meeting


def _rank_key(one: PastResults) -> tuple[float, int]:
    return -one.points, one.number


def _order_pairings(meetings: Sequence[Meeting], there: Sequence[PastResults]) -> list[Pairing]:
    """Return the pairings by the points of the higher entrant, then of the lower one, then by rank; the bye is last."""
    ranks = {one.number: _rank_key(one) for one in there} | {BYE_NUMBER: (1.0, BYE_NUMBER)}

    def importance(meeting: Meeting) -> tuple[bool, float, float, int]:
        higher, lower = sorted(ranks[number] for number in meeting)
        return BYE_NUMBER in meeting, higher[0], lower[0], higher[1]

    return [Pairing(tuple(number for number in meeting if number)) for meeting in sorted(meetings, key=importance)]


# A Swiss tournament whose best entrants play a knockout.


class SwissKnockout(ThenKnockout):
    """The format of a Swiss phase, then a knockout of the best `knockout_size`."""

    key = "swiss-knockout"
    title = "Swiss, then a knockout"
    first_phase = Swiss()
    uses = frozenset({"rounds", "knockout_size", "max_tiebreak_matches", "third_place_match"})

    def list_advancing(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[int]:
        """Return the best of those that are still in. If too many have left, the knockout is smaller."""
        there = {entrant.number for entrant in field if entrant.is_in(len(rounds) + 1)}
        table = standings.rank(self.first_phase, field, rounds, settings)
        return [line.number for line in table if line.number in there][: settings.knockout_size]

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return how far each came, as `ThenKnockout` does. Who is left alone has won without a knockout."""
        came = super().measure_progress(field, rounds, settings)
        there = [entrant.number for entrant in field if entrant.is_in(len(rounds) + 1)]
        return came | {there[0]: 1} if len(there) == 1 and not any(came.values()) else came
