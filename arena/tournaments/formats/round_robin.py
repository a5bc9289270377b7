"""Everybody meets everybody, once or twice, in the order of the Berger tables (FIDE Handbook C.05, annex 1)."""

from collections.abc import Sequence

from caissify_pairings.engines.round_robin import berger_schedule  # type: ignore[import-untyped]

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.settings import Settings

Table = Sequence[tuple[int, int]]
"""The places that meet in a round, from 1. The first seat is named first."""


class RoundRobin(Format):
    """Everybody meets everybody once."""

    key = "round-robin"
    title = "Round robin"

    def length(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds."""
        return len(self.tables(entrants))

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Who has left stays in the table, where somebody wins by it."""
        tables = self.tables(len(field))
        number = len(rounds) + 1
        there = {entrant.number for entrant in field if entrant.is_in(number)}
        if number > len(tables) or not there:
            return None
        return [pairing for pairing in _pairings(tables[number - 1], field) if there.intersection(pairing.entrants)]

    def struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Who left before half of its pairings were over: only some of the others have met it (FIDE Handbook C.05)."""
        schedule = [_pairings(table, field) for table in self.tables(len(field))]
        return frozenset(entrant.number for entrant in field if _left_early(entrant, schedule))

    def tables(self, entrants: int) -> list[Table]:
        """Return the pairings of all rounds."""
        return _berger(entrants)


class DoubleRoundRobin(RoundRobin):
    """Everybody meets everybody twice."""

    key = "double-round-robin"
    title = "Double round robin"

    def tables(self, entrants: int) -> list[Table]:
        """Return the pairings of all rounds: those of a round robin, and once more with the seats swapped.

        The first half's last two rounds change places, as the Handbook recommends: otherwise some would have the same
        seat three times in a row.
        """
        once = _berger(entrants)
        again = [[(second, first) for first, second in table] for table in once]
        return [*once[:-2], *reversed(once[-2:]), *again]


def _berger(entrants: int) -> list[Table]:
    """With an odd number of entrants there is one place more."""
    return list(berger_schedule(entrants + entrants % 2))


def _pairings(table: Table, field: Sequence[Entrant]) -> list[Pairing]:
    """Who has these places. Who meets a place that nobody has, has a bye, which comes last."""
    numbers = {place: entrant.number for place, entrant in enumerate(field, start=1)}
    meetings = [tuple(numbers[place] for place in places if place in numbers) for places in table]
    return sorted((Pairing(meeting) for meeting in meetings), key=lambda pairing: pairing.is_bye)


def _left_early(entrant: Entrant, schedule: Sequence[Sequence[Pairing]]) -> bool:
    meets = [
        number
        for number, pairings in enumerate(schedule, start=1)
        for pairing in pairings
        if entrant.number in pairing.entrants and not pairing.is_bye
    ]
    return 2 * sum(entrant.is_in(number) for number in meets) < len(meets)
