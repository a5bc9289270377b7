"""The interface of tournament formats: they derive the next round from the entrants and the rounds played.

A format has no state, and draws lots from the seed in the settings only, so the same rounds always give the same
pairings. A tournament can thus be resumed from its rows at any time, and a round is replayed by ignoring it and all
rounds after it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.contests.tournaments.settings import Settings


@dataclass(frozen=True, slots=True)
class Entrant:
    """A participant of a tournament, as formats see it."""

    number: int
    """Its seed: 1 for the strongest."""
    left_in_round: int | None = None
    """The first round, from 1, in which it doesn't play any more; None if it was neither withdrawn nor disqualified."""
    is_disqualified: bool = False
    """Whether it stands below all others, without a place."""

    def is_in(self, round_number: int) -> bool:
        """Return whether the entrant takes part in a round."""
        return self.left_in_round is None or round_number < self.left_in_round


@dataclass(frozen=True, slots=True)
class Pairing:
    """Entrants that play each other in a round."""

    entrants: tuple[int, ...]
    """Numbers of the entrants in the order of the seats in the first leg. A single one has a bye."""
    name: str = ""
    """Group or place in the bracket: "A", or "W2.1" for the first pairing in the winners' second round."""
    must_decide: bool = False
    """Whether one of two advances, so that it can't end even."""

    @property
    def is_bye(self) -> bool:
        """Return whether there is no opponent."""
        return len(self.entrants) == 1


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a pairing. All values are by entrant, in the order of the pairing."""

    pairing: Pairing
    points: tuple[float, ...]
    """1, ½ or 0 between two; at a larger table the share of opponents left behind; 1 for a bye."""
    game_points: tuple[float, ...]
    """Sums of the game points of all legs (BL-25); 0 for a bye or a pairing that was not played."""
    played: bool = True
    """Whether it was played; false for byes, walkovers and results that an organiser gave."""
    drawn_points: tuple[float, ...] | None = None
    """The points that the next round was drawn from, where an organiser decided otherwise since; None elsewhere."""
    is_overruled: bool = False
    """Whether its matches were played, and an organiser decided it above them: its entrants have met."""

    @property
    def winner(self) -> int | None:
        """Return the number of the entrant with more points than all others; None if there is none."""
        return self._find_first(self.points)

    @property
    def advancing(self) -> int | None:
        """Return the number of who goes on in a bracket: as the next round was drawn, or else the winner."""
        return self._find_first(self.points if self.drawn_points is None else self.drawn_points)

    @property
    def is_meeting(self) -> bool:
        """Return whether its entrants have played each other, whatever counts of it."""
        return self.played or self.is_overruled

    def _find_first(self, values: Sequence[float]) -> int | None:
        best = max(values)
        first = [number for number, points in zip(self.pairing.entrants, values, strict=True) if points == best]
        return first[0] if len(first) == 1 else None


Round = Sequence[Result]
"""The results of a round, in the order of its pairings."""


class Format(ABC):
    """Base of tournament formats. `rounds` are always the finished rounds, the first one first."""

    key: ClassVar[str]
    title: ClassVar[str]
    is_bracket: ClassVar[bool] = False
    """Whether entrants are eliminated, so that a bracket can be drawn."""
    is_result_independent: ClassVar[bool] = False
    """Whether its pairings don't depend on results."""
    first_phase: ClassVar["Format | None"] = None
    """The format whose best entrants go on to a knockout; None for a tournament of one phase."""
    uses: ClassVar[frozenset[str]] = frozenset()
    """The names of the settings that apply to it, besides those that apply to all formats."""

    @abstractmethod
    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the maximum number of rounds."""

    @abstractmethod
    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round, byes included; None after the last. `field` is sorted by number.

        Each entrant is in at most one pairing. One that has left is paired only if its opponent is to win without
        playing, see `decide_walkover`.
        """

    def pair_roughly(
        self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
    ) -> Sequence[Pairing] | None:
        """Return the next round as `pair` does, or a simpler one where that takes too long to be repeated often."""
        return self.pair(field, rounds, settings)

    def count_phase_rounds(self, entrants: int, settings: Settings) -> tuple[int, ...]:
        """Return the maximum number of rounds of each phase."""
        return (self.count_rounds(entrants, settings),)

    def is_drawn_from_results(self, number: int, entrants: int, settings: Settings) -> bool:
        """Return whether the pairings of a round depend on the results before it."""
        is_of_first = self.first_phase is not None and number <= self.count_phase_rounds(entrants, settings)[0]
        drawn_by = self.first_phase if self.first_phase is not None and is_of_first else self
        return number > 1 and not drawn_by.is_result_independent

    def split_phases(self, rounds: Sequence[Round]) -> tuple[Sequence[Round], Sequence[Round]]:
        """Return the rounds of the first phase, and those of the knockout after it."""
        return rounds, ()

    def measure_progress(
        self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
    ) -> Mapping[int, int]:
        """Return, by entrant number, how far each one came. It counts before any points; by default all are equal."""
        return dict.fromkeys((entrant.number for entrant in field), 0)

    def find_struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Return the numbers of entrants that left so early that their results count for nobody; by default none."""
        return frozenset()


def make_bye(number: int, name: str = "") -> Pairing:
    """Return the pairing of an entrant without an opponent."""
    return Pairing((number,), name)


def decide_walkover(pairing: Pairing, field: Sequence[Entrant], round_number: int) -> Result | None:
    """Return the result of a bye, or of a pairing that all but one have left; None for a pairing to be played.

    If all have left, the first one wins so that the bracket stays complete; its next pairing is a walkover again.
    """
    left = {entrant.number for entrant in field if not entrant.is_in(round_number)}
    there = [number for number in pairing.entrants if number not in left]
    if len(there) > 1:
        return None
    nobody = (0.0,) * len(pairing.entrants)
    if not there and pairing.is_bye:
        return Result(pairing, nobody, nobody, played=False)
    winner = there[0] if there else pairing.entrants[0]
    has_won = bool(there) or pairing.must_decide
    points = tuple(float(has_won and number == winner) for number in pairing.entrants)
    return Result(pairing, points, nobody, played=False)
