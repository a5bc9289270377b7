"""Live through an attempt of a worker, at a match or at a bot's decision in a live game: from claim to end.

The work is in the database and a message is only a hint. What is tried has at most one open attempt, and nobody ends
that without its token, so a result is stored once. A worker that stops or a failure of the arena ends an attempt, never
what is tried, unless that goes on for RETRY_PERIOD; it is no bot's loss.

Analyses, hints and builds are claimed in rows of their own, without attempts: they use `list_lost`, `beat_every` and
`carry_out` alone.
"""

import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Any, Generic, TypeVar

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Model, QuerySet
from django.db.models.functions import Now
from django.utils.timezone import now

from arena.core.database import is_past
from arena.core.errors import first_line
from arena.matches import workers
from arena.matches.livegames.models import LiveAttempt
from arena.matches.models import Attempt
from engine.message import Message, gettext_noop, literal, message

RETRY_PERIOD = timedelta(hours=1)
"""Time for which failed attempts are repeated. Only then does a match end without a result."""
RETRY_PAUSES_S = (5, 15, 45, 120, 300, 600)
"""Seconds between one failed attempt and the next; the last pause is repeated."""
MIN_ATTEMPTS = 4
"""What is tried is tried this often at least, even if the hour passed between two attempts."""
FREE_LOSSES = 3
"""Number of attempts that are repeated at once when their worker stops: a restart says nothing about the next one."""
logger = logging.getLogger(__name__)
A = TypeVar("A", Attempt, LiveAttempt)
Row = TypeVar("Row", bound=Model)


class AttemptLost(Exception):
    """The match, or the decision in a live game, was given to another worker: what this attempt still does is lost."""


@dataclass(frozen=True, slots=True)
class Attempts(Generic[A]):
    """The life cycle of one kind of attempts. Each change is a conditional update, so that only one of two succeeds."""

    model: type[A]
    work: tuple[str, ...]
    """The fields that say what is tried."""
    heartbeat_timeout: timedelta
    give_back: Callable[[A, timedelta | None], None]
    """Have what was tried wait again for this pause; with None end it without a result."""
    cleared: Mapping[str, None] = field(default_factory=dict)
    """What is not kept of an attempt that has ended."""
    goes_on: Callable[[A], bool] = lambda _: False
    """Whether the next attempt goes on where this one was lost, so that no loss is a reason to wait or to give up."""

    def begin(self, *, worker: str, **work: Any) -> A:
        """Open an attempt. Raises IntegrityError where there is an open one."""
        return self.model.objects.create(worker=worker, token=secrets.token_hex(16), heartbeat_at=Now(), **work)

    def beat(self, attempt: A, **changes: Any) -> None:
        """Record that an attempt goes on. Raises AttemptLost."""
        if self._held(attempt).update(heartbeat_at=Now(), **changes) != 1:
            raise AttemptLost(f"{attempt} was taken from {attempt.worker}")

    def end_stored(self, attempt: A) -> None:
        """End an attempt in the transaction that stores its result. Raises AttemptLost."""
        if not self._end(attempt, Attempt.Ending.STORED):
            raise AttemptLost(f"{attempt} was taken from {attempt.worker}")

    @transaction.atomic
    def end_without_result(self, attempt: A, ending: str, error: Message) -> bool:
        """End an attempt that failed or was lost, and give back what it tried. Return False where it had ended."""
        if not self._end(attempt, ending, error):
            return False
        tried = {name: getattr(attempt, name) for name in self.work}
        if ending == Attempt.Ending.LOST and self.goes_on(attempt):
            self.give_back(attempt, timedelta(0))
            return True
        ended = self.model.objects.filter(**tried, ended_at__isnull=False).order_by("pk")
        self.give_back(attempt, find_retry_pause(list(ended.values_list("ending", "ended_at"))))
        return True

    def end_lost(self) -> list[A]:
        """End the attempts whose workers are gone or silent, and return them."""
        held = self.model.objects.open().defer(*self.cleared)
        error = message(gettext_noop("The worker stopped."))
        lost = list_lost(held, self.heartbeat_timeout)
        return [attempt for attempt in lost if self.end_without_result(attempt, Attempt.Ending.LOST, error)]

    def _held(self, attempt: A) -> QuerySet[A]:
        return self.model.objects.open().filter(pk=attempt.pk, token=attempt.token)

    def _end(self, attempt: A, ending: str, error: Message | None = None) -> bool:
        return self._held(attempt).update(ended_at=now(), ending=ending, error=error, **self.cleared) == 1


def list_lost(held: QuerySet[Row], timeout: timedelta) -> Iterator[Row]:
    """Yield those of the rows that workers hold whose workers are gone, or silent for longer than that.

    Heartbeats are told by the clock of the database, since workers' own may differ.
    """
    silent = set(held.filter(is_past("heartbeat_at", timeout, Now())).values_list("pk", flat=True))
    return (row for row in held if row.pk in silent or workers.is_gone(getattr(row, "worker")))  # noqa: B009


def find_retry_pause(ended: Sequence[tuple[str, datetime | None]]) -> timedelta | None:
    """Return how long to wait before the next attempt, given the ending and the end of all earlier ones.

    None where RETRY_PERIOD has passed since the first of them.
    """
    first, last = ended[0][1], ended[-1][1]
    assert first is not None and last is not None, "only attempts that have ended"
    if len(ended) >= MIN_ATTEMPTS and last - first >= RETRY_PERIOD:
        return None
    endings = [ending for ending, _ in ended]
    if endings[-1] == Attempt.Ending.LOST and endings.count(Attempt.Ending.LOST) <= FREE_LOSSES:
        return timedelta(0)
    return timedelta(seconds=RETRY_PAUSES_S[min(len(endings), len(RETRY_PAUSES_S)) - 1])


def beat_every(seconds: float, beat: Callable[[], None]) -> Callable[[object], None]:
    """Return the function that is called while the work goes on, and calls `beat` when so much time has passed."""
    due = monotonic() + seconds

    def beat_when_due(_: object) -> None:
        nonlocal due
        if monotonic() >= due:
            beat()
            due = monotonic() + seconds

    return beat_when_due


def carry_out(held: Model, work: Callable[[], None], fail: Callable[[Message], object]) -> bool:
    """Do the work that a worker holds, and return whether what comes of it is stored."""
    try:
        work()
    except AttemptLost as lost:
        logger.warning("%s", lost)
        return False
    except (InterfaceError, OperationalError) as error:
        # The attempt stays open and is counted as lost once its heartbeats are missed.
        logger.warning("%s is lost with the database: %s", held, first_line(error))
        return False
    except Exception as error:  # whatever it was, no bot can cause it, so it is ours
        logger.exception("%s failed", held)
        fail(literal(f"{type(error).__name__}: {error}"))
        return False
    return True
