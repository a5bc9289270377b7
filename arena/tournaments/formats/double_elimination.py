"""Double elimination: losers of the winners' bracket continue in the losers' bracket.

Both brackets are fixed from the start. Their winners meet in the final. The one from the winners' bracket is unbeaten,
so if it loses the final, a second final is played.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import (
    NO_ENTRANT,
    Bout,
    BoutRounds,
    Bracket,
    FromBout,
    Side,
    build_winners_rounds,
    count_knockout_rounds,
    pair_off,
)
from arena.tournaments.settings import Settings

FINAL_BOUT, RESET_BOUT = "F1.1", "F2.1"
"""The final, and the second final, which is played if the unbeaten finalist loses the first."""


class DoubleElimination(Format):
    """The format in which an entrant is out after two losses."""

    key = "double-elimination"
    title = "Double elimination"
    is_bracket = True
    uses = frozenset({"max_tiebreak_matches"})

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds with a second final.

        The losers' bracket ends a round after the winners' bracket; at most two finals follow.
        """
        return 2 * count_knockout_rounds(entrants) + 1

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        return _Brackets(field, rounds).bracket.ready or None

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return how far each entrant came, in rounds of the losers' bracket.

        For those that are out it is the round in which they lost. For the others it is the round they reach even if
        they lose from now on, raised by the number of the final so that they rank above those that are out.
        """
        brackets = _Brackets(field, rounds)
        came = {entrant.number: 1 for entrant in field} | dict(brackets.list_secured())
        return {number: brackets.final + least for number, least in came.items()} | dict(brackets.list_eliminated())


@cache
def build_losers_rounds(entrants: int) -> BoutRounds:
    """Return the rounds of the losers' bracket; its bouts are called L1.1, L1.2, ….

    The losers of the first round meet each other. After that rounds alternate: the survivors meet the losers of the
    next round of the winners' bracket, then each other.
    """
    winners = build_winners_rounds(entrants)
    if len(winners) == 1:
        return ()
    first = _list_losers(winners[0])
    rounds = [pair_off("L1", first[::2], first[1::2])]
    for turn, bouts in enumerate(winners[1:], 1):
        rounds.append(pair_off(f"L{len(rounds) + 1}", _list_winners(rounds), cross_losers(_list_losers(bouts), turn)))
        if len(bouts) > 1:
            rounds.append(pair_off(f"L{len(rounds) + 1}", _list_winners(rounds)[::2], _list_winners(rounds)[1::2]))
    return tuple(rounds)


def cross_losers(losers: Sequence[Side], turn: int) -> list[Side]:
    """Return the losers of a round in the order in which they enter the losers' bracket for the `turn`-th time.

    First the halves swap places, then the quarters in each half, then both, and so on. So entrants that have met in the
    winners' bracket are in different parts of the losers' bracket, and meet again as late as possible.
    """
    away = _reverse_bits(turn, len(losers))
    return [losers[place ^ away] for place in range(len(losers))]


def _reverse_bits(number: int, places: int) -> int:
    """Return the number with its lowest log2(`places`) bits reversed."""
    found = 0
    while places > 1:
        found = 2 * found + number % 2
        number, places = number // 2, places // 2
    return found


def _list_losers(bouts: Sequence[Bout]) -> list[Side]:
    return [FromBout(bout.name, won=False) for bout in bouts]


def _list_winners(rounds: Sequence[Sequence[Bout]]) -> list[Side]:
    """Return the winners of the last of these rounds."""
    return [FromBout(bout.name) for bout in rounds[-1]]


class _Brackets:
    """Both brackets and the finals, as far as they were played."""

    def __init__(self, field: Sequence[Entrant], rounds: Sequence[Round]) -> None:
        self.winners = build_winners_rounds(len(field))
        self.losers = build_losers_rounds(len(field))
        best = FromBout(self.winners[-1][0].name)
        second = FromBout(self.losers[-1][0].name) if self.losers else FromBout(best.bout, won=False)
        bouts = chain(*self.winners, *self.losers, [Bout(FINAL_BOUT, (best, second))])
        self.bracket = Bracket([entrant.number for entrant in field], rounds, bouts)
        self.last = FINAL_BOUT
        """The deciding bout: the second final once the unbeaten finalist has lost the first."""
        has_lost_once = self.bracket.find_loser(FINAL_BOUT)
        if has_lost_once is not None and has_lost_once == self.bracket.find_winner(best.bout):
            self.last = RESET_BOUT
            self.bracket.add(Bout(RESET_BOUT, (best, second)))

    @property
    def final(self) -> int:
        """Return the number that the final has if it is counted as a round of the losers' bracket."""
        return len(self.losers) + 1

    def list_eliminated(self) -> Iterator[tuple[int, int]]:
        """Yield each entrant that has lost twice with the losers' round in which it did."""
        names = [[bout.name for bout in bouts] for bouts in self.losers]
        for number, row in enumerate([*names, [self.last]], 1):
            for name in row:
                yield from _skip_unknown(self.bracket.find_loser(name), number)

    def list_secured(self) -> Iterator[tuple[int, int]]:
        """Yield entrants with the losers' round that they reach at least. For an entrant, the last value counts."""
        for number, bouts in enumerate(self.winners, 1):
            for bout in bouts:
                yield from _skip_unknown(self.bracket.find_winner(bout.name), min(2 * number, self.final))
                yield from _skip_unknown(self.bracket.find_loser(bout.name), max(2 * number - 2, 1))
        for number, bouts in enumerate(self.losers, 1):
            for bout in bouts:
                yield from _skip_unknown(self.bracket.find_winner(bout.name), number + 1)
        yield from _skip_unknown(self.bracket.find_winner(self.last), self.final + 1)


def _skip_unknown(number: int | None, came: int) -> Iterator[tuple[int, int]]:
    """Yield both values if there is an entrant."""
    if number is not None and number != NO_ENTRANT:
        yield number, came
