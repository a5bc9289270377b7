"""In every round those meet who have as many points, and nobody meets anybody twice.

Up to DUTCH_MOST entrants this is the FIDE (Dutch) System of February 2026 (Handbook C.04.3), by a library. It finds the
one pairing that the rules ask for, and takes for it by the fourth power of the entrants. So more of them are paired by
one matching of ours: the same aims in the same order, but without the Handbook's fine print. The matching also steps in
where the rules know no pairing, because too many must have the same seat: each match is played from both seats anyway.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import combinations
from math import ceil, log2
from typing import Any

from caissify_pairings import generate_pairings  # type: ignore[import-untyped]

from arena.tournaments.formats.base import Entrant, Format, Pairing, Result, Round
from arena.tournaments.settings import Settings

DUTCH_MOST = 64
"""So many are paired by the book. That takes some 2 seconds a round; for 256 it would be 12 minutes."""
FIRST, SECOND = "white", "black"
"""The library's words for the seats."""
UP, DOWN, NONE = "up", "down", "none"
"""And for having met somebody with more points, or fewer, or as many."""
BYE = 0
"""Nobody's number: who meets it has a bye."""
BASE = 10**8
"""No sum of one kind of cost over all meetings of a round is as large."""

Meeting = tuple[int, int]
"""Two numbers. The first seat is named first, once seats are given."""


@dataclass(slots=True)
class Record:
    """What matters of an entrant's past for whom it meets next."""

    number: int
    points: float = 0.0
    """1, ½ or 0 for each pairing, whatever the tournament is scored by."""
    seats: list[str] = field(default_factory=list)
    """In what it played: a round without play leaves them as they were."""
    floats: list[str] = field(default_factory=list)
    """Of every round."""
    met: set[int] = field(default_factory=set)
    """Whom it played. Two of whom one didn't come have not met."""
    was_free: bool = False
    """It had a bye, or won without playing. That happens to nobody twice but by walkover."""

    @property
    def lean(self) -> int:
        """By how much it had the first seat more often than the second."""
        return self.seats.count(FIRST) - self.seats.count(SECOND)

    @property
    def wants(self) -> str:
        """The seat that it had less often, or not the last time; empty where it has had none."""
        if self.lean:
            return SECOND if self.lean > 0 else FIRST
        return {FIRST: SECOND, SECOND: FIRST}.get(self.seats[-1], "") if self.seats else ""

    def may_have(self, seat: str) -> bool:
        """Never three times in a row, nor three times more often than the other."""
        lean = self.lean + (1 if seat == FIRST else -1)
        return abs(lean) <= 2 and self.seats[-2:] != [seat, seat]

    def may_sit_with(self, other: "Record") -> bool:
        """Return whether the seats of both allow them to meet."""
        return any(self.may_have(own) and other.may_have(its) for own, its in ((FIRST, SECOND), (SECOND, FIRST)))


