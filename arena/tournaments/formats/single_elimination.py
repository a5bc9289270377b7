"""Single elimination. Third place is shared, unless the settings want a match for it."""

from collections.abc import Sequence

from arena.tournaments.formats.base import Entrant, Format, Pairing, Round
from arena.tournaments.formats.bracket import (
    NO_ENTRANT,
    THIRD_PLACE_BOUT,
    Bracket,
    build_knockout_rounds,
    count_knockout_rounds,
)
from arena.tournaments.settings import Settings


class SingleElimination(Format):
    """The format in which the loser of a pairing is out."""

    key = "single-elimination"
    title = "Single elimination"
    is_bracket = True
    uses = frozenset({"max_tiebreak_matches", "third_place_match"})

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds."""
        return count_knockout_rounds(entrants)

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        return pair_next_bouts([entrant.number for entrant in field], rounds, settings)

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return the number of rounds that each entrant has passed, as `count_rounds_passed` does."""
        return count_rounds_passed([entrant.number for entrant in field], rounds, settings)


def pair_next_bouts(order: Sequence[int], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
    """Return the next round of a knockout of these, the best seed first; None after the last."""
    if len(order) < 2:
        return None
    bouts = (bout for bouts in build_knockout_rounds(len(order), settings.third_place_match) for bout in bouts)
    return Bracket(order, rounds, bouts).ready or None


def count_rounds_passed(order: Sequence[int], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
    """Return the number of rounds that each has passed, byes included.

    With a match for third place its winner has passed as many as who reaches the final, and the finalists have passed
    one more: so nobody shares a place with them.
    """
    bouts = build_knockout_rounds(len(order), settings.third_place_match)
    bracket = Bracket(order, rounds, (bout for row in bouts for bout in row))
    passed = dict.fromkeys(order, 0)
    for number, row in enumerate(bouts, 1):
        for bout in row:
            winner = bracket.find_winner(bout.name)
            if winner is not None and winner != NO_ENTRANT:
                passed[winner] = number - (bout.name == THIRD_PLACE_BOUT)
    if bouts and bouts[-1][-1].name == THIRD_PLACE_BOUT:
        for finalist in filter(None, (bracket.find_winner(bout.name) for bout in bouts[-2])):
            passed[finalist] += 1
    return passed
