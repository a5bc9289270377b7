"""A message that can't be sent stops nobody."""

import logging
from time import monotonic

import pytest
from celery import Celery

from arena.celery import Task
from arena.celery import app as arena

NOBODY_LISTENS = "redis://127.0.0.1:1/0"


def test_all_tasks_of_the_arena_may_lose_their_messages() -> None:
    arena.loader.import_default_modules()
    own = [task for name, task in arena.tasks.items() if name.startswith("arena.")]
    assert len(own) > 10 and all(isinstance(task, Task) for task in own)


def test_without_a_broker_a_task_is_left_for_later_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    app = Celery("lost", broker=NOBODY_LISTENS, task_cls=Task, set_as_current=False)
    app.conf.task_publish_retry_policy = {"max_retries": 1, "interval_start": 0.1}

    @app.task(name="lost.work")
    def work() -> None:
        raise AssertionError("it is never run here")

    started = monotonic()
    with caplog.at_level(logging.WARNING):
        assert work.delay() is None
        assert work.apply_async(countdown=1) is None
    assert monotonic() - started < 5
    assert [record.name for record in caplog.records] == ["arena.celery"] * 2
    assert "lost.work could not be sent" in caplog.text
