"""Why an analysis is refused."""

from arena.errors import ArenaError


class NotAnalysable(ArenaError):
    """The leg can't be analysed, or not yet; the message tells why."""

    status = 409


class NotPlayed(ArenaError):
    """Only who played a live game may have it analysed."""

    status = 403


class AnalysisClosed(ArenaError):
    """This arena makes no analyses at present."""

    status = 403
