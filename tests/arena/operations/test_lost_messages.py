"""A message that can't be sent stops nobody."""

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from celery import Celery
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from arena.celery import DATABASE_RETRY_S, Task
from arena.celery import app as arena

ROOT = Path(__file__).parents[3]
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


def test_a_broker_that_says_nothing_is_lost_too(tmp_path: Path) -> None:
    code = "import django; django.setup(); from arena.operations.tasks import sweep; assert sweep.delay() is None"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ours = {"REDIS_URL": f"redis://127.0.0.1:{silent.getsockname()[1]}/0", "PENNANT_DATA": str(tmp_path)}
        env = os.environ | ours | {"DJANGO_SETTINGS_MODULE": "arena.settings"}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=env, timeout=60, capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr
    assert "arena.tasks.sweep could not be sent" in done.stderr


@pytest.fixture
def lost_database(monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any) -> Iterator[None]:
    """A connection to a server that isn't there, as the one that everybody uses."""
    settings_of_lost = connections["default"].settings_dict | {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": "127.0.0.1",
        "PORT": "1",
        "NAME": "lost",
        "OPTIONS": {},
    }
    monkeypatch.setattr(connections._connections, "default", DatabaseWrapper(settings_of_lost, "default"))
    with django_db_blocker.unblock():
        yield


def test_without_the_database_a_worker_rests_and_says_so_in_one_line(
    lost_database: None, caplog: pytest.LogCaptureFixture
) -> None:
    started = monotonic()
    with caplog.at_level(logging.WARNING):
        arena.tasks["arena.tasks.settle_match"](1)
    assert DATABASE_RETRY_S <= monotonic() - started < DATABASE_RETRY_S + 5
    (record,) = caplog.records
    assert "arena.tasks.settle_match stopped" in record.message and "\n" not in record.message
