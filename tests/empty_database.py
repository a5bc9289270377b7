"""An empty database with all its tables: it takes fifteen seconds of a processor, so all tests share one, and later
runs as long as nothing changes that it is made from."""

import hashlib
import os
import shutil
import subprocess
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAME = "db.sqlite3"
"""As the site names it in its data folder."""


def make_empty_database(kept: Path) -> Path:
    """Return the database of this code below this folder; the first process that asks makes it, others wait for it."""
    folder = kept / hash_of_what_it_is_made_from()
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (folder / NAME).exists():
            making = folder / "making"
            shutil.rmtree(making, ignore_errors=True)  # of a run that was ended in the middle of it
            making.mkdir()
            env = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
            env |= {"PENNANT_DATA": str(making), "DJANGO_SETTINGS_MODULE": "arena.settings"}
            command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(command, cwd=ROOT, env=env, check=True, timeout=300)
            (making / NAME).rename(folder / NAME)
    return folder / NAME


def hash_of_what_it_is_made_from() -> str:
    """Of the migrations, the list of apps, and the versions of those that come from elsewhere."""
    files = [*sorted(ROOT.glob("arena/**/migrations/*.py")), ROOT / "arena" / "settings.py", ROOT / "uv.lock"]
    parts = [f"{file.relative_to(ROOT)} {hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def copy_empty_database(empty: Path, data: Path) -> None:
    """Put it into the data folder of an installation."""
    shutil.copyfile(empty, data / NAME)
