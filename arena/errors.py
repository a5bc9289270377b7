"""Errors caused by what a person asked for. Pages, API and command line catch `ArenaError` in one place each."""

from engine.message import Message, MessageError, literal


class ArenaError(MessageError):
    """Something a person asked for can't be done, and the message tells why."""

    status = 400

    def __init__(self, message: Message | str, *, retry_after: float | None = None) -> None:
        """Keep the message; `retry_after` is the number of seconds after which another try may work, where known."""
        super().__init__(message if isinstance(message, Message) else literal(message))
        self.retry_after = retry_after


class NotYours(ArenaError):
    """Only the owner may do this."""

    status = 403


class Conflict(ArenaError):
    """The request contradicts what is stored already."""

    status = 409
