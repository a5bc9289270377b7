"""Who loses twice is out: who loses in the winners' bracket goes on in the losers'.

Both brackets are fixed from the start. The final is between the winners of the two; who comes from the winners'
bracket hasn't lost yet, so if it loses there, the two meet once more.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import (
    NOBODY,
    Bout,
    Bracket,
    Draw,
    From,
    Side,
    pair_off,
    rounds_needed,
    winners_rounds,
)
from arena.tournaments.settings import Settings

FINAL, RESET = "F1.1", "F2.1"


class DoubleElimination(Format):
    """A bot that loses twice is out."""

    key = "double-elimination"
    title = "Double elimination"
    is_bracket = True

    def length(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds, a second final included.

        The losers' bracket ends one round after the winners' and is twice as long; then the final is played, at most
        twice.
        """
        return 2 * rounds_needed(entrants) + 1

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None when all is played."""
        return _Brackets(field, rounds).bracket.ready or None

    def reached(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Who is out: the losers' round in which it lost; for the loser of the final, one more.

        Who is in: the round it comes to even if it loses from now on, and so many more that nobody out stands above.
        """
        brackets = _Brackets(field, rounds)
        came = {entrant.number: 1 for entrant in field} | dict(brackets.sure())
        return {number: brackets.final + least for number, least in came.items()} | dict(brackets.out())


@cache
def losers_rounds(entrants: int) -> Draw:
    """Return the rounds of those who have lost once; their bouts are called L1.1, L1.2, ….

    First those who lost in the first round meet each other. From then on those who lost in the winners' next round come
    in, and those who are left after it meet each other.
    """
    winners = winners_rounds(entrants)
    if len(winners) == 1:
        return ()
    first = _losers(winners[0])
    rounds = [pair_off("L1", first[::2], first[1::2])]
    for turn, bouts in enumerate(winners[1:], 1):
        rounds.append(pair_off(f"L{len(rounds) + 1}", _left(rounds), crossed(_losers(bouts), turn)))
        if len(bouts) > 1:
            rounds.append(pair_off(f"L{len(rounds) + 1}", _left(rounds)[::2], _left(rounds)[1::2]))
    return tuple(rounds)


def crossed(losers: Sequence[Side], turn: int) -> list[Side]:
    """Where those who come into the losers' bracket for the `turn`-th time are put, who lost one beside the other.

    First the halves change places, then the quarters in each half, then both, and so on: so whom they have beaten
    before, who came in at another turn, stands in another part as long as there are more parts than turns.
    """
    away = _mirrored(turn, len(losers))
    return [losers[place ^ away] for place in range(len(losers))]


def _mirrored(number: int, places: int) -> int:
    """Return a number with its last binary digits reversed, as many as number the places."""
    found = 0
    while places > 1:
        found = 2 * found + number % 2
        number, places = number // 2, places // 2
    return found


def _losers(bouts: Sequence[Bout]) -> list[Side]:
    return [From(bout.name, won=False) for bout in bouts]


def _left(rounds: Sequence[Sequence[Bout]]) -> list[Side]:
    """Who is left after the last of these rounds."""
    return [From(bout.name) for bout in rounds[-1]]


class _Brackets:
    """Both brackets and the final, as far as they were played."""

    def __init__(self, field: Sequence[Entrant], rounds: Sequence[Round]) -> None:
        self.winners = winners_rounds(len(field))
        self.losers = losers_rounds(len(field))
        best = From(self.winners[-1][0].name)
        second = From(self.losers[-1][0].name) if self.losers else From(best.bout, won=False)
        bouts = chain(*self.winners, *self.losers, [Bout(FINAL, (best, second))])
        self.bracket = Bracket([entrant.number for entrant in field], rounds, bouts)
        self.last = FINAL
        """The bout that ends it, as far as is known."""
        has_lost_once = self.bracket.loser(FINAL)
        if has_lost_once is not None and has_lost_once == self.bracket.winner(best.bout):
            self.last = RESET
            self.bracket.add(Bout(RESET, (best, second)))

    @property
    def final(self) -> int:
        """The number of the losers' round that the final would be."""
        return len(self.losers) + 1

    def out(self) -> Iterator[tuple[int, int]]:
        """Who has lost twice, and in which of the losers' rounds."""
        names = [[bout.name for bout in bouts] for bouts in self.losers]
        for number, row in enumerate([*names, [self.last]], 1):
            for name in row:
                yield from _known(self.bracket.loser(name), number)

    def sure(self) -> Iterator[tuple[int, int]]:
        """Who came out of a bout, and to which of the losers' rounds it comes at least. What is told later counts."""
        for number, bouts in enumerate(self.winners, 1):
            for bout in bouts:
                yield from _known(self.bracket.winner(bout.name), min(2 * number, self.final))
                yield from _known(self.bracket.loser(bout.name), max(2 * number - 2, 1))
        for number, bouts in enumerate(self.losers, 1):
            for bout in bouts:
                yield from _known(self.bracket.winner(bout.name), number + 1)
        yield from _known(self.bracket.winner(self.last), self.final + 1)


def _known(number: int | None, came: int) -> Iterator[tuple[int, int]]:
    if number is not None and number != NOBODY:
        yield number, came
