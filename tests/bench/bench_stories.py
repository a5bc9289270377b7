"""How long choosing the stories of a day takes, and how much memory, where a million matches have been played.

    uv run python -m tests.bench.bench_stories [URL]

The database is made by `tests.bench.million`: a match a second, so that a day has 86,400. The hourly task tells today,
the nightly one the whole of yesterday. The matches that the narrowest claim is looked for in get real records first.
Beside the figures stands what is asked of the nightly task.
"""

import os
import sys
from datetime import date, timedelta
from pathlib import Path
from time import perf_counter, process_time

from tests.bench.million import run_on

if __name__ == "__main__" and "million" not in os.environ.get("DATABASE_URL", ""):
    url = next((word for word in sys.argv[1:2] if "://" in word), None)
    sys.exit(run_on(url, "tests.bench.bench_stories", []))

from tests.bench.million_rows import ensure

# isort: split
import json
import subprocess
import zlib
from itertools import count, islice

from django.utils.timezone import localdate

from arena.contests.stories.services import (
    choose_matches_to_replay,
    list_played,
    tell_stories_of_today,
    tell_stories_of_yesterday,
)
from arena.matches.models import Leg, Match
from engine.replay import find_close_call
from tests.arena.pages.conftest import play_at_random

MAX_SECONDS, MAX_MIB = 600, 1024


def give_records(day: date) -> int:
    """Give the matches of a day that will be replayed records of real legs. Return how many matches the day has."""
    played = list_played(day)
    matches = [one.match for one in choose_matches_to_replay(played)]
    with_claims = (record for seed in count() if find_close_call(record := play_at_random(seed)) is not None)
    for number, record in enumerate(islice(with_claims, 2), 1):
        packed = zlib.compress(json.dumps(record).encode())
        Leg.objects.filter(match__in=matches, number=number).update(record=packed, decisions=len(record["actions"]))
    return len(played)


def measure_peak_mib() -> int:
    """The most memory this program has had: unlike `ru_maxrss` without that of the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024


def measure() -> bool:
    """Print what both tasks take, each in a process of its own. Return whether they stay within what is asked."""
    print(f"{Match.objects.count():,} matches")
    holds = True
    for name, ago in (("hourly", 0), ("nightly", 1)):
        matches = give_records(localdate() - timedelta(days=ago))
        command = [sys.executable, "-m", "tests.bench.bench_stories", name, str(matches)]
        holds = subprocess.run(command, check=False).returncode == 0 and holds
    return holds


def run_task(name: str, matches: str) -> bool:
    """Run one task in this process and print what it took."""
    before, begun, worked = measure_peak_mib(), perf_counter(), process_time()
    stories = {"hourly": tell_stories_of_today, "nightly": tell_stories_of_yesterday}[name]()
    seconds, peak = perf_counter() - begun, measure_peak_mib()
    print(
        f"{name}: {stories} stories of {int(matches):,} matches in {seconds:.1f} s ({process_time() - worked:.1f} s of "
        f"this process), peak {peak} MiB, {before} of them before (asked: {MAX_SECONDS} s, {MAX_MIB} MiB)",
        flush=True,
    )
    return seconds <= MAX_SECONDS and peak <= MAX_MIB


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(not run_task(*sys.argv[1:3]))
    ensure()
    sys.exit(not measure())
