"""The scheduler goes on whatever happens to the clock of its machine."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from celery.beat import ScheduleEntry

from arena.celery import app
from arena.core.database import MAX_CLOCK_DIFFERENCE
from tests.chaos.clocks import Clocks, NoClocks

ENTRIES = {
    name: ScheduleEntry(name, app=app, **fields)  # type: ignore[no-untyped-call]
    for name, fields in app.conf.beat_schedule.items()
}
ROOT = Path(__file__).parents[3]
IS_DUE = """
from time import time
from celery.beat import ScheduleEntry
from arena.celery import app

entries = [ScheduleEntry(name, app=app, **fields) for name, fields in app.conf.beat_schedule.items()]
before = {entry.name: entry.is_due().next for entry in entries}
began = time()
print("set the clock", flush=True)
input()
assert time() < began - 3000
for entry in entries:
    assert entry.is_due().next <= before[entry.name] + 1, entry
    assert entry.next().last_run_at >= entry.last_run_at, entry
"""


@pytest.mark.parametrize("name", ["clean_up", "watch_ladders"])
def test_a_daily_task_runs_at_the_start_and_then_at_its_hour(name: str) -> None:
    at_start = ENTRIES[name]
    assert at_start.is_due().is_due
    afterwards = at_start.next()
    assert not afterwards.is_due().is_due
    assert timedelta(0) < afterwards.schedule.remaining_estimate(afterwards.last_run_at) <= timedelta(days=1)


def test_no_message_expires_because_two_clocks_differ() -> None:
    expiries = [entry.options["expires"] for entry in ENTRIES.values() if "expires" in entry.options]
    assert len(expiries) == 3 and min(expiries) > MAX_CLOCK_DIFFERENCE.total_seconds()


def test_a_clock_that_is_set_back_delays_no_periodic_task(tmp_path: Path) -> None:
    try:
        clocks = Clocks(tmp_path)
    except NoClocks as missing:
        pytest.skip(str(missing))
    env = (
        os.environ
        | clocks.add("scheduler")
        | {"DJANGO_SETTINGS_MODULE": "arena.settings", "PENNANT_DATA": str(tmp_path)}
    )
    process = subprocess.Popen(
        [sys.executable, "-c", IS_DUE], cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "set the clock\n"
        clocks.set("scheduler", -3600)
        process.communicate("\n")
    assert process.returncode == 0
