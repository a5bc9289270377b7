"""The formats of tournaments: the one list."""

from arena.tournaments.formats.base import Format
from arena.tournaments.formats.double_elimination import DoubleElimination
from arena.tournaments.formats.groups import Groups
from arena.tournaments.formats.round_robin import DoubleRoundRobin, RoundRobin
from arena.tournaments.formats.single_elimination import SingleElimination
from arena.tournaments.formats.swiss import Swiss
from arena.tournaments.formats.swiss_knockout import SwissKnockout
from arena.tournaments.formats.tables import Tables
from arena.tournaments.settings import InvalidSettings
from engine.message import gettext_noop, message

FORMATS: dict[str, Format] = {
    format.key: format
    for format in (
        Swiss(),
        RoundRobin(),
        DoubleRoundRobin(),
        SingleElimination(),
        DoubleElimination(),
        Groups(),
        SwissKnockout(),
        Tables(),
    )
}


def find_format(key: str) -> Format:
    """Return a format by its key. Raise InvalidSettings."""
    if key not in FORMATS:
        template = gettext_noop("There is no format called %(name)s. There are: %(names)s.")
        raise InvalidSettings(message(template, name=key, names=", ".join(FORMATS)))
    return FORMATS[key]
