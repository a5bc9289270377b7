"""Send the messages of the periodic tasks from the process of `up`, which needs no scheduler beside it."""

from time import monotonic

from celery.beat import Scheduler

from arena.celery import app


class _UnboundScheduler(Scheduler):  # type: ignore[misc]  # Celery has no types
    """A scheduler that keeps no connection: each message takes one from the pool, and a lost one is logged."""

    producer = None


class PeriodicTasks:
    """The schedule of the settings, looked at by calling `send_due` often."""

    def __init__(self) -> None:
        self._scheduler = _UnboundScheduler(app=app)
        self._next_at = 0.0

    def send_due(self) -> None:
        """Send the messages that are due."""
        while monotonic() >= self._next_at:
            self._next_at = monotonic() + self._scheduler.tick()
