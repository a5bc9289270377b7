"""The formats of tournaments: the one list."""

from arena.tournaments.formats.base import Format
from arena.tournaments.formats.double_elimination import DoubleElimination
from arena.tournaments.formats.groups import Groups
from arena.tournaments.formats.round_robin import DoubleRoundRobin, RoundRobin
from arena.tournaments.formats.single_elimination import SingleElimination
from arena.tournaments.formats.swiss import Swiss
from arena.tournaments.formats.tables import Tables
from arena.tournaments.terms import BadTerms

FORMATS: dict[str, Format] = {
    format.key: format
    for format in (
        Swiss(),
        RoundRobin(),
        DoubleRoundRobin(),
        SingleElimination(),
        DoubleElimination(),
        Groups(),
        Tables(),
    )
}


def find_format(key: str) -> Format:
    """Raises BadTerms."""
    if key not in FORMATS:
        raise BadTerms(f"There is no format {key!r}; there are: {', '.join(FORMATS)}.")
    return FORMATS[key]
