"""A Swiss tournament whose best entrants play a knockout."""

from collections.abc import Sequence

from arena.tournaments import standings
from arena.tournaments.formats.base import Entrant, Round
from arena.tournaments.formats.swiss import Swiss
from arena.tournaments.formats.then_knockout import ThenKnockout
from arena.tournaments.settings import Settings


class SwissKnockout(ThenKnockout):
    """The format of a Swiss phase, then a knockout of the best `knockout_size`."""

    key = "swiss-knockout"
    title = "Swiss, then a knockout"
    first_phase = Swiss()
    uses = frozenset({"rounds", "knockout_size", "max_tiebreak_matches", "third_place_match"})

    def list_advancing(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[int]:
        """Return the best of those that are still in. If too many have left, the knockout is smaller."""
        there = {entrant.number for entrant in field if entrant.is_in(len(rounds) + 1)}
        table = standings.rank(self.first_phase, field, rounds, settings)
        return [line.number for line in table if line.number in there][: settings.knockout_size]

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return how far each came, as `ThenKnockout` does. Who is left alone has won without a knockout."""
        came = super().measure_progress(field, rounds, settings)
        there = [entrant.number for entrant in field if entrant.is_in(len(rounds) + 1)]
        return came | {there[0]: 1} if len(there) == 1 and not any(came.values()) else came
