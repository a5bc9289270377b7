"""The standings as rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from arena.pages.appearance import ENTRANT_STATES, Appearance
from arena.pages.tournaments.forecast import Chance, read_forecast
from arena.pages.tournaments.words import format_points, list_tie_breaks, render_reason
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


def build_table(overview: Overview, max_rows: int | None = None, faults: Sequence[TournamentFault] = ()) -> Table:
    """Return the first `max_rows` of the standings, or all, with the numbers of faults."""
    columns = [] if overview.is_knockout else list_tie_breaks()
    chances = read_forecast(overview.tournament)
    keys = [key for key, *_rest in columns]
    counts = Counter(fault.entrant for fault in faults)
    rows = [
        replace(build_row(overview, standing, keys, chances), faults=counts[standing.number])
        for standing in overview.standings[:max_rows]
    ]
    has_byes = any(standing.byes for standing in overview.standings)
    return Table(rows, columns, bool(chances), bool(faults), has_byes, len(overview.standings) - len(rows))


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
    )


def describe_leaving(entrant: Entrant) -> str:
    """Return the round in which an entrant left, and the reason."""
    reason = render_reason(entrant.state_reason)
    if not entrant.left_in_round:
        return reason
    since = _("Out from round %(number)d on.") % {"number": entrant.left_in_round}
    return f"{since} {reason}".strip()
