"""Rebuild a tournament from the results of its matches, without a database.

The same results always lead to the same state, in whatever order the matches ended.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from arena.tournaments.formats.base import Entrant, Format, Pairing, Result, decide_walkover
from arena.tournaments.pairing_outcome import MatchResult, count_matches_needed, decide
from arena.tournaments.settings import Settings


class NotDueError(ValueError):
    """The error raised for the result of a match that isn't due."""


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """The place of a match in a tournament: its round, its board and its number in the pairing, all from 1."""

    round: int
    board: int
    number: int

    @property
    def deal_number(self) -> int:
        """Return the number of its deal in the season."""
        return compute_deal_number(0, self.round, self.board, self.number)


def compute_deal_number(attempt: int, round: int, board: int, match: int) -> int:
    """Return the number of a match's deal, which follows from its place alone.

    `attempt` is the number of times its round had been played before.
    """
    return ((attempt * 1000 + round) * 1000 + board) * 100 + match


@dataclass(slots=True)
class Board:
    """A pairing with the results of its matches, by number."""

    pairing: Pairing
    walkover: Result | None
    """The result if it needs no playing."""
    matches: dict[int, MatchResult] = field(default_factory=dict)

    def list_missing(self, settings: Settings) -> list[int]:
        """Return the numbers of the matches that are to be played now."""
        if self.walkover is not None:
            return []
        count = count_matches_needed(self.pairing, self._list_ended(), settings)
        numbers = range(1, len(self.matches) + count + 1)
        return [number for number in numbers if number not in self.matches][:count]

    def result(self, settings: Settings) -> Result | None:
        """Return the result of the pairing; None while it is being played."""
        return self.walkover or decide(self.pairing, self._list_ended(), settings)

    def _list_ended(self) -> list[MatchResult]:
        return [self.matches[number] for number in sorted(self.matches)]


class Course:
    """The course of a tournament.

    `rounds` are the results of finished rounds, `boards` the pairings of the current one; None after the last.
    """

    def __init__(self, format: Format, entrants: Sequence[Entrant], settings: Settings) -> None:
        self.format, self.entrants, self.settings = format, entrants, settings
        self.rounds: list[list[Result]] = []
        self.boards = self._draw_round()
        self._advance()

    @property
    def max_rounds(self) -> int:
        """Return the maximum number of rounds."""
        return self.format.count_rounds(len(self.entrants), self.settings)

    def list_due(self) -> Iterator[ScheduledMatch]:
        """Yield all matches that can be played now, in any order."""
        for board, drawn in enumerate(self.boards or (), start=1):
            for number in drawn.list_missing(self.settings):
                yield ScheduledMatch(len(self.rounds) + 1, board, number)

    def find_pairing(self, scheduled: ScheduledMatch) -> Pairing:
        """Return the pairing of a match that is due."""
        assert self.boards is not None
        return self.boards[scheduled.board - 1].pairing

    def add_result(self, scheduled: ScheduledMatch, match: MatchResult) -> None:
        """Add the result of a match. Raise NotDueError."""
        if scheduled not in self.list_due():
            place = f"match {scheduled.number} of board {scheduled.board} in round {scheduled.round}"
            raise NotDueError(f"{place} is not to be played now")
        assert self.boards is not None
        self.boards[scheduled.board - 1].matches[scheduled.number] = match
        self._advance()

    def _advance(self) -> None:
        """Finish rounds that are decided, up to the next one that needs playing."""
        while self.boards is not None:
            results = [board.result(self.settings) for board in self.boards]
            decided = [result for result in results if result is not None]
            if len(decided) < len(results):
                return
            self.rounds.append(decided)
            self.boards = self._draw_round()

    def _draw_round(self) -> list[Board] | None:
        pairings = self.format.pair(self.entrants, self.rounds, self.settings)
        if pairings is None:
            return None
        return [Board(pairing, decide_walkover(pairing, self.entrants, len(self.rounds) + 1)) for pairing in pairings]
