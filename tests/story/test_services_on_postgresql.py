"""What the site's services promise holds on PostgreSQL too, where transactions overlap and locks are by row."""

import os
import subprocess
import sys

import pytest

from tests.story.installation import ROOT

FOLDERS = [
    "tests/arena/bots",
    "tests/arena/matches",
    "tests/arena/ladders",
    "tests/arena/pages/home/test_status.py",
    "tests/arena/operations/management/test_prepare_lock.py",
    "tests/arena/operations/test_cleaning_up.py",
    "tests/arena/operations/test_tasks.py",
]


@pytest.mark.full
@pytest.mark.servers
def test_the_services_hold_on_postgresql(servers: tuple[str, str]) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.story.of_database",
        *FOLDERS,
    ]
    env = os.environ | {"DATABASE_URL": f"{servers[0]}/postgres"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1]
