"""Private PostgreSQL and Redis servers for tests: on free ports, in folders of their own, gone afterwards."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import psycopg
import redis

START_S = 30.0


ENDED_WITH_TESTS = ("setpriv", "--pdeathsig", "TERM")
"""Followed by a command: its process is asked to end where the process of the tests is killed."""


class NoServer(Exception):
    """A server's programs are not on this machine. The message names them."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def postgres(memory: str = "128MB") -> Iterator[str]:
    """The URL of a server, without a database's name. Raises NoServer."""
    folder = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
    if folder is None or not (folder / "initdb").exists():
        raise NoServer("PostgreSQL is not installed (no /usr/lib/postgresql/*/bin/initdb)")
    port = free_port()
    with _home("pg") as (home, user):
        subprocess.run(
            [folder / "initdb", "-D", home / "data", "-U", "pennant", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            cwd=home,
            user=user,
        )
        command = [folder / "postgres", "-D", home / "data", "-p", str(port), "-k", home, "-c", "fsync=off"]
        command += ["-c", f"shared_buffers={memory}"]
        url = f"postgresql://pennant@127.0.0.1:{port}"
        with _running(command, home, user):
            _until(lambda: psycopg.connect(f"{url}/postgres").close(), psycopg.OperationalError)
            yield url


@contextmanager
def redis_server(port: int | None = None) -> Iterator[str]:
    """The URL of a server, without a database's number; on a free port unless one is given. Raises NoServer."""
    program = shutil.which("redis-server")
    if program is None:
        raise NoServer("Redis is not installed (no redis-server)")
    port = port or free_port()
    with _home("redis") as (home, user):
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(home)]
        with _running(command, home, user), redis.Redis(port=port) as client:
            _until(client.ping, redis.ConnectionError)
            yield f"redis://127.0.0.1:{port}"


@contextmanager
def _home(name: str) -> Iterator[tuple[Path, str | None]]:
    """A folder and the user to run in it: PostgreSQL refuses to be root."""
    user = None
    if os.geteuid() == 0:
        names = {entry.pw_name for entry in pwd.getpwall()}
        user = "postgres" if "postgres" in names else "nobody"
    home = Path(tempfile.mkdtemp(prefix=f"pennant-{name}-"))
    if user is not None:
        shutil.chown(home, user)
    try:
        yield home, user
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _running(command: list[str | Path], home: Path, user: str | None) -> Iterator[None]:
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [*ENDED_WITH_TESTS, *command], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=home, user=user
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _until(attempt: Callable[[], object], error: type[Exception]) -> None:
    deadline = monotonic() + START_S
    while True:
        try:
            attempt()
            return
        except error:
            if monotonic() > deadline:
                raise
            sleep(0.05)
