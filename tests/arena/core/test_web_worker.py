"""The site's server as `up` starts it, reached by clients that take their time."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import pytest
from django.conf import settings

from arena.core.web_worker import HEAD_TIMEOUT_S
from arena.operations.management.supervisor import WEB_COMMAND
from tests.servers import free_port

HEAD = b"GET /health/ HTTP/1.1\r\nHost: localhost\r\n"
THREADS = 8


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def ask(port: int) -> bytes:
    """The first line of the answer to a request that is sent at once."""
    with connect(port) as client:
        client.sendall(HEAD + b"Connection: close\r\n\r\n")
        return client.makefile("rb").readline()


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    port, data = free_port(), tmp_path_factory.mktemp("data")
    log = Path(data, "web.log")
    environment = os.environ | {"PENNANT_DATA": str(data), "DJANGO_SETTINGS_MODULE": "arena.settings"}
    command = [sys.executable, "-m", *WEB_COMMAND, "--bind", f"127.0.0.1:{port}"]
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment, stdout=output, stderr=output)
    deadline = monotonic() + 60
    while True:
        try:
            assert b"200" in ask(port)
            break
        except OSError:
            assert server.poll() is None and monotonic() < deadline, log.read_text()
            sleep(0.1)
    yield port
    server.send_signal(signal.SIGTERM)
    server.wait()


def drip(port: int) -> float:
    """Send a head that never ends, a line now and then, and return the seconds until the server ends that."""
    began = monotonic()
    with connect(port) as client:
        client.sendall(HEAD)
        client.settimeout(0.3)
        while monotonic() - began < 3 * HEAD_TIMEOUT_S:
            try:
                client.sendall(b"x: y\r\n")
                if client.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
    return monotonic() - began


def test_heads_that_never_end_hold_nobody_for_long(port: int) -> None:
    with ThreadPoolExecutor(THREADS) as clients:
        held = list(clients.map(drip, [port] * THREADS))
        assert all(HEAD_TIMEOUT_S <= seconds < HEAD_TIMEOUT_S + 5 for seconds in held), held
    assert ask(port) == b"HTTP/1.1 200 OK\r\n"


def test_a_head_in_parts_is_answered_and_so_is_the_next_one(port: int) -> None:
    with connect(port) as client:
        answers = client.makefile("rb")
        for pause_s in (2.0, 0.0, 1.0):
            client.sendall(HEAD[:10])
            sleep(pause_s)
            client.sendall(HEAD[10:] + b"\r\n")
            assert answers.readline() == b"HTTP/1.1 200 OK\r\n"
            length = 0
            while (line := answers.readline()) != b"\r\n":
                length = int(line.split()[1]) if line.lower().startswith(b"content-length") else length
            answers.read(length)
