"""A whole tournament from the matches that are over: which to play next, and what came of each round.

For those who keep no rows. Told the same matches again, in any order that could have been played, it stands where it
stood.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from arena.tournaments.formats.base import Entrant, Format, Pairing, Result, walkover
from arena.tournaments.pairing_outcome import Game, decide, wanted
from arena.tournaments.settings import Settings


class NotDue(ValueError):
    """A match that isn't to be played now. The message says which."""


@dataclass(frozen=True, slots=True)
class Bout:
    """One match of a pairing. All from 1."""

    round: int
    board: int
    number: int

    @property
    def deal(self) -> int:
        """The number of its deal among all of a season's."""
        return deal_number(0, self.round, self.board, self.number)


def deal_number(attempt: int, round: int, board: int, match: int) -> int:
    """Return the number of a match's deal, which follows from its place alone.

    `attempt` is the number of times its round had been played before.
    """
    return ((attempt * 1000 + round) * 1000 + board) * 100 + match


@dataclass(slots=True)
class Board:
    """A pairing, and its matches that are over by their numbers."""

    pairing: Pairing
    unplayed: Result | None
    games: dict[int, Game] = field(default_factory=dict)

    def missing(self, settings: Settings) -> list[int]:
        """Return the numbers of the matches that are to be played now."""
        if self.unplayed is not None:
            return []
        count = wanted(self.pairing, self._ended(), settings)
        numbers = range(1, len(self.games) + count + 1)
        return [number for number in numbers if number not in self.games][:count]

    def result(self, settings: Settings) -> Result | None:
        """Return the result of the pairing; None as long as it goes on."""
        return self.unplayed or decide(self.pairing, self._ended(), settings)

    def _ended(self) -> list[Game]:
        return [self.games[number] for number in sorted(self.games)]


class Course:
    """`rounds` are those that are over; `boards` are the pairings of the round that is played, None after the last."""

    def __init__(self, format: Format, entrants: Sequence[Entrant], settings: Settings) -> None:
        self.format, self.entrants, self.settings = format, entrants, settings
        self.rounds: list[list[Result]] = []
        self.boards = self._drawn()
        self._go_on()

    @property
    def length(self) -> int:
        """So many rounds there are at the most."""
        return self.format.length(len(self.entrants), self.settings)

    def due(self) -> Iterator[Bout]:
        """All matches that may be played now, side by side."""
        for board, drawn in enumerate(self.boards or (), start=1):
            for number in drawn.missing(self.settings):
                yield Bout(len(self.rounds) + 1, board, number)

    def pairing(self, bout: Bout) -> Pairing:
        """Of a match that is due."""
        assert self.boards is not None
        return self.boards[bout.board - 1].pairing

    def add(self, bout: Bout, game: Game) -> None:
        """Add the result of a match. Raise NotDue."""
        if bout not in self.due():
            raise NotDue(f"match {bout.number} of board {bout.board} in round {bout.round} is not to be played now")
        assert self.boards is not None
        self.boards[bout.board - 1].games[bout.number] = game
        self._go_on()

    def _go_on(self) -> None:
        """To the next round that needs playing."""
        while self.boards is not None:
            results = [board.result(self.settings) for board in self.boards]
            decided = [result for result in results if result is not None]
            if len(decided) < len(results):
                return
            self.rounds.append(decided)
            self.boards = self._drawn()

    def _drawn(self) -> list[Board] | None:
        pairings = self.format.pair(self.entrants, self.rounds, self.settings)
        if pairings is None:
            return None
        return [Board(pairing, walkover(pairing, self.entrants, len(self.rounds) + 1)) for pairing in pairings]
