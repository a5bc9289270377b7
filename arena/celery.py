"""Celery's app, and what its worker processes do at start and end."""

import ctypes
import logging
import os
import signal
from typing import Any

from billiard.process import current_process
from celery import Celery
from celery.contrib.django.task import DjangoTask
from celery.signals import setup_logging, worker_init, worker_process_init, worker_process_shutdown
from django.conf import settings
from kombu.exceptions import OperationalError

from arena.matches.runner_process import runner_process
from arena.runner.match import pin_to_core

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
logger = logging.getLogger(__name__)


class Task(DjangoTask):  # type: ignore[misc]  # Celery has no types
    """A task whose message may fail to be sent: what waits is in the database, and `sweep` takes it up later."""

    def apply_async(self, *args: Any, **kwargs: Any) -> Any:
        """Send the message of the task, or log that this failed: the request or task that sends it goes on."""
        try:
            return super().apply_async(*args, **kwargs)
        except (OperationalError, OSError) as error:
            logger.warning("A message for %s could not be sent, so its work starts later: %s", self.name, error)
            return None


app = Celery("arena", task_cls=Task)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["arena"])


@setup_logging.connect
def keep_django_logging(**_: object) -> None:
    """Keep the logging that Django's settings have set up; without a receiver Celery would replace it."""


@worker_init.connect
def forbid_memory_reading(**_: object) -> None:
    """Keep other processes of the same user from reading this one's memory and environment."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)


@worker_process_init.connect
def set_up_worker_process(**_: object) -> None:
    """End this process with the worker that started it, keep it on one core, and start its runner process."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if settings.PIN_CORES:
        pin_to_core(current_process().index)
    runner_process.start()


@worker_process_shutdown.connect
def end_runner_process(**_: object) -> None:
    """End the runner process."""
    runner_process.close()
