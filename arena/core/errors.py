"""Errors caused by what a person asked for. Pages, API and command line catch `ArenaError` in one place each."""

from collections.abc import Sequence
from typing import Any

from engine.message import Message, MessageError, gettext_noop, message

# Errors caused by what a person asked for. Pages, API and command line catch `ArenaError` in one place each.


class ArenaError(MessageError):
    """Something a person asked for can't be done, and the message tells why."""

    status = 400

    def __init__(self, message: Message, *, retry_after: float | None = None, fields: Sequence[str] = ()) -> None:
        """Keep the message.

        `retry_after` is the number of seconds after which another try may work, where known; `fields` are the names of
        what was sent that is to blame, with dots for those inside of others.
        """
        super().__init__(message)
        self.retry_after = retry_after
        self.fields = fields


class NotYours(ArenaError):
    """Only the owner may do this."""

    status = 403


class Conflict(ArenaError):
    """The request contradicts what is stored already."""

    status = 409


class GameNotInstalled(ArenaError):
    """The package of the game isn't there now."""

    status = 404


def describe_missing_game(key: str) -> Message:
    """Return the sentence for a game whose rows are there and whose package is not."""
    template = gettext_noop("The game %(game)s isn't installed on this arena. Its bots, matches and ladders are kept.")
    return message(template, game=key)


def build_error(code: str, message: str, fields: dict[str, list[str]] | None = None) -> dict[str, Any]:
    """Return the JSON of an error, in the one shape that programs get."""
    return {"error": {"code": code, "message": message, **({"fields": fields} if fields else {})}}


def first_line(error: Exception) -> str:
    """Return the first line of an error's text: databases add hints."""
    return str(error).partition("\n")[0]
