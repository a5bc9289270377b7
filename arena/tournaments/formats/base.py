"""The contract of a format: from who takes part and what was played follows what is played next.

A format keeps nothing and throws no dice: asked again with the same rounds it says the same. So a tournament goes on
from its rows wherever it was interrupted, and a round is played again by forgetting it and what came after.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.tournaments.settings import Settings


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part. `number` is its seed, from 1, the best first."""

    number: int
    left_in_round: int | None = None
    """The round, from 1, in which it withdrew or was disqualified: it plays nothing from that round on. None: it is
    still in."""

    def is_in(self, round_number: int) -> bool:
        """Return whether the entrant takes part in a round."""
        return self.left_in_round is None or round_number < self.left_in_round


@dataclass(frozen=True, slots=True)
class Pairing:
    """Who meets whom in a round."""

    entrants: tuple[int, ...]
    """Their numbers, in the order of the seats in the first leg. One alone has a bye."""
    name: str = ""
    """Its place in what is drawn: the group "A", or "W2.1" for the first of the winners' bracket's second round."""
    must_decide: bool = False
    """One of two goes on and the other doesn't, so there is no draw."""

    @property
    def is_bye(self) -> bool:
        """Return whether there is no opponent."""
        return len(self.entrants) == 1


@dataclass(frozen=True, slots=True)
class Result:
    """How a pairing ended. Everything is by entrant, in the order of the pairing."""

    pairing: Pairing
    points: tuple[float, ...]
    """Between two 1, ½ or 0; at a larger table the share of the others that were left behind; 1 for a bye."""
    scores: tuple[float, ...]
    """Sums of the series scores of all legs (BL-25); for a bye, or a pairing that was not played, 0."""
    played: bool = True
    """False for a bye, and where somebody wins because another had left."""

    @property
    def winner(self) -> int | None:
        """The number of who has more points than all others; None where nobody has."""
        best = max(self.points)
        first = [number for number, points in zip(self.pairing.entrants, self.points, strict=True) if points == best]
        return first[0] if len(first) == 1 else None


Round = Sequence[Result]
"""All results of one round, in the order of its pairings."""


class Format(ABC):
    """How a tournament goes. `rounds` is always what has been played whole, the first round first."""

    key: ClassVar[str]
    title: ClassVar[str]
    is_bracket: ClassVar[bool] = False
    """Who loses is out, at some time: a bracket can be drawn of it."""

    @abstractmethod
    def length(self, entrants: int, settings: Settings) -> int:
        """So many rounds it has at the most."""

    @abstractmethod
    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round, byes included; None when all is played. `field` is by number.

        Each entrant that is still in the running is named at most once. An entrant that has left is paired only where
        its opponent is to win without playing; `walkover` decides how that ends.
        """

    def reached(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> Mapping[int, int]:
        """How far each entrant came, by number: who came farther stands higher, before any points are looked at.

        All alike unless a format knows better.
        """
        return dict.fromkeys((entrant.number for entrant in field), 0)

    def struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Numbers of those who left so early that none of their results counts for anybody. Nobody, mostly."""
        return frozenset()


def bye(number: int, name: str = "") -> Pairing:
    """Return the pairing of an entrant without an opponent."""
    return Pairing((number,), name)


def walkover(pairing: Pairing, field: Sequence[Entrant], round_number: int) -> Result | None:
    """How a pairing ends that needs no playing: a bye, or all but one have left. None where it is to be played.

    Where all have left, the first goes on in name only: nobody else is paired with it but by another walkover.
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
