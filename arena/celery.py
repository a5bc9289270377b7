import ctypes
import os
import signal

from billiard.process import current_process
from celery import Celery
from celery.signals import setup_logging, worker_process_init
from django.conf import settings

from arena.runner.match import pin

PR_SET_PDEATHSIG = 1

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
app = Celery("arena")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["arena"])


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """Django's settings have set logging up already; somebody must say so, or Celery does it again."""


@worker_process_init.connect
def begin_worker_process(**_: object) -> None:
    """A process that plays matches ends with the worker that started it, and keeps to one core with its bots."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if settings.PIN_CORES:
        pin(current_process().index)
