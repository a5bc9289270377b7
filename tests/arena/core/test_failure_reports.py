"""Failures are reported to a server of Sentry's protocol: a real one here, which keeps what it is sent.

That the library isn't even loaded without one is checked in `test_environment.py`.
"""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
FAIL = """
from django.core.wsgi import get_wsgi_application
serve = get_wsgi_application()
from django.test import RequestFactory
from arena.core.logs import log_with
from arena.operations.tasks import check_version
visitor = RequestFactory(SERVER_NAME="localhost", REMOTE_ADDR="192.0.2.77")
visitor.cookies["sessionid"] = "secretcookie"
asked = visitor.get("/bots/secretslug/?token=secretquery", headers={"authorization": "Bearer secrettoken"})
statuses = []
b"".join(serve(asked.environ, lambda status, headers: statuses.append(status)))
assert statuses == ["500 Internal Server Error"]
with log_with(match_id=77):
    check_version.apply(args=["no number"])
"""


@pytest.fixture
def received() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The DSN of a project, and the events that were sent there."""
    events: list[dict[str, Any]] = []

    class Project(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            lines = gzip.decompress(content) if self.headers.get("Content-Encoding") == "gzip" else content
            found = [json.loads(line) for line in lines.splitlines() if line]
            events.extend(line for line in found if "exception" in line)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Project) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://key@127.0.0.1:{server.server_port}/1", events
        server.shutdown()
        thread.join()


def fail(**variables: str) -> None:
    lost = "postgres://nobody:secretpassword@127.0.0.1:1/lost"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL": lost, **variables}
    subprocess.run([sys.executable, "-c", FAIL], cwd=ROOT, env=environment, check=True, timeout=60, capture_output=True)


def test_failures_of_web_and_workers_arrive_without_private_parts(
    received: tuple[str, list[dict[str, Any]]],
) -> None:
    dsn, events = received
    fail(SENTRY_DSN=dsn)
    web = next(event for event in events if event["transaction"].startswith("/bots/"))
    assert web["transaction"] == "/bots/{slug}/" and web["request"] == {"method": "GET"}
    assert web["exception"]["values"][-1]["type"] == "OperationalError"
    worker = next(event for event in events if event["transaction"] == "arena.tasks.check_version")
    assert worker["tags"] == {"match_id": "77"} and web["tags"].keys() == {"request_id"}
    assert worker["release"] and worker["exception"]["values"][-1]["stacktrace"]["frames"]
    sent = json.dumps(events)
    for private in ("cookie", "token", "query", "slug", "password"):
        assert f"secret{private}" not in sent, private
    assert "192.0.2.77" not in sent and os.uname().nodename not in sent
