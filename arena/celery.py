"""The Celery app, with the start-up and shutdown of its worker processes."""

import gc
import logging
import os
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import Any

from billiard.process import current_process
from celery import Celery, bootsteps
from celery.contrib.django.task import DjangoTask
from celery.signals import (
    after_task_publish,
    beat_init,
    setup_logging,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
)
from django.conf import settings
from django.db import InterfaceError, close_old_connections, connection
from django.db import OperationalError as DatabaseError
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from arena.core.brokers import find_outage
from arena.core.errors import first_line
from arena.core.logs import log_with
from arena.core.schedule import PERIODIC_TASKS
from arena.matches.runner_process import runner_process
from arena.runner.sandbox.own_process import die_with_parent, forbid_inspection, pin_to_free_core

# Show by the time of a file that a worker or the scheduler is at work, so that a health check costs next to nothing.
#
# `manage.py working` asks the database instead, for which it loads the whole site: that takes a second of CPU time.

LIVENESS_INTERVAL_S = 10.0
WORKER_FILE = "worker.alive"
SCHEDULER_FILE = "scheduler.alive"


QUEUE_CHECK_INTERVAL_S = 2.0
QUEUE_READ_S = 5.0
"""Longest time in which a process that holds the lock reads a waiting message: it takes far less than a millisecond."""


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


class StuckQueue(bootsteps.StartStopStep):  # type: ignore[misc]
    """Free the queue of a worker's child processes where one of them was killed while it waited for a message.

    Where the broker has no events, as in `up` without Redis, the children read one pipe in turn, under a lock. A killed
    child leaves the lock held, and the others would wait for it for good.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, consumer: Any) -> None:
        """Look after the queue from now on."""
        queue = getattr(consumer.pool._pool, "_inqueue", None)
        self.timer = consumer.timer.call_repeatedly(QUEUE_CHECK_INTERVAL_S, free_stuck_queue, (queue,))

    def stop(self, _: Any) -> None:
        """Look no more."""
        self.timer.cancel()


def free_stuck_queue(queue: Any) -> None:
    """Release the lock of a queue in which a message waits although a process holds the lock to read it."""
    lock = getattr(queue, "_rlock", None)
    if lock is None or not queue._reader.poll():
        return
    if not lock.acquire(timeout=QUEUE_READ_S):
        logger.warning("A killed process held the queue of this worker, which is freed.")
    lock.release()


def touch_scheduler_file(**_: object) -> None:
    """Touch SCHEDULER_FILE: the scheduler has sent a message."""
    touch(SCHEDULER_FILE)


def touch(name: str) -> None:
    """Set the time of a file in the data folder to now. Where that fails, health checks say so."""
    path = Path(settings.DATA_DIR, name)
    with suppress(OSError):
        path.touch(mode=0o600)
        os.utime(path)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
logger = logging.getLogger(__name__)


MAX_TASKS_PER_CONNECTION = 1000
"""Number of tasks after which a worker process opens another connection to the database, whatever CONN_MAX_AGE says.

Celery would open one a task, in which PostgreSQL plans a match's 57 statements with cold caches."""
PREPARE_THRESHOLD = 5
"""Number of executions of a statement after which a worker's connection has PostgreSQL prepare it."""
DATABASE_RETRY_S = 2.0
"""Time for which a worker process rests after the database failed: messages wait meanwhile instead of failing, too."""


class Task(DjangoTask):  # type: ignore[misc]  # Celery has no types
    """A task that may fail with the broker or the database: what waits is in the database, and `sweep` takes it up."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task. Where the database fails, log that in one line and rest for DATABASE_RETRY_S."""
        with log_with(task=self.name):
            try:
                return super().__call__(*args, **kwargs)
            except (InterfaceError, DatabaseError) as error:
                logger.warning("%s stopped, and its work is taken up later: %s", self.name, first_line(error))
                sleep(DATABASE_RETRY_S)

    max_waiting: int | None = None
    """Number of messages of this task that may wait at a time. A further one isn't sent: the work is in the database,
    and whichever message comes first leads to it."""

    def apply_async(self, *args: Any, **kwargs: Any) -> Any:
        """Send the message of the task unless enough of them wait.

        Where that fails it is logged, and the request or task that sends the message goes on. While Redis is lost none
        is sent.
        """
        if settings.REDIS_URL and find_outage(settings.REDIS_URL).is_on:
            logger.info("No message for %s is sent: Redis is lost", self.name)
            return None
        try:
            if self.max_waiting is not None and self.count_waiting() >= self.max_waiting:
                return None
            return super().apply_async(*args, **kwargs)
        except (OperationalError, OSError, RedisError) as error:
            logger.warning("A message for %s could not be sent, so its work starts later: %s", self.name, error)
            if settings.REDIS_URL:
                find_outage(settings.REDIS_URL).begin(error)
            return None

    def count_waiting(self) -> int:
        """Return how many messages of this task no worker has taken yet."""
        queue = app.amqp.router.route({}, self.name)["queue"].name
        with app.pool.acquire(block=True) as connection:
            return int(connection.default_channel.list_waiting_tasks(queue).count(self.name))


app = Celery("arena", task_cls=Task)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf["beat_schedule"] = PERIODIC_TASKS  # not a setting, which would have every process load Celery
app.conf["CELERY_DB_REUSE_MAX"] = MAX_TASKS_PER_CONNECTION
app.autodiscover_tasks(["arena.operations"])
app.steps["consumer"].add(WorkerLiveness)
app.steps["consumer"].add(StuckQueue)


@setup_logging.connect
def keep_django_logging(**_: object) -> None:
    """Keep the logging that Django's settings have set up; without a receiver Celery would replace it."""


@worker_init.connect
def prepare_statements(**_: object) -> None:
    """Let PostgreSQL keep the plans of statements that come again, which halves its time for a match.

    Workers alone do: they look rows up by key, while one plan doesn't fit all filters of a page.
    """
    if connection.vendor == "postgresql":
        connection.settings_dict["OPTIONS"] |= {"server_side_binding": True, "prepare_threshold": PREPARE_THRESHOLD}


@worker_init.connect
def forbid_memory_reading(**_: object) -> None:
    """Keep other processes of the same user from reading this one's memory and environment."""
    forbid_inspection()


@worker_init.connect
def share_memory_with_children(**_: object) -> None:
    """Leave what is loaded out of collections of garbage, which would write to it: child processes share it then."""
    gc.collect()
    gc.freeze()


@beat_init.connect
def show_that_scheduler_is_alive(**_: object) -> None:
    """Touch a file at each message that this process, the scheduler, sends."""
    after_task_publish.connect(touch_scheduler_file)


@task_prerun.connect
def close_failed_connections(task: Task, **_: object) -> None:
    """Close a connection to the database that is too old or has failed, as Django does at the start of a request."""
    if not task.request.is_eager:
        close_old_connections()


@worker_process_init.connect
def set_up_worker_process(**_: object) -> None:
    """End this process with the worker that started it, keep it on a core of its own, and start its runner process."""
    die_with_parent()
    index = getattr(current_process(), "index", None)  # None in a worker without child processes
    if settings.PIN_CORES and index is not None:
        pin_to_free_core(index)
    runner_process.start()


@worker_process_shutdown.connect
def end_runner_process(**_: object) -> None:
    """End the runner process."""
    runner_process.close()
