"""The formats of tournaments: the one list."""

from arena.contests.tournaments.formats.base import Format
from arena.contests.tournaments.formats.brackets import DoubleElimination, SingleElimination
from arena.contests.tournaments.formats.round_robin import DoubleRoundRobin, Groups, RoundRobin, Tables
from arena.contests.tournaments.formats.swiss import Swiss, SwissKnockout
from arena.contests.tournaments.settings import InvalidSettings
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
        template = gettext_noop("No format called %(name)s. Choose one of: %(names)s.")
        raise InvalidSettings(message(template, name=key, names=", ".join(FORMATS)))
    return FORMATS[key]
