"""One installation of the arena, driven from outside: by its command, its signals, its database."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psycopg

from arena.operations.management.supervisor import CELERY_COMMAND, WORKER_QUEUE_OPTIONS, WORKER_TRAFFIC_OPTIONS
from tests.servers import ENDED_WITH_TESTS, free_port

COMMAND_TIMEOUT_S = 240.0
"""Time that a command may take: to migrate an empty database takes a minute on a busy machine."""
POLL_INTERVAL_S = 0.1
"""Each poll may ask the database: ten times as often it takes a third of a processor from the arena itself."""
WORKER_COMMAND = [*CELERY_COMMAND, "worker", *WORKER_QUEUE_OPTIONS, *WORKER_TRAFFIC_OPTIONS]
SCHEDULER_COMMAND = "celery --app arena.celery beat --scheduler celery.beat:Scheduler --pidfile=".split()
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Installation:
    data: Path
    database: str | None = None
    redis: str | None = None
    secret: str = ""
    newcomer_matches: int = 20
    """Fewer than by default: other tests want the machine, too."""
    port: int = field(default_factory=free_port)
    more: dict[str, str] = field(default_factory=dict)
    """Settings that are not as usual."""

    @property
    def env(self) -> dict[str, str]:
        ours = {"PENNANT_DATA": str(self.data), "PYTHONUNBUFFERED": "1", "SECRET_KEY": self.secret}
        ours |= {"PENNANT_LADDER_NEWCOMER_MATCHES": str(self.newcomer_matches), "PENNANT_SHOWN_TOURNAMENTS": "off"}
        ours |= {"PENNANT_MARSHAL_ON_LADDERS": "off", "PENNANT_ANALYSED_TOP_MATCHES": "0"}  # they take seconds
        ours |= {"PENNANT_RECORDED_GAMES": "off"}  # what is shown are the arena's own matches
        ours |= {"PENNANT_LIVE_WORKER": "off"}  # it would examine the machine, too, for each arena
        ours |= self.more
        if self.database and self.redis:
            ours |= {"DATABASE_URL": self.database, "REDIS_URL": self.redis}
        return {"PATH": os.environ["PATH"], "HOME": str(self.data), "LANG": "C.UTF-8", **ours}

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        if self.database:
            with psycopg.connect(self.database) as connection:
                return connection.execute(sql).fetchall()
        with closing(sqlite3.connect(self.data / "db.sqlite3", timeout=20)) as connection:
            return connection.execute(sql).fetchall()

    @contextmanager
    def up(self, *arguments: str, before: tuple[str, ...] = ()) -> Iterator["Up"]:
        with (self.data / "output").open("wb") as output:
            process = subprocess.Popen(
                [*ENDED_WITH_TESTS, *before, sys.executable, "manage.py", "up", "--port", str(self.port), *arguments],
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        running = Up(process, self.data / "output")
        try:
            yield running
        finally:
            for pid in running.members():
                os.kill(pid, signal.SIGKILL)
            process.wait()

    def deliver(self, task: str, *ids: int) -> None:
        """Send a message for a worker once more, by the published name of its task."""
        code = f"from arena.celery import app; app.send_task({task!r}, {ids})"
        env = self.env | {"DJANGO_SETTINGS_MODULE": "arena.settings"}
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=True, timeout=60)

    def run(self, module: str, *arguments: str) -> str:
        """What a module of these tests says that works on the site's rows."""
        env = self.env | {"DJANGO_SETTINGS_MODULE": "arena.settings"}
        command = [sys.executable, "-m", module, *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=env, check=True, timeout=COMMAND_TIMEOUT_S, stdout=subprocess.PIPE, text=True
        ).stdout

    def manage(self, *arguments: str, before: tuple[str, ...] = ()) -> str:
        """What a command of the site says."""
        command = [*before, sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.env, check=True, timeout=COMMAND_TIMEOUT_S, stdout=subprocess.PIPE, text=True
        ).stdout

    @contextmanager
    def running(self, name: str, command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
        """A process beside the site in its environment, which is asked to end at last."""
        with (self.data / f"{name}.log").open("ab") as log:
            env = self.env | {"DJANGO_SETTINGS_MODULE": "arena.settings"}
            process = subprocess.Popen(
                [*ENDED_WITH_TESTS, *command], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
            try:
                yield process
            finally:
                process.terminate()
                process.wait()

    def refuses(self, *arguments: str, answer: str = "") -> str:
        """Why a command of the site does nothing."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.env, input=answer, timeout=60, capture_output=True, text=True)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stderr

    def rated(self) -> list[tuple[int, int]]:
        """Ladder and sequence number of all rated matches, in order."""
        return self.query("select ladder_id, sequence from ladders_laddermatch where sequence > 0 order by 1, 2")


@dataclass
class Up:
    process: subprocess.Popen[bytes]
    output: Path

    def said(self) -> str:
        return self.output.read_text()

    def members(self) -> list[int]:
        """Everything alive that was started with it. What a sandbox holds is in sessions of its own."""
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, _, session, *_ = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(session) == self.process.pid and state not in "ZX":
                found.append(int(stat.parent.name))
        return found

    def wait_for(self, happened: Callable[[], object], seconds: float = 120.0) -> float:
        """Seconds until it happened. Fails with the output where it does not, or `up` ends before."""
        began = monotonic()
        while not happened():
            assert monotonic() - began < seconds, f"not within {seconds} s:\n{self.said()}"
            assert self.process.poll() is None, f"ended early:\n{self.said()}"
            sleep(POLL_INTERVAL_S)
        return monotonic() - began

    def greets(self) -> None:
        self.wait_for(lambda: "Pennant is at" in self.said())

    def end(self, seconds: float = 120.0) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there after {seconds} s:\n{self.said()}") from None
