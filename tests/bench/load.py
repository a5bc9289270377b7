"""Everything at once on a small server: how long people wait, on a quiet machine and beside other work.

    uv run python -m tests.bench.load [--busy N] [--only NAME]... [--minutes M]

A fresh arena, started by `manage.py up` with all ladders and demo tournaments, as a newcomer has it. Printed is a table
with a row for each figure and a column without and with N busy processes (four unless said otherwise) at normal
priority. None of it is a timed test: the aims are for two cores.

- uploads: 54 versions by the API within 20 s, then one more
- live: four live games at once, two against `marshal` and two against `random`
- analysis: the analysis of a leg, asked for by a person
- kill: a worker process is killed in the middle of a match while 500 messages wait
- memory: PSS of all processes but those of bots, after some minutes of play, nobody at a table
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import httpx
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from tests.bench.live_games import Person
from tests.story.installation import ROOT, Installation, Up

UPLOADS = 54
UPLOADERS = 6
UPLOAD_SECONDS = 20.0
JUDGED_TIMEOUT_S = 1500.0
TABLES = ("marshal", "random", "marshal", "random")
LIVE_SECONDS = 120.0
ANALYSIS_TIMEOUT_S = 600.0
WAITING_MESSAGES = 500
SETTINGS = {
    "PENNANT_SHOWN_TOURNAMENTS": "on",
    "PENNANT_MARSHAL_ON_LADDERS": "on",
    "PENNANT_ANALYSED_TOP_MATCHES": "2",
    "PENNANT_LIVE_WORKER": "on",
    "PENNANT_API_READS": "1000000",
    "PENNANT_API_WRITES": "1000000",
    "LOG_LEVEL": "INFO",
}
TRIALS = """
    select v.created_at, m.started_at, m.finished_at, v.state from bots_botversion v
    left join matches_trial t on t.version_id = v.id left join matches_match m on m.id = t.match_id
    where v.uploaded_by_id in (select id from accounts_user where username like 'author%')
