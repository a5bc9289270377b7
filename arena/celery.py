import ctypes
import os
import signal

from billiard.process import current_process
from celery import Celery
from celery.signals import setup_logging, worker_init, worker_process_init, worker_process_shutdown
from django.conf import settings

from arena.matches.runner_process import runner_process
from arena.runner.match import pin

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
app = Celery("arena")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["arena"])


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """Django's settings have set logging up already; somebody must say so, or Celery does it again."""


@worker_init.connect
def begin_worker(**_: object) -> None:
    """No process of the same user may look for this one's secrets in its memory or its environment."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)


@worker_process_init.connect
def begin_worker_process(**_: object) -> None:
    """A process that has matches played ends with the worker that started it, and keeps to one core with its player."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if settings.PIN_CORES:
        pin(current_process().index)
    runner_process.begin()


@worker_process_shutdown.connect
def end_worker_process(**_: object) -> None:
    runner_process.close()
