"""How long a pick takes on a large ladder in PostgreSQL: `python -m tests.bench.bench_pick [ENTRIES]`."""

import os
import subprocess
import sys
from pathlib import Path

from tests.servers import postgres

ROOT = Path(__file__).resolve().parents[2]
MEASURE = "import django; django.setup(); from tests.bench.crowd import main; main({})"


def main(entries: int) -> None:
    with postgres() as url:
        env = os.environ | {"DATABASE_URL": f"{url}/postgres", "DJANGO_SETTINGS_MODULE": "arena.settings"}
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=env, check=True)
        subprocess.run([sys.executable, "-c", MEASURE.format(entries)], cwd=ROOT, env=env, check=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
