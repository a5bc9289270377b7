"""Let one worker at a time fit a ladder, and free a ladder soon whose worker was killed.

Times are those of the database, since the clocks of workers may differ.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.db.models.functions import Now

from arena.ladders.models import Ladder, LadderQuerySet
from arena.times import is_past

FIT_LOCK_TIMEOUT = timedelta(seconds=60)
"""A fit that hasn't renewed its lock for so long was abandoned. It renews it between its steps: of 10,000 bots the
longest took 15 s while eleven processes shared two cores."""


@dataclass(slots=True)
class FitLock:
    """The right to fit a ladder, until it is released, or isn't renewed for FIT_LOCK_TIMEOUT."""

    ladder_id: int
    held_at: datetime
    """When it was acquired or renewed, as stored in `Ladder.fitting_at`: another fit stores another time."""

    def renew(self) -> bool:
        """Hold the lock from now on. Return False where another fit has taken over."""
        at = _fetch_time(self.ladder_id)
        if _held(self.ladder_id, self.held_at).update(fitting_at=at) != 1:
            return False
        self.held_at = at
        return True

    def release(self) -> None:
        """Let another fit begin, unless one has taken over."""
        _held(self.ladder_id, self.held_at).update(fitting_at=None)


def acquire_fit_lock(ladder: Ladder) -> FitLock | None:
    """Return the lock of a ladder, or None while a fit holds it."""
    at = _fetch_time(ladder.pk)
    is_free = Q(fitting_at=None) | is_past("fitting_at", FIT_LOCK_TIMEOUT, at)
    if Ladder.objects.filter(is_free, pk=ladder.pk).update(fitting_at=at) != 1:
        return None
    return FitLock(ladder.pk, at)


def _held(ladder_id: int, held_at: datetime) -> LadderQuerySet:
    return Ladder.objects.filter(pk=ladder_id, fitting_at=held_at)


def _fetch_time(ladder_id: int) -> datetime:
    time: datetime = Ladder.objects.annotate(at=Now()).values_list("at", flat=True).get(pk=ladder_id)
    return time
