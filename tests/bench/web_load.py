"""How much readers cost those who play: `uv run python -m tests.bench.web_load [--seconds 60] [--rate 10]`.

On an idle machine, with wrk. A whole arena with PostgreSQL and Redis has a worker process for each core. Its matches a
second are counted alone, and then while 50 connections ask for a ladder, a bot, a replay and the API at a fixed rate.

The site has a third of a session's CPU weight, as a unit of systemd would have it by CPUWeight. Linux shares the
processor out among sessions (`autogroup` in sched(7)), and each player and each bot has its own: `nice` would weigh the
site against the worker alone that started them. With a tenth of the weight beside so many sessions some readers wait
for 10 seconds.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

from arena.operations.management.supervisor import WEB_COMMAND
from tests.bench.cpu_use import read_cpu_use
from tests.bench.served import served_installation
from tests.story.installation import SCHEDULER_COMMAND, WORKER_COMMAND, Installation

CONNECTIONS = 50
WARM_UP_MATCHES = 50
WARM_UP_S = 30.0
"""A new worker tests all languages between its first matches."""
START_TIMEOUT_S = 300.0
GAME, EDITION, BOT = "battleline", "standard", "greedy"
SETTINGS = {
    "PENNANT_LADDER_NEWCOMER_MATCHES": "1000000",
    "PENNANT_LADDER_MATCHES_PER_HOUR": "1000000",
    "PENNANT_LADDER_WAITING": "8",
    "PENNANT_API_NOBODY": "1000000",
}
"""The ladders play without pause, and all readers come from one address."""
SCRIPT = Path(__file__).with_suffix(".lua")
IN_OWN_SESSION = ["setsid", "sh", "-c", 'echo "$0" > /proc/self/autogroup && exec "$@"']
"""Followed by a nice value for the session, and a command."""


@contextmanager
def playing(web_nice: int) -> Iterator[Installation]:
    """An arena that plays without pause."""
    with ExitStack() as stack:
        arena = stack.enter_context(served_installation(SETTINGS))
        python = [sys.executable, "-m"]
        command = [*IN_OWN_SESSION, str(web_nice), *python, *WEB_COMMAND, "--bind", f"127.0.0.1:{arena.port}"]
        stack.enter_context(arena.running("web", command))
        stack.enter_context(arena.running("worker", [*python, *WORKER_COMMAND]))
        stack.enter_context(arena.running("scheduler", [*python, *SCHEDULER_COMMAND]))
        deadline = monotonic() + START_TIMEOUT_S
        while count_finished(arena) < WARM_UP_MATCHES:
            if monotonic() > deadline:
                sys.exit(f"no matches are played:\n{(arena.data / 'worker.log').read_text()}")
            sleep(0.5)
        sleep(WARM_UP_S)
        yield arena


def count_finished(arena: Installation) -> int:
    return int(arena.query("select count(*) from matches_match where finished_at is not null")[0][0])


def list_paths(arena: Installation) -> list[str]:
    """A ladder, a bot, a replay with what it draws, and the same of the API."""
    match = arena.query(
        "select m.id from matches_match m join ladders_laddermatch l on l.match_id = m.id"
        f" where m.state = 'finished' and m.game = '{GAME}' order by m.id limit 1"
    )[0][0]
    pages = [
        f"/ladders/{GAME}/{EDITION}/",
        f"/bots/{BOT}/",
        f"/matches/{match}/",
        f"/matches/{match}/legs/1/frames.json",
    ]
    api = [f"/api/v1/ladders/{GAME}/{EDITION}/standings/", f"/api/v1/bots/{BOT}/", f"/api/v1/matches/{match}/"]
    return pages + api


def rate_during(arena: Installation, command: list[str]) -> float:
    """Matches a second while a command runs."""
    first, began = count_finished(arena), monotonic()
    subprocess.run(command, check=True)
    return (count_finished(arena) - first) / (monotonic() - began)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.web_load", description=__doc__.partition("\n")[0])
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--rate", type=int, default=10, help="requests a second, all connections together")
    options.add_argument("--nice", type=int, default=5, help="of the site's session; 5: a third of the usual weight")
    asked = options.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed")
    with playing(asked.nice) as arena:
        alone = rate_during(arena, ["sleep", str(asked.seconds)])
        print(f"matches alone       {alone:6.2f} a second", flush=True)
        rest_ms = str(1000 * CONNECTIONS // asked.rate)
        wrk = [
            "wrk",
            "-t",
            "1",
            "-c",
            str(CONNECTIONS),
            "-d",
            f"{asked.seconds}s",
            "--timeout",
            "10s",
            "-s",
            str(SCRIPT),
        ]
        address = f"http://127.0.0.1:{arena.port}"
        before = read_cpu_use()
        loaded = rate_during(arena, [*wrk, address, "--", rest_ms, *list_paths(arena)])
        site_s = (read_cpu_use() - before)["site"] / asked.seconds
    print(f"the site            {site_s:6.2f} of a core")
    print(f"matches with load   {loaded:6.2f} a second, {loaded / alone:.2f} times alone")


if __name__ == "__main__":
    main()
