"""Brackets: bouts whose sides are seeds, or winners and losers of other bouts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from arena.tournaments.formats.base import Pairing, Round, make_bye

NO_ENTRANT = 0
"""The number of an empty place: a bracket has a power of two of them, and there may be fewer entrants."""

THIRD_PLACE_BOUT = "T1.1"
"""The match for third place, which is played in the round of the final."""


@dataclass(frozen=True, slots=True)
class FromBout:
    """The winner or the loser of a bout."""

    bout: str
    won: bool = True


Side = int | FromBout
"""A seed, from 1, or the winner or loser of another bout."""


@dataclass(frozen=True, slots=True)
class Bout:
    """A place in the bracket where two entrants meet."""

    name: str
    sides: tuple[Side, Side]


BoutRounds = tuple[tuple[Bout, ...], ...]
"""The bouts of each round, from the top down."""


def count_knockout_rounds(entrants: int) -> int:
    """Return the number of rounds after which a single entrant is unbeaten."""
    return (entrants - 1).bit_length()


def order_seeds(size: int) -> list[int]:
    """Return the seeds from the top of the bracket down; `size` is a power of two.

    The best seed meets the last one first, and the two best can meet in the final only.
    """
    order = [1]
    while len(order) < size:
        order = [seed for better in order for seed in (better, 2 * len(order) + 1 - better)]
    return order


@cache
def build_winners_rounds(entrants: int) -> BoutRounds:
    """Return the rounds of the winners' bracket; its bouts are called W1.1, W1.2, …, W2.1, …."""
    count = count_knockout_rounds(entrants)
    sides: list[Side] = [*order_seeds(2**count)]
    rounds = []
    for number in range(1, count + 1):
        rounds.append(pair_off(f"W{number}", sides[::2], sides[1::2]))
        sides = [FromBout(bout.name) for bout in rounds[-1]]
    return tuple(rounds)


@cache
def build_knockout_rounds(entrants: int, third_place: bool) -> BoutRounds:
    """Return the rounds of the winners' bracket, with a match for third place where it is wanted.

    The losers of the semi-finals meet in it. Among three entrants there is one loser, which has nobody to meet.
    """
    rounds = build_winners_rounds(entrants)
    if not third_place or len(rounds) < 2:
        return rounds
    one, other = (FromBout(bout.name, won=False) for bout in rounds[-2])
    return (*rounds[:-1], (*rounds[-1], Bout(THIRD_PLACE_BOUT, (one, other))))


def is_bout_name(name: str) -> bool:
    """Return whether a pairing of this name has a place in a bracket; groups are named by letters."""
    return "." in name


def read_order(pairings: Iterable[Pairing]) -> list[int]:
    """Return the entrants of a knockout, the best seed first, from the pairings of its first round."""
    drawn = [number for pairing in pairings for number in (*pairing.entrants, NO_ENTRANT)[:2]]
    if not drawn:
        return []
    return [number for _, number in sorted(zip(order_seeds(len(drawn)), drawn, strict=True)) if number != NO_ENTRANT]


def pair_off(name: str, upper: Sequence[Side], lower: Sequence[Side]) -> tuple[Bout, ...]:
    """Return a round of bouts: the first of `upper` meets the first of `lower`, and so on."""
    return tuple(Bout(f"{name}.{place}", sides) for place, sides in enumerate(zip(upper, lower, strict=True), 1))


class Bracket:
    """The state of a bracket. A bout is added after those that its sides come from."""

    def __init__(self, order: Sequence[int], rounds: Sequence[Round], bouts: Iterable[Bout] = ()) -> None:
        """Build the bracket of these entrants, the best seed first."""
        self.ready: list[Pairing] = []
        """Pairings that can be played now."""
        self._order = order
        self._results = {_make_key(result.pairing): result for results in rounds for result in results}
        self._who: dict[Side, int | None] = {}
        for bout in bouts:
            self.add(bout)

    def add(self, bout: Bout) -> None:
        """Add a bout whose sides come from bouts added before."""
        one, other = (self._find_number(side) for side in bout.sides)
        winner = loser = None
        if one is not None and other is not None:
            winner, loser = self._decide_bout(bout, one, other)
        self._who[FromBout(bout.name)] = winner
        self._who[FromBout(bout.name, won=False)] = loser

    def find_winner(self, bout: str) -> int | None:
        """Return the number of the winner; None until it is known."""
        return self._who[FromBout(bout)]

    def find_loser(self, bout: str) -> int | None:
        """Return the number of the loser; None until it is known, NO_ENTRANT if the winner had no opponent."""
        return self._who[FromBout(bout, won=False)]

    def _find_number(self, side: Side) -> int | None:
        if isinstance(side, FromBout):
            return self._who[side]
        return self._order[side - 1] if side <= len(self._order) else NO_ENTRANT

    def _decide_bout(self, bout: Bout, one: int, other: int) -> tuple[int | None, int | None]:
        """Return the winner and the loser of a bout.

        An entrant opposite an empty place has a bye in the first round; later it advances without a pairing.
        """
        is_first = not any(isinstance(side, FromBout) for side in bout.sides)
        if NO_ENTRANT in (one, other) and not is_first:
            return one or other, NO_ENTRANT
        pairing = self._build_pairing(bout.name, one, other)
        result = self._results.get(_make_key(pairing))
        if result is None:
            self.ready.append(pairing)
            return None, None
        if result.winner is None:
            raise ValueError(f"{bout.name} ended without a winner: in a bracket there is no draw.")
        return result.winner, other if result.winner == one else one

    def _build_pairing(self, name: str, one: int, other: int) -> Pairing:
        """Return the pairing of two entrants; the better seed has the first seat."""
        if NO_ENTRANT in (one, other):
            return make_bye(one or other, name)
        first, second = sorted((one, other), key=self._order.index)
        return Pairing((first, second), name, must_decide=True)


def _make_key(pairing: Pairing) -> tuple[str, frozenset[int]]:
    return pairing.name, frozenset(pairing.entrants)
