"""One family of errors for whatever a person may do wrong. Doors catch `ArenaError` in one place each."""


class ArenaError(Exception):
    """The message is a ready sentence for the person who caused it."""

    status = 400

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        """`retry_after`: seconds after which it may work, where that is known."""
        super().__init__(message)
        self.retry_after = retry_after


class NotYours(ArenaError):
    """Something only its owner may do."""

    status = 403


class Conflict(ArenaError):
    """What is asked for doesn't go together with what is there already."""

    status = 409
