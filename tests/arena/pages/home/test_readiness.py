"""Whether all parts of the arena are there: each of them lost, one after the other."""

import logging
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils.timezone import now
from pytest_django import DjangoAssertNumQueries

from arena.matches.models import WorkerStatus
from arena.operations.health import readiness

MAX_QUERIES = 5
READY = "/ready/"


@pytest.fixture(autouse=True)
def _nothing_was_seen_before() -> None:
    readiness.since.clear()


@pytest.fixture
def worker(db: None) -> WorkerStatus:
    return WorkerStatus.objects.create(worker="one", level="A", sandbox="bubblewrap")


def problems() -> dict[str, dict[str, Any]]:
    answer = Client().get(READY)
    lost = {part: state for part, state in answer.json()["parts"].items() if not state["ok"]}
    assert answer.status_code == (503 if lost else 200)
    assert answer.json()["status"] == ("not ready" if lost else "ok")
    return lost


def test_with_all_parts_it_is_ready(worker: WorkerStatus, django_assert_max_num_queries: DjangoAssertNumQueries):
    with django_assert_max_num_queries(MAX_QUERIES):
        answer = Client().get(READY)
    assert answer.status_code == 200
    parts = ("database", "migrations", "workers", "broker")
    assert answer.json() == {"status": "ok", "parts": {part: {"ok": True} for part in parts}}
    assert "no-cache" in answer["Cache-Control"]


def test_it_is_asked_without_https(worker: WorkerStatus, settings):
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get(READY).status_code == 200


def test_without_a_worker_it_is_not_ready(db: None):
    assert problems().keys() == {"workers"}
    WorkerStatus.objects.create(worker="broken", level="")
    assert problems()["workers"]["reason"] == "No worker with a working sandbox has ever reported."
    WorkerStatus.objects.create(worker="one", level="D")
    assert problems() == {}


def test_a_worker_is_missed_since_its_last_report(worker: WorkerStatus):
    last = now() - timedelta(minutes=6)
    WorkerStatus.objects.update(seen_at=last)
    lost = problems()["workers"]
    assert abs(datetime.fromisoformat(lost["since"]) - last) < timedelta(milliseconds=1)


def test_a_lost_redis_is_told_with_the_time_since_when(worker: WorkerStatus, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1"
    before = now() - timedelta(milliseconds=1)
    first = problems()
    assert first.keys() == {"broker"} and first["broker"]["reason"] == "Redis doesn't answer."
    assert before <= datetime.fromisoformat(first["broker"]["since"]) <= now()
    assert problems() == first
    settings.REDIS_URL = ""
    assert problems() == {}
    settings.REDIS_URL = "redis://127.0.0.1:1"
    assert problems()["broker"]["since"] > first["broker"]["since"]


def test_a_folder_of_messages_that_is_gone_is_told(worker: WorkerStatus, settings, tmp_path: Path):
    settings.BROKER_DIR = tmp_path / "gone"
    assert problems().keys() == {"broker"}


def test_an_unapplied_migration_is_named(worker: WorkerStatus):
    MigrationRecorder(connection).record_unapplied("livegames", "0001_initial")
    lost = problems()
    assert lost.keys() == {"migrations"}
    assert (
        lost["migrations"]["reason"]
        == "Migrations that are not applied: 1, of which the first is livegames.0001_initial."
    )
    MigrationRecorder(connection).record_applied("livegames", "0001_initial")
    assert problems() == {}


def test_without_the_database_the_broker_is_still_looked_at(lost_database: None, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.ERROR):
        lost = problems()
    assert lost.keys() == {"database", "migrations", "workers"}
    assert lost["database"]["reason"] == "The database doesn't answer."
    assert lost["workers"]["reason"] == "Only a database that answers can tell."


def test_without_the_database_the_page_for_people_says_so(lost_database: None, caplog: pytest.LogCaptureFixture):
    page = Client().get("/status/")
    assert "The status page has no figures, as the database failed: " in caplog.text
    assert page.status_code == 200 and "there are no figures" in page.text
