"""Show by the time of a file that a worker or the scheduler is at work, so that a health check costs next to nothing.

`manage.py working` asks the database instead, for which it loads the whole site: that takes a second of CPU time.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from celery import bootsteps
from django.conf import settings

LIVENESS_INTERVAL_S = 10.0
WORKER_FILE = "worker.alive"
SCHEDULER_FILE = "scheduler.alive"


class WorkerLiveness(bootsteps.StartStopStep):  # type: ignore[misc]  # Celery has no types
    """Touch WORKER_FILE for as long as the worker's main process receives messages from the broker."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, consumer: Any) -> None:
        """Touch the file at once and from now on. Celery starts its steps again after the broker was away."""
        touch(WORKER_FILE)
        self.timer = consumer.timer.call_repeatedly(LIVENESS_INTERVAL_S, touch, (WORKER_FILE,))

    def stop(self, _: Any) -> None:
        """Touch it no more."""
        self.timer.cancel()


def touch_scheduler_file(**_: object) -> None:
    """Touch SCHEDULER_FILE: the scheduler has sent a message."""
    touch(SCHEDULER_FILE)


def touch(name: str) -> None:
    """Set the time of a file in the data folder to now. Where that fails, health checks say so."""
    path = Path(settings.DATA_DIR, name)
    with suppress(OSError):
        path.touch(mode=0o600)
        os.utime(path)
