"""Errors of live games, each with a sentence for the person who plays."""

from arena.errors import ArenaError, Conflict


class CannotStart(ArenaError):
    """The game can't be started with these seats; the message says why."""


class TooManyGames(ArenaError):
    """The person or the address has as many live games as are allowed."""

    status = 429


class TooManyDecisions(ArenaError):
    """There were too many decisions in this game within a minute."""

    status = 429


class GuestsMayNotPlay(ArenaError):
    """The arena lets only people with an account play."""

    status = 403


class NotSeated(ArenaError):
    """The person has no seat in this game."""

    status = 403


class LinkUsed(ArenaError):
    """The link to a seat is unknown, or somebody has used it."""

    status = 404


class StaleTable(Conflict):
    """The game has gone on since the page was made."""


class GameOver(Conflict):
    """The game is over."""


class NotYourTurn(Conflict):
    """Another seat is to decide."""


class ForbiddenAction(ArenaError):
    """The rules forbid the action, or it can't be read; the message says why."""

    status = 422


class NoHint(ArenaError):
    """There are no hints in this game; the message says why."""

    status = 403


class TooManyHints(ArenaError):
    """As many hints as are allowed were asked for in this game, or from this address."""

    status = 429
