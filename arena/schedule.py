"""Times of the scheduler's periodic tasks.

They are told by a clock that only goes forward: by the machine's, the scheduler would send nothing for an hour after it
was set back by an hour.
"""

from datetime import UTC, datetime, timedelta
from time import monotonic

from celery.schedules import crontab, schedule

STARTED_AT = datetime.now(UTC)
STARTED_S = monotonic()
NOT_YET = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of the last run of a daily task that runs when the scheduler starts, too: an arena may be off at its hour."""


def steady_now() -> datetime:
    """Return the time at the start of this process, and what has passed since then."""
    return STARTED_AT + timedelta(seconds=monotonic() - STARTED_S)


def every(seconds: float) -> schedule:
    """Return the schedule of a task that runs at this interval."""
    return schedule(timedelta(seconds=seconds), nowfun=steady_now)


def daily(hour: int) -> crontab:
    """Return the schedule of a task that runs every day at this hour."""
    return crontab(hour=str(hour), minute="0", nowfun=steady_now)
