"""The phases of a tournament, each with standings of its own, and the check of a plan of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from arena.contests.tournaments.formats import FORMATS, find_format
from arena.contests.tournaments.formats.base import Entrant, Format, Round
from arena.contests.tournaments.formats.brackets import count_knockout_rounds, read_order
from arena.contests.tournaments.formats.round_robin import GroupPhase, rank_group, split_into_groups
from arena.contests.tournaments.settings import MIN_ENTRANTS_FOR_THIRD_PLACE, InvalidSettings, Settings
from arena.contests.tournaments.standings import Standing, rank
from engine.core import Game
from engine.message import Message, gettext_noop, message
from engine.series import BadSeries, check_series

# The phases of a tournament, each with standings of its own.

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


# Say that a Swiss has fewer rounds than planned.

MEET_ALL_ENTRANTS = 4
"""So few can all meet, whoever meets first."""


def explain_missing_rounds(
    format: Format, entrants: int, settings: Settings, played: int | None = None
) -> Message | None:
    """Return why a Swiss, also one before a knockout, has or may have fewer rounds than planned, or None.

    `played` is the number of its rounds once no more is drawn. Up to half as many rounds as entrants can always be
    drawn, and all where all can meet.
    """
    swiss = format.first_phase or format
    if swiss.key != "swiss" or entrants < 2:
        return None
    most = swiss.count_rounds(entrants, settings)
    wanted = settings.rounds or most
    if played is not None:
        ended = gettext_noop(
            "Only %(played)s of %(wanted)s planned Swiss rounds were played: another round would have "
            "repeated a pairing or a bye."
        )
        return message(ended, played=played, wanted=wanted) if played < wanted else None
    certain = most if entrants <= MEET_ALL_ENTRANTS else min(most, ceil(entrants / 2))
    values = {"wanted": wanted, "count": entrants, "most": most, "certain": certain}
    if wanted > most:
        few = gettext_noop(
            "Without repeat pairings, %(count)s bots can play at most %(most)s of the %(wanted)s planned "
            "rounds; only %(certain)s are guaranteed."
        )
        return message(few, **values)
    unsure = gettext_noop(
        "Without repeat pairings, only %(certain)s of the %(wanted)s planned Swiss rounds are guaranteed "
        "with %(count)s bots; the rest may not be played."
    )
    return message(unsure, **values) if wanted > certain else None


def count_expected_entrants(there: int, settings: Settings, max_entrants: int) -> int:
    """Return the number of entrants to reckon with before the start: as many as may enter while there are too few."""
    return there if there >= settings.min_entrants else max_entrants


# Check the plan of a new tournament: the form, the API and the command line refuse the same plans.


def check_plan(settings: Settings, rules: Game, max_entrants: int) -> None:
    """Raise InvalidSettings for a plan that can't work with at most this number of entrants."""
    find_format(settings.format)
    settings.check()
    _check_seats(settings, rules)
    _check_series(settings, rules)
    _check_entrants(settings, max_entrants)
    _check_best_of(settings)
    _check_third_place(settings, max_entrants)


def _check_seats(settings: Settings, rules: Game) -> None:
    """Raise InvalidSettings if the game or the format has no tables of this size."""
    if settings.seats not in rules.seats:
        template = gettext_noop("%(title)s doesn't have tables with %(seats)s seats. Choose one of: %(allowed)s.")
        allowed = ", ".join(map(str, rules.seats))
        raise InvalidSettings(message(template, title=rules.title, seats=settings.seats, allowed=allowed), "seats")
    if settings.format != "tables" and settings.seats != 2:
        template = gettext_noop("Only the Tables format can seat more than two.")
        raise InvalidSettings(message(template), "seats")


def _check_series(settings: Settings, rules: Game) -> None:
    """Raise InvalidSettings if the game has no series."""
    if settings.series is None:
        return
    try:
        check_series(rules, settings.seats)
    except BadSeries as error:
        raise InvalidSettings(error.message, "series") from error


def _check_entrants(settings: Settings, max_entrants: int) -> None:
    """Raise InvalidSettings if more would have to advance than may take part."""
    if settings.knockout_entrants is None or settings.min_entrants <= max_entrants:
        return
    if settings.format == "groups":
        template = gettext_noop(
            "%(groups)s groups with %(advance)s advancing from each need at least %(least)s bots, but at "
            "most %(most)s can take part."
        )
        values = {"groups": settings.groups, "advance": settings.advance_per_group}
        values |= {"least": settings.min_entrants, "most": max_entrants}
        raise InvalidSettings(message(template, **values), "advance_per_group")
    template = gettext_noop("%(size)s bots can't advance to the knockout if at most %(most)s can take part.")
    raise InvalidSettings(message(template, size=settings.min_entrants, most=max_entrants), "knockout_size")


def _check_best_of(settings: Settings) -> None:
    """Raise InvalidSettings if the pairings of a knockout could end even."""
    if find_format(settings.format).is_bracket and settings.matches_per_pairing % 2 == 0:
        template = gettext_noop(
            "In a knockout, a pairing needs an odd number of matches (1, 3, 5 and so on), not %(count)s."
        )
        raise InvalidSettings(message(template, count=settings.matches_per_pairing), "matches_per_pairing")


def _check_third_place(settings: Settings, max_entrants: int) -> None:
    """Raise InvalidSettings if a match for third place is wanted, and the knockout has no two semi-finals."""
    if not settings.third_place_match or "third_place_match" not in find_format(settings.format).uses:
        return
    size = settings.knockout_entrants or max_entrants
    if size < MIN_ENTRANTS_FOR_THIRD_PLACE:
        template = gettext_noop("A third-place match needs a knockout of at least %(least)s bots, not %(size)s.")
        values = {"least": MIN_ENTRANTS_FOR_THIRD_PLACE, "size": size}
        raise InvalidSettings(message(template, **values), "third_place_match")
