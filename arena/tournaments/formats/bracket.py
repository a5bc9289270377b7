"""A bracket: bouts whose sides come out of other bouts. Who stands where follows from what was played."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from arena.tournaments.formats.base import Pairing, Round, bye

NOBODY = 0
"""Stands where nobody ever comes: there are fewer entrants than places."""


@dataclass(frozen=True, slots=True)
class From:
    """Who won a bout, or who lost it."""

    bout: str
    won: bool = True


Side = int | From
"""A seed, from 1, or who comes out of another bout."""


@dataclass(frozen=True, slots=True)
class Bout:
    """A place in the bracket where two meet."""

    name: str
    sides: tuple[Side, Side]


Draw = tuple[tuple[Bout, ...], ...]
"""By round the bouts from the top down."""


def rounds_needed(entrants: int) -> int:
    """After so many rounds one is left of them who hasn't lost."""
    return (entrants - 1).bit_length()


def seeding(size: int) -> list[int]:
    """Return the seeds from the top of the bracket down; `size` is a power of two.

    If the better one always wins, the best meets the last, and the two best meet only in the end.
    """
    order = [1]
    while len(order) < size:
        order = [seed for better in order for seed in (better, 2 * len(order) + 1 - better)]
    return order


@cache
def winners_rounds(entrants: int) -> Draw:
    """Return the rounds of those who have not lost; their bouts are called W1.1, W1.2, …, W2.1, …."""
    count = rounds_needed(entrants)
    sides: list[Side] = [*seeding(2**count)]
    rounds = []
    for number in range(1, count + 1):
        rounds.append(pair_off(f"W{number}", sides[::2], sides[1::2]))
        sides = [From(bout.name) for bout in rounds[-1]]
    return tuple(rounds)


def pair_off(name: str, upper: Sequence[Side], lower: Sequence[Side]) -> tuple[Bout, ...]:
    """Return a round of bouts: the first of `upper` meets the first of `lower`, and so on."""
    return tuple(Bout(f"{name}.{place}", sides) for place, sides in enumerate(zip(upper, lower, strict=True), 1))


class Bracket:
    """What has become of the bouts. Each is added after those that its sides come from."""

    def __init__(self, order: Sequence[int], rounds: Sequence[Round], bouts: Iterable[Bout] = ()) -> None:
        """`order` has the numbers of all entrants, the best seed first."""
        self.ready: list[Pairing] = []
        """What can be played now and hasn't been."""
        self._order = order
        self._results = {_key(result.pairing): result for results in rounds for result in results}
        self._who: dict[Side, int | None] = {}
        for bout in bouts:
            self.add(bout)

    def add(self, bout: Bout) -> None:
        """Add a bout whose sides come from bouts added before."""
        one, other = (self._find(side) for side in bout.sides)
        winner = loser = None
        if one is not None and other is not None:
            winner, loser = self._end(bout, one, other)
        self._who[From(bout.name)] = winner
        self._who[From(bout.name, won=False)] = loser

    def winner(self, bout: str) -> int | None:
        """None as long as that is open."""
        return self._who[From(bout)]

    def loser(self, bout: str) -> int | None:
        """None as long as that is open, NOBODY where the winner had nobody to beat."""
        return self._who[From(bout, won=False)]

    def _find(self, side: Side) -> int | None:
        if isinstance(side, From):
            return self._who[side]
        return self._order[side - 1] if side <= len(self._order) else NOBODY

    def _end(self, bout: Bout, one: int, other: int) -> tuple[int | None, int | None]:
        """Return the winner and the loser of a bout.

        Between an empty place and somebody nothing is played: that is a bye in the first round, and later, where
        somebody would come from a bye, not even that.
        """
        is_first = not any(isinstance(side, From) for side in bout.sides)
        if NOBODY in (one, other) and not is_first:
            return one or other, NOBODY
        pairing = self._pairing(bout.name, one, other)
        result = self._results.get(_key(pairing))
        if result is None:
            self.ready.append(pairing)
            return None, None
        if result.winner is None:
            raise ValueError(f"{bout.name} ended without a winner: in a bracket there is no draw.")
        return result.winner, other if result.winner == one else one

    def _pairing(self, name: str, one: int, other: int) -> Pairing:
        """Return the pairing of two; the better seed sits first."""
        if NOBODY in (one, other):
            return bye(one or other, name)
        first, second = sorted((one, other), key=self._order.index)
        return Pairing((first, second), name, must_decide=True)


def _key(pairing: Pairing) -> tuple[str, frozenset[int]]:
    return pairing.name, frozenset(pairing.entrants)
