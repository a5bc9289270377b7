"""Round robins in the order of the Berger tables (FIDE Handbook C.05, annex 1)."""

from collections.abc import Sequence

from caissify_pairings.engines.round_robin import berger_schedule  # type: ignore[import-untyped]

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.settings import Settings

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
