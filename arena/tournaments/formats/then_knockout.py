"""Tournaments of two phases: the best entrants of the first one play a knockout.

Nothing is carried over to the knockout but the order of its seeds: they follow the places of the first phase, and in
the knockout only its own pairings count.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import ClassVar

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import count_knockout_rounds, is_bout_name, read_order
from arena.tournaments.formats.single_elimination import count_rounds_passed, pair_next_bouts
from arena.tournaments.settings import Settings

PairRound = Callable[[Sequence[Entrant], Sequence[Round], Settings], Sequence[Pairing] | None]


def _is_of_first_phase(results: Round) -> bool:
    return not any(is_bout_name(result.pairing.name) for result in results)


class ThenKnockout(Format):
    """Base of formats whose first phase is followed by a knockout."""

    is_bracket = True
    first_phase: ClassVar[Format]

    @abstractmethod
    def list_advancing(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[int]:
        """Return the numbers of those that go on after these rounds of the first phase: the best seed first."""

    def count_phase_rounds(self, entrants: int, settings: Settings) -> tuple[int, ...]:
        """Return the maximum number of rounds of the first phase, and of the knockout."""
        size = min(entrants, settings.knockout_entrants or entrants)
        return self.first_phase.count_rounds(entrants, settings), count_knockout_rounds(size)

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the maximum number of rounds of both phases."""
        return sum(self.count_phase_rounds(entrants, settings))

    def split_phases(self, rounds: Sequence[Round]) -> tuple[Sequence[Round], Sequence[Round]]:
        """Return the rounds of the first phase, and those of the knockout."""
        count = len([*takewhile(_is_of_first_phase, rounds)])
        return rounds[:count], rounds[count:]

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        pairings = self._pair_by(self.first_phase.pair, field, rounds, settings)
        return None if pairings is None else [*pairings]

    def pair_roughly(
        self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
    ) -> Sequence[Pairing] | None:
        """Return the next round, in the first phase as it pairs roughly."""
        return self._pair_by(self.first_phase.pair_roughly, field, rounds, settings)

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return 0 for those that don't advance, and 1 plus the knockout rounds passed for the others.

        All have 0 until the first round of the knockout is over. Who left during the first phase doesn't advance, even
        where nobody could take its place in the bracket.
        """
        stage, knockout = self.split_phases(rounds)
        came = dict.fromkeys((entrant.number for entrant in field), 0)
        if knockout:
            order = self.list_knockout_seeds(field, stage, knockout, settings)
            there = {entrant.number for entrant in field if entrant.is_in(len(stage))}
            passed = count_rounds_passed(order, knockout, settings)
            came.update({number: 1 + many for number, many in passed.items() if number in there})
        return came

    def find_struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Return the entrants that are struck out of the first phase."""
        stage, _ = self.split_phases(rounds)
        return self.first_phase.find_struck_out(field, stage, settings)

    def list_knockout_seeds(
        self, field: Sequence[Entrant], stage: Sequence[Round], knockout: Sequence[Round], settings: Settings
    ) -> list[int]:
        """Return the numbers of those that play the knockout, the best seed first.

        They don't change once it has started: nobody replaces an entrant that has left since.
        """
        if knockout:
            return read_order(result.pairing for result in knockout[0])
        return self.list_advancing(field, stage, settings)

    def _pair_by(
        self, pair: PairRound, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
    ) -> Sequence[Pairing] | None:
        stage, knockout = self.split_phases(rounds)
        pairings = None if knockout else pair(field, stage, settings)
        if pairings is not None:
            return pairings
        return pair_next_bouts(self.list_knockout_seeds(field, stage, knockout, settings), knockout, settings)
