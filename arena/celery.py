"""Celery's app, and what its worker processes do at start and end."""

import ctypes
import os
import signal

from billiard.process import current_process
from celery import Celery
from celery.signals import setup_logging, worker_init, worker_process_init, worker_process_shutdown
from django.conf import settings

from arena.matches.runner_process import runner_process
from arena.runner.match import pin_to_core

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
app = Celery("arena")
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