class Swiss(Format):
    """In each round those with about the same score meet, never twice."""

    key = "swiss"
    title = "Swiss"

    def length(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds: by default, enough for a single unbeaten winner and one more.

        The additional round sorts the places behind the winner. There are no more rounds than can always be paired:
        half as many as entrants. Then everybody still has half of the others to meet, which suffices (Dirac). Of four,
        all meet in three rounds.
        """
        most = entrants - 1 + entrants % 2
        return min(most, settings.rounds or min(ceil(log2(entrants)) + 1, max(3, ceil(entrants / 2))))

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """None also where nobody can be paired any more without meeting somebody again, or having a second bye."""
        number, length = len(rounds) + 1, self.length(len(field), settings)
        records = _records(field, rounds)
        there = sorted((records[entrant.number] for entrant in field if entrant.is_in(number)), key=_rank)
        if number > length or len(there) < 2:
            return None
        meetings = _by_the_book(there, number, length) or _by_matching(there, number)
        return None if meetings is None else _published(meetings, there)


def _records(field: Sequence[Entrant], rounds: Sequence[Round]) -> dict[int, Record]:
    records = {entrant.number: Record(entrant.number) for entrant in field}
    for results in rounds:
        before = {number: record.points for number, record in records.items()}
        for result in results:
            _note(result, records, before)
    return records


def _note(result: Result, records: dict[int, Record], before: dict[int, float]) -> None:
    for number, points, seat in zip(result.pairing.entrants, result.points, (FIRST, SECOND), strict=False):
        record = records[number]
        record.points += points
        if not result.played:
            record.floats.append(DOWN)
            record.was_free |= points > 0
            continue
        (other,) = set(result.pairing.entrants) - {number}
        ahead = before[number] - before[other]
        record.floats.append(DOWN if ahead > 0 else UP if ahead < 0 else NONE)
        record.seats.append(seat)
        record.met.add(other)


def _by_the_book(there: Sequence[Record], number: int, length: int) -> list[Meeting] | None:
    """Return the pairings by the rules of FIDE; None where the library would take too long or the rules have no answer.

    The library would search for an answer for hours, and then leave several without opponents. What it returns is
    checked nevertheless.
    """
    if number > 1 and (len(there) > DUTCH_MOST or not _has_pairing(there, number, length)):
        return None
    meetings = _ask(there, number, length)
    return meetings if _is_right(meetings, there) else None


def _ask(there: Sequence[Record], number: int, length: int) -> list[Meeting]:
    pairings = generate_pairings(
        system="dutch",
        players=[_player(one, rank) for rank, one in enumerate(there, start=1)],
        previous_pairings={(one.number, other) for one in there for other in one.met},
        round_number=number,
        total_rounds=length,
    )
    return [(pairing["white_id"], pairing["black_id"] or BYE) for pairing in pairings]


def _player(one: Record, rank: int) -> dict[str, Any]:
    """Return a record as the library takes it.

    The library ranks by the pairing number, where points should come first, and takes from it who has an odd number,
    which is the seed's.
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


def _has_pairing(there: Sequence[Record], number: int, length: int) -> bool:
    """By the absolute criteria. In the last round who has more than half of the points may have any seat."""
    half = (number - 1) / 2 if number == length else number
    networkx = _networkx()
    graph = networkx.Graph()
    graph.add_edges_from(
        (one.number, other.number)
        for one, other in combinations(there, 2)
        if other.number not in one.met and (one.may_sit_with(other) or max(one.points, other.points) > half)
    )
    if len(there) % 2:
        graph.add_edges_from((one.number, BYE) for one in there if not one.was_free)
    return len(networkx.max_weight_matching(graph, maxcardinality=True)) == ceil(len(there) / 2)


def _is_right(meetings: Sequence[Meeting], there: Sequence[Record]) -> bool:
    records = {one.number: one for one in there}
    named = sorted(number for meeting in meetings for number in meeting)
    if named != sorted([*records, *[BYE] * (len(records) % 2)]):
        return False
    return not any(records[one].was_free if other == BYE else other in records[one].met for one, other in meetings)


def _by_matching(there: Sequence[Record], number: int) -> list[Meeting] | None:
    """Return the cheapest pairings in which nobody meets anybody again; None where there are none."""
    groups, networkx = _groups(there), _networkx()
    graph = networkx.Graph()
    for one, other in combinations(there, 2):
        if other.number not in one.met:
            graph.add_edge(one.number, other.number, weight=_cost(one, other, groups))
    if len(there) % 2:
        for one in there:
            if not one.was_free:
                graph.add_edge(one.number, BYE, weight=_bye_cost(one, groups))
    matching = networkx.min_weight_matching(graph)
    if len(matching) < ceil(len(there) / 2):
        return None
    records = {one.number: one for one in there}
    return [_seated(records, max(two), min(two), number) for two in matching]


def _networkx() -> Any:
    """Import networkx when it is first needed: that takes a quarter as long as all other imports of a command."""
    return import_module("networkx")


def _groups(there: Sequence[Record]) -> dict[float, list[int]]:
    """Return, by points, the numbers of those who have them, in the order of their ranks."""
    groups: dict[float, list[int]] = defaultdict(list)
    for one in there:
        groups[one.points].append(one.number)
    return groups


def _cost(higher: Record, lower: Record, groups: dict[float, list[int]]) -> int:
    """Return the cost of a meeting, by the Handbook's criteria in their order.

    They are: seats that nobody should have; a bye, which this is not; the difference in points; wishes for seats;
    meeting somebody with fewer or more points again within two rounds; and the shape.
    """
    between = int(2 * (higher.points - lower.points))
    again = higher.floats[-2:].count(DOWN) + lower.floats[-2:].count(UP) if between else 0
    return _in_turn(
        int(not higher.may_sit_with(lower)),
        0,
        between**2,
        int(higher.wants == lower.wants != ""),
        again,
        *_shape(higher, lower, groups),
    )


def _shape(higher: Record, lower: Record, groups: dict[float, list[int]]) -> tuple[int, int]:
    """Of those with as many points the upper half meets the lower, in order. With fewer, the last meet the first."""
    above, below = groups[higher.points], groups[lower.points]
    place, other = above.index(higher.number), below.index(lower.number)
    if above is not below:
        return 0, (len(above) - place + other) ** 2
    half = len(above) // 2
    return int((place < half) == (other < half)), (other - place - half) ** 2


def _bye_cost(one: Record, groups: dict[float, list[int]]) -> int:
    """Who has the fewest points has the bye, and of those the last."""
    from_below = len(groups[one.points]) - groups[one.points].index(one.number)
    return _in_turn(0, int(2 * one.points), 0, 0, one.floats[-2:].count(DOWN), 0, from_below**2)


def _in_turn(*costs: int) -> int:
    """Return the sum of costs, each of which outweighs all that follow it."""
    total = 0
    for cost in costs:
        total = total * BASE + cost
    return total


def _seated(records: dict[int, Record], one: int, other: int, number: int) -> Meeting:
    """Return the meeting of two with the seats that the library gives them, as if they were the only ones."""
    if other == BYE:
        return one, BYE
    two = sorted((records[one], records[other]), key=_rank)
    (meeting,) = _ask(two, number, number)
    return meeting


def _rank(one: Record) -> tuple[float, int]:
    return -one.points, one.number


def _published(meetings: Sequence[Meeting], there: Sequence[Record]) -> list[Pairing]:
    """In the Handbook's order: by the points of the higher one, then of the lower one, then by rank; the bye last."""
    ranks = {one.number: _rank(one) for one in there} | {BYE: (1.0, BYE)}

    def importance(meeting: Meeting) -> tuple[bool, float, float, int]:
        higher, lower = sorted(ranks[number] for number in meeting)
        return BYE in meeting, higher[0], lower[0], higher[1]

    return [Pairing(tuple(number for number in meeting if number)) for meeting in sorted(meetings, key=importance)]
