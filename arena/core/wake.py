"""Have somebody go on with a row once the transaction that changed it commits.

Services say what has changed, and the tasks, which stand above them, say what that leads to.
"""

from collections.abc import Callable
from enum import StrEnum

REMOTE_CHANNEL = "pennant-remote"
"""Channel of Redis on which the process that serves remote bots hears that there may be something new."""


class Work(StrEnum):
    """What there may be more to do with after a change."""

    UPLOAD = "upload"
    TOURNAMENT = "tournament"
    COMPARISON = "comparison"
    MATCH = "match"
    MATCH_END = "end of a match"
    LIVE_GAME = "live game"
    REMOTE_LEG = "leg with remote bots"
    HINT = "hint"
    ANALYSIS = "analysis"
    MAIL = "mail"


WAKERS: dict[Work, Callable[[int], None]] = {}
"""What sends the message about a row, by its kind; `arena/operations/tasks.py` binds it in every process."""


def wake(work: Work, pk: int) -> None:
    """Have the row of this key gone on with when the transaction commits; what must be there then is done at once."""
    WAKERS[work](pk)
