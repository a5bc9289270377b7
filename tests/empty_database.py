"""An empty database with all its tables: it takes eight seconds of a processor, so all tests of a run share one."""

import os
import shutil
import subprocess
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAME = "db.sqlite3"
"""As the site names it in its data folder."""


def make_empty_database(folder: Path) -> Path:
    """Return the database in this folder; the first process that asks makes it, others wait for it."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (folder / NAME).exists():
            making = folder / "making"
            making.mkdir()
            env = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
            env |= {"PENNANT_DATA": str(making), "DJANGO_SETTINGS_MODULE": "arena.settings"}
            command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(command, cwd=ROOT, env=env, check=True, timeout=300)
            (making / NAME).rename(folder / NAME)
    return folder / NAME


def copy_empty_database(empty: Path, data: Path) -> None:
    """Put it into the data folder of an installation."""
    shutil.copyfile(empty, data / NAME)
