"""The phases of a tournament, each with standings of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.base import Entrant, Format, Round
from arena.tournaments.formats.bracket import count_knockout_rounds, read_order
from arena.tournaments.formats.groups import GroupPhase, rank_group, split_into_groups
from arena.tournaments.settings import Settings
from arena.tournaments.standings import Standing, rank

KNOCKOUT = "knockout"
"""The key of the second phase; that of a first or only one is the key of its format."""


@dataclass(frozen=True, slots=True)
class PhaseTable:
    """The standings of a phase, or of one of its groups."""

    name: str
    """Name of the group; empty where there is one table for all."""
    standings: Sequence[Standing]
    """By the results of this phase alone, best first."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a tournament that is played by one format."""

    number: int
    """Number of the phase, from 1."""
    key: str
    first_round: int
    """Number of its first round, from 1."""
    rounds_over: int
    rounds_planned: int
    tables: Sequence[PhaseTable]
    """Empty for a knockout whose first round is not over."""


def name_phases(format: Format) -> tuple[str, ...]:
    """Return the keys of the phases of a format, in order."""
    return (format.key,) if format.first_phase is None else (format.first_phase.key, KNOCKOUT)


def list_phases(
    format: Format,
    field: Sequence[Entrant],
    rounds: Sequence[Round],
    settings: Settings,
    standings: Sequence[Standing] | None = None,
) -> list[Phase]:
    """Return the phases after these rounds, also one that hasn't begun.

    `standings` are those of `rank` where they are known already: they are those of a single phase, too.
    """
    stage, knockout = format.split_phases(rounds)
    planned = format.count_phase_rounds(len(field), settings)
    if format.first_phase is None:
        tables = [PhaseTable("", rank(format, field, rounds, settings) if standings is None else standings)]
        return [Phase(1, format.key, 1, len(rounds), planned[0], tables)]
    begins = len(stage) if knockout else max(len(stage), planned[0])
    first = Phase(
        1, format.first_phase.key, 1, len(stage), planned[0], _list_tables(format.first_phase, field, stage, settings)
    )
    tables = [PhaseTable("", _rank_knockout(field, knockout, settings))] if knockout else []
    return [first, Phase(2, KNOCKOUT, begins + 1, len(knockout), planned[1], tables)]


def _list_tables(
    format: Format, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
) -> list[PhaseTable]:
    if not isinstance(format, GroupPhase):
        return [PhaseTable("", rank(format, field, rounds, settings))]
    groups = split_into_groups(field, settings)
    return [PhaseTable(name, rank_group(name, members, rounds, settings)) for name, members in groups.items()]


def _rank_knockout(field: Sequence[Entrant], knockout: Sequence[Round], settings: Settings) -> list[Standing]:
    """Return the standings of those that play the knockout, by its results alone."""
    known = {entrant.number: entrant for entrant in field}
    order = read_order(result.pairing for result in knockout[0])
    return rank(FORMATS["single-elimination"], [known[number] for number in order], knockout, settings)


def find_round_reached(standing: Standing, phases: Sequence[Phase], settings: Settings) -> int | None:
    """Return how far an entrant came in a knockout after another phase, by the number that were in it still.

    It is 1 for the winner, 2 in the final, 3 for who has won the match for third place, and 4, 8 and so on in the
    rounds before; None for those that didn't advance, and before the first round of the knockout is over.
    """
    tables = phases[-1].tables
    if len(phases) < 2 or not standing.reached_round or not tables:
        return None
    rounds, passed = count_knockout_rounds(len(tables[0].standings)), standing.reached_round - 1
    if settings.third_place_match and rounds > 1:
        if passed == rounds - 1:
            return 3
        passed -= passed >= rounds
    return 1 << max(rounds - passed, 0)


def count_expected_entrants(there: int, settings: Settings, max_entrants: int) -> int:
    """Return the number of entrants to reckon with before the start: as many as may enter while there are too few."""
    return there if there >= settings.min_entrants else max_entrants
