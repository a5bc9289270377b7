"""Single elimination. Nothing is played for third place: it is shared."""

from collections.abc import Sequence

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import Bracket, build_winners_rounds, count_knockout_rounds
from arena.tournaments.settings import Settings


class SingleElimination(Format):
    """The format in which the loser of a pairing is out."""

    key = "single-elimination"
    title = "Single elimination"
    is_bracket = True

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds."""
        return count_knockout_rounds(entrants)

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        return pair_next_bouts([entrant.number for entrant in field], rounds)

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return the number of rounds that each entrant has passed."""
        return count_rounds_passed([entrant.number for entrant in field], rounds)


def pair_next_bouts(order: Sequence[int], rounds: Sequence[Round]) -> list[Pairing] | None:
    """Return the next round of a knockout of these, the best seed first; None after the last."""
    bouts = (bout for bouts in build_winners_rounds(len(order)) for bout in bouts)
    return Bracket(order, rounds, bouts).ready or None


def count_rounds_passed(order: Sequence[int], rounds: Sequence[Round]) -> dict[int, int]:
    """Return the number of rounds that each has passed, byes included."""
    bouts = build_winners_rounds(len(order))
    bracket = Bracket(order, rounds, (bout for row in bouts for bout in row))
    passed = dict.fromkeys(order, 0)
    for number, row in enumerate(bouts, 1):
        for bout in row:
            winner = bracket.find_winner(bout.name)
            if winner is not None:
                passed[winner] = number
    return passed