"""
PLAYED = re.compile(r"^(?P<at>[-0-9]+ [:0-9]+),\d+ INFO celery.app.trace: Task (?P<task>[\w.]+)\[")
PERIODS_S = {"arena.tasks.sweep": 5, "arena.tasks.pair_ladders": 5, "arena.tasks.refit_ladders": 5}
BOT_COMMANDS = ("/bot/", "/kit/", "bwrap")
Figures = dict[str, str]


@contextmanager
def arena() -> Iterator[tuple[Installation, Up]]:
    with TemporaryDirectory(prefix="pennant-load-") as folder:
        installation = Installation(Path(folder), newcomer_matches=60, more=SETTINGS)
        with installation.up() as up:
            up.greets()
            yield installation, up


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(process.kill)
        yield


def make_clients(installation: Installation, *names: str) -> list[httpx.Client]:
    tokens = installation.run("tests.story.author", "token", *names).split()
    base = f"http://127.0.0.1:{installation.port}/api/v1/"
    return [
        httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=60, transport=retrying())
        for token in tokens
    ]


def retrying() -> httpx.HTTPTransport:
    return httpx.HTTPTransport(retries=3)


def upload(client: httpx.Client, number: int) -> None:
    client.post("bots/", json={"name": f"load{number}", "game": "battleline"}).raise_for_status()
    source = (ROOT / "bots/samples/random/bot.py").read_bytes() + f"\n# {number}\n".encode()
    client.post(f"bots/load{number}/versions/", files={"program": ("bot.py", source)}).raise_for_status()


def measure_uploads() -> Iterator[tuple[str, str]]:
    with arena() as (installation, up):
        clients = make_clients(installation, *(f"author{number}" for number in range(UPLOADERS)))
        began = monotonic()
        with ThreadPoolExecutor(UPLOADERS) as pool:
            for number in range(UPLOADS):
                sleep(max(0.0, began + number * UPLOAD_SECONDS / UPLOADS - monotonic()))
                pool.submit(upload, clients[number % UPLOADERS], number)
        up.wait_for(lambda: all(is_judged(row) for row in installation.query(TRIALS)), JUDGED_TIMEOUT_S)
        rows = installation.query(TRIALS)
        uploaded = [read_time(row[0]) for row in rows]
        waits = sorted((read_time(row[1]) - read_time(row[0])).total_seconds() for row in rows)
        first = min(read_time(row[1]) for row in rows) - min(uploaded)
        judged = max(read_time(row[2]) for row in rows) - max(uploaded)
        yield "first trial starts after its upload (3 s, 10 s)", f"{first.total_seconds():.1f} s"
        yield "all judged after the last upload (30 s, 120 s)", f"{judged.total_seconds():.1f} s"
        yield "a trial starts: median, longest", f"{waits[len(waits) // 2]:.1f} s, {waits[-1]:.1f} s"
        upload(clients[0], UPLOADS)
        up.wait_for(lambda: all(row[1] for row in installation.query(TRIALS)), JUDGED_TIMEOUT_S)
        rows = sorted(installation.query(TRIALS), key=lambda row: str(row[0]))
        wait = (read_time(rows[-1][1]) - read_time(rows[-1][0])).total_seconds()
        yield "one more upload is on trial after (3 s, 10 s)", f"{wait:.1f} s"
        yield "longest time between two runs of a periodic task of every 5 s (10 s)", describe_gaps(installation)


def is_judged(row: tuple) -> bool:
    return row[2] is not None and row[3] in ("accepted", "rejected")


def read_time(value: object) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(str(value))


def describe_gaps(installation: Installation) -> str:
    runs: dict[str, list[datetime]] = {task: [] for task in PERIODS_S}
    for log in (installation.data / "logs").glob("*.log"):
        for line in log.read_text(errors="replace").splitlines():
            found = PLAYED.match(line)
            if found and found["task"] in runs:
                runs[found["task"]].append(datetime.fromisoformat(found["at"]))
    longest = {
        task: max((later - sooner).total_seconds() for sooner, later in zip(times, times[1:], strict=False))
        for task, times in ((task, sorted(times)) for task, times in runs.items())
        if len(times) > 1
    }
    return ", ".join(f"{task.rpartition('.')[2]} {seconds:.0f} s" for task, seconds in longest.items()) or "none ran"


class Visitor(Person):
    """A person at one table who takes any step at once and polls as the page does."""

    def play_against(self, bot: str, seconds: float) -> list[float]:
        """Play game after game, and return how long the bot took for each turn."""
        ends = monotonic() + seconds
        while monotonic() < ends:
            body = {"game": "battleline", "edition": "standard", "seats": ["me", bot]}
            slug = str(self.ask("POST", "live-games/", body)["slug"])
            while monotonic() < ends and not self.take_turn(slug):
                sleep(self.random.uniform(0, 1))
        return self.waits_s


def measure_live() -> Iterator[tuple[str, str]]:
    with arena() as (installation, _):
        sleep(20)  # the ladders are at play
        clients = make_clients(installation, *(f"person{number}" for number in range(len(TABLES))))
        people = [Visitor(client, Random(number)) for number, client in enumerate(clients)]
        with ThreadPoolExecutor(len(people)) as pool:
            waits = list(
                pool.map(lambda pair: pair[0].play_against(pair[1], LIVE_SECONDS), zip(people, TABLES, strict=True))
            )
    for bot, aim in (("random", " (0.7 s, 2.5 s at 95 %)"), ("marshal", "")):
        own = [wait for table, found in zip(TABLES, waits, strict=True) for wait in found if table == bot]
        cuts = quantiles(own, n=20) if len(own) > 1 else [*own * 20, 0.0]
        text = f"{cuts[9]:.2f} s, {cuts[18]:.2f} s, {max(own, default=0):.2f} s ({len(own)} turns)"
        yield f"{bot} answers at four tables: median, 95 %, longest{aim}", text


def measure_analysis() -> Iterator[tuple[str, str]]:
    with arena() as (installation, up):
        client = make_clients(installation, "analyst")[0]
        query = "select id from matches_match where state = 'finished' and edition = 'standard' order by id desc"
        up.wait_for(lambda: installation.query(query), JUDGED_TIMEOUT_S)
        path = f"matches/{installation.query(query)[0][0]}/legs/1/analysis/"
        began = monotonic()
        client.post(path).raise_for_status()
        coarse_s = full_s = None
        while full_s is None and monotonic() - began < ANALYSIS_TIMEOUT_S:
            found = client.get(path).json()
            if coarse_s is None and (found.get("coarse_result") or found.get("pass") == "full"):
                coarse_s = monotonic() - began
            if found["state"] == "done":
                full_s = monotonic() - began
            sleep(0.2)
        yield "coarse pass of an analysis (5 s, 15 s)", "none" if coarse_s is None else f"{coarse_s:.1f} s"
        yield "full analysis (20 s, 90 s)", "not in time" if full_s is None else f"{full_s:.1f} s"


def measure_kill() -> Iterator[tuple[str, str]]:
    running = "select match_id, worker from matches_attempt where ended_at is null order by id"
    with arena() as (installation, up):
        up.wait_for(lambda: installation.query(running), JUDGED_TIMEOUT_S)
        code = "import django; django.setup(); from arena.operations import tasks; "
        code += f"[tasks.settle_match.delay(10**9 + number) for number in range({WAITING_MESSAGES})]"
        env = installation.env | {"DJANGO_SETTINGS_MODULE": "arena.settings"}
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=True)
        up.wait_for(lambda: installation.query(running), JUDGED_TIMEOUT_S)
        match, worker = installation.query(running)[0]
        subprocess.run(["kill", "-9", worker.split("/")[2]], check=False)
        finished = f"select state from matches_match where id = {match} and state = 'finished'"
        took = up.wait_for(lambda: installation.query(finished), JUDGED_TIMEOUT_S)
        attempts = installation.query(f"select count(*) from matches_attempt where match_id = {match}")[0][0]
        yield "match of a killed worker is played again within (120 s)", f"{took:.1f} s, in {attempts} attempts"


def measure_memory(minutes: float) -> Iterator[tuple[str, str]]:
    with arena() as (_, up):
        sleep(60 * minutes)
        parts = {pid: read_pss_mib(pid) for pid in list_descendants(up.process.pid)}
        own = sum(mib for mib, is_bot in parts.values() if not is_bot)
        bots = sum(mib for mib, is_bot in parts.values() if is_bot)
        yield f"PSS after {minutes:.0f} min (400 MiB after an hour)", f"{own:.0f} MiB, and {bots:.0f} of bots"


def list_descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def read_pss_mib(pid: int) -> tuple[float, bool]:
    """The memory of a process, and whether it is a bot or the sandbox around one."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        command = Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return 0.0, False
    found = re.search(r"^Pss: +(\d+)", rollup, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0, any(part in command for part in BOT_COMMANDS)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.load", description=__doc__.partition("\n")[0])
    options.add_argument("--busy", type=int, default=4, help="number of busy processes of the second column")
    options.add_argument("--minutes", type=float, default=5.0, help="minutes of play before memory is measured")
    names = ("uploads", "live", "analysis", "kill", "memory")
    options.add_argument("--only", action="append", default=[], choices=names)
    options.add_argument("--column", choices=("quiet", "busy"), help="only this one")
    asked = options.parse_args()
    measures: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
        "uploads": measure_uploads,
        "live": measure_live,
        "analysis": measure_analysis,
        "kill": measure_kill,
        "memory": lambda: measure_memory(asked.minutes),
    }
    columns: dict[str, Figures] = {}
    for column, busy in (("quiet", 0), ("busy", asked.busy)):
        if asked.column in (None, column):
            columns[column] = {}
            for name in asked.only or names:
                with busy_processes(busy):
                    for figure, value in measures[name]():
                        columns[column][figure] = value
                        print(f"{column}: {figure}: {value}", flush=True)
    table = Table("figure", *columns, box=SIMPLE)
    for figure in next(iter(columns.values())):
        table.add_row(figure, *(found.get(figure, "") for found in columns.values()))
    Console(highlight=False, markup=False, width=160).print(table)


if __name__ == "__main__":
    main()
