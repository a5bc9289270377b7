"""The standings as rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from arena.pages.appearance import ENTRANT_STATES, Appearance
from arena.pages.tournaments.forecast import Chance, read_forecast
from arena.pages.tournaments.phase_words import name_phase, name_reached
from arena.pages.tournaments.words import format_points, list_tie_breaks, render_reason
from arena.tournaments.formats.bracket import is_bout_name
from arena.tournaments.models import Entrant
from arena.tournaments.queries.faults import TournamentFault
from arena.tournaments.queries.overview import Overview
from arena.tournaments.standings import Standing

ROWS_SHOWN = 64
"""The number of rows that the page of a tournament shows at first, because rows take most of its time."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant in the standings."""

    standing: Standing
    entrant: Entrant
    score: str
    is_ranked: bool
    """Whether its place is known: after the first result."""
    tie_breaks: list[str]
    """The values in the order of the columns."""
    chip: Appearance | None
    """The state of an entrant that has left; None for others."""
    leaving: str
    """The reason and the round in which it left; empty for others."""
    chance: Chance | None
    faults: int = 0
    """The number of its legs that ended with a fault."""
    reached: str = ""
    """The round of the knockout that it reached, or the phase before it; empty in a tournament of one phase."""
    given: int = 0
    """The number of its pairings that an organiser decided."""


@dataclass(frozen=True, slots=True)
class Table:
    """The standings, or their first rows."""

    rows: list[Row]
    columns: list[tuple[str, str, str]]
    """The tie-breaks: key, title and explanation."""
    has_chances: bool
    has_faults: bool
    has_byes: bool
    hidden: int
    """The number of rows left out."""
    has_scores: bool = True
    """Whether there is a column of scores, and of the tie-breaks in `columns`."""
    has_reached: bool = False
    advancing: int = 0
    """The number of places that advance to a knockout; 0 once it is drawn and where groups come before it."""
    title: str = ""
    """The name of the phase whose standings these are; empty for those of the whole tournament."""


def build_table(overview: Overview, max_rows: int | None = None, faults: Sequence[TournamentFault] = ()) -> Table:
    """Return the first `max_rows` of the standings, or all, with the numbers of faults.

    Once a knockout follows on a Swiss, they say how far each came; the scores are in the table of the Swiss.
    """
    has_reached = overview.has_phases and bool(overview.phases[1].tables)
    has_scores = not (has_reached and has_phase_table(overview))
    columns = [] if overview.is_knockout or not has_scores else list_tie_breaks()
    if has_reached:  # the wins are those of both phases then, and decide nothing
        columns = [column for column in columns if column[0] != "wins"]
    chances = read_forecast(overview.tournament)
    keys = [key for key, *_rest in columns]
    counts = Counter(fault.entrant for fault in faults)
    rows = [
        replace(
            build_row(overview, standing, keys, chances),
            faults=counts[standing.number],
            reached=name_reached(overview, standing) if has_reached else "",
        )
        for standing in overview.standings[:max_rows]
    ]
    return Table(
        rows,
        columns,
        has_chances=bool(chances),
        has_faults=bool(faults),
        has_byes=any(standing.byes for standing in overview.standings),
        hidden=len(overview.standings) - len(rows),
        has_scores=has_scores,
        has_reached=has_reached,
        advancing=overview.settings.knockout_size if is_before_knockout(overview) else 0,
    )


def is_before_knockout(overview: Overview) -> bool:
    """Return whether the Swiss before a knockout is being played."""
    if not has_phase_table(overview) or overview.tournament.is_over:
        return False
    boards = overview.boards.get(overview.current_round.pk, []) if overview.current_round else []
    return not any(is_bout_name(board.name) for board in boards)


def has_phase_table(overview: Overview) -> bool:
    """Return whether the first of two phases has one table for all; groups have crosstables."""
    return overview.has_phases and [table.name for table in overview.phases[0].tables] == [""]


def build_phase_table(overview: Overview, max_rows: int | None = None) -> Table | None:
    """Return the standings of the Swiss before a knockout; None where those of the tournament say the same."""
    if not has_phase_table(overview) or not overview.phases[1].tables:
        return None
    columns = list_tie_breaks()
    standings = overview.phases[0].tables[0].standings
    rows = [build_row(overview, standing, [key for key, *_rest in columns], {}) for standing in standings[:max_rows]]
    return Table(
        rows,
        columns,
        has_chances=False,
        has_faults=False,
        has_byes=any(standing.byes for standing in standings),
        hidden=len(standings) - len(rows),
        title=name_phase(overview.phases[0]),
    )


def build_row(overview: Overview, standing: Standing, keys: list[str], chances: dict[int, Chance]) -> Row:
    """Return the row of an entrant, with the tie-breaks of these keys."""
    entrant = overview.by_number[standing.number]
    return Row(
        standing=standing,
        entrant=entrant,
        score=format_points(standing.score),
        is_ranked=bool(overview.results) and bool(standing.place),
        tie_breaks=[format_points(getattr(standing, key)) for key in keys],
        chip=ENTRANT_STATES[Entrant.State(entrant.state)] if entrant.is_out else None,
        leaving=describe_leaving(entrant) if entrant.is_out else "",
        chance=None if entrant.is_out else chances.get(standing.number),
        given=overview.given_counts[standing.number],
    )


def describe_leaving(entrant: Entrant) -> str:
    """Return the round in which an entrant left, and the reason."""
    reason = render_reason(entrant.state_reason)
    if not entrant.left_in_round:
        return reason
    since = _("Out from round %(number)d on.") % {"number": entrant.left_in_round}
    return f"{since} {reason}".strip()
