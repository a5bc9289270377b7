"""A worker and the scheduler touch a file while they are at work."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from arena.celery import SCHEDULER_FILE, WORKER_FILE, touch

ROOT = Path(__file__).resolve().parents[3]
CELERY = [sys.executable, "-m", "celery", "--app", "arena.celery"]
WORKER = [*CELERY, "worker", "--queues", "deliveries", "--pool", "threads", "--concurrency", "1", "--without-heartbeat"]
SCHEDULER = [*CELERY, "beat", "--scheduler", "celery.beat:Scheduler", "--pidfile="]
START_TIMEOUT_S = 60.0


@contextmanager
def running(command: list[str], data: Path) -> Iterator[None]:
    (data / "broker").mkdir(parents=True)
    data.chmod(0o700)
    environment = {**os.environ, "PENNANT_DATA": str(data), "DJANGO_SETTINGS_MODULE": "arena.settings", "REDIS_URL": ""}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("command", "name"), [(WORKER, WORKER_FILE), (SCHEDULER, SCHEDULER_FILE)], ids=["worker", "scheduler"]
)
def test_who_is_at_work_touches_its_file_and_no_other(command: list[str], name: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(command, data):
        deadline = monotonic() + START_TIMEOUT_S
        while not (data / name).exists():
            assert monotonic() < deadline
            sleep(0.05)
    assert (data / name).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in data.glob("*.alive")] == [name]


def test_a_file_that_can_not_be_touched_stops_nobody(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "missing"
    touch(WORKER_FILE)
    assert not settings.DATA_DIR.exists()
