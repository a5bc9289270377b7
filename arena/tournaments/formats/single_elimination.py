"""Who loses is out. Nothing is played for the third place: it is shared."""

from collections.abc import Sequence

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import Bracket, rounds_needed, winners_rounds
from arena.tournaments.settings import Settings


class SingleElimination(Format):
    """The loser of a pairing is out."""

    key = "single-elimination"
    title = "Single elimination"
    is_bracket = True

    def length(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds."""
        return rounds_needed(entrants)

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None when all is played."""
        return next_bouts([entrant.number for entrant in field], rounds)

    def reached(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return, by entrant, the number of rounds it has passed."""
        return rounds_passed([entrant.number for entrant in field], rounds)


def next_bouts(order: Sequence[int], rounds: Sequence[Round]) -> list[Pairing] | None:
    """Return the next round of a knockout among these, the best seed first; None when all is played."""
    bouts = (bout for bouts in winners_rounds(len(order)) for bout in bouts)
    return Bracket(order, rounds, bouts).ready or None


def rounds_passed(order: Sequence[int], rounds: Sequence[Round]) -> dict[int, int]:
    """So many rounds each has passed, be it by a bye. Who is still in has passed more than all who are out."""
    bouts = winners_rounds(len(order))
    bracket = Bracket(order, rounds, (bout for row in bouts for bout in row))
    passed = dict.fromkeys(order, 0)
    for number, row in enumerate(bouts, 1):
        for bout in row:
            winner = bracket.winner(bout.name)
            if winner is not None:
                passed[winner] = number
    return passed
