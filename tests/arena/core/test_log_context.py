"""Logs as JSON: every line is an object, and says what it belongs to."""

import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.test import Client

from arena.bots.models import BotVersion
from arena.celery import app
from arena.core.logs import JsonFormatter, log_with
from arena.matches.models import Attempt
from arena.matches.play import play_attempt
from arena.matches.services import claim_match, queue_match
from tests.conftest import MakeVersion

ROOT = Path(__file__).resolve().parents[3]
NEW_ID = re.compile(r"[0-9a-f]{32}")
FIELDS = {"time", "level", "logger", "message"}


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What is logged as JSON, beside what the settings log."""
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(JsonFormatter())
    logging.getLogger().addHandler(handler)
    yield handler.stream
    logging.getLogger().removeHandler(handler)


def parse(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_record_is_one_object_in_one_line(written: io.StringIO) -> None:
    logging.getLogger("arena.test").warning("Two\nlines, an ő and a %s", '"quote"')
    (line,) = parse(written.getvalue())
    assert line.keys() == FIELDS
    assert line["message"] == 'Two\nlines, an ő and a "quote"'
    assert (line["level"], line["logger"]) == ("WARNING", "arena.test")
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])


def test_an_exception_is_in_the_line_of_its_record(written: io.StringIO) -> None:
    try:
        raise ValueError("lost")
    except ValueError:
        logging.getLogger("arena.test").exception("It failed")
    (line,) = parse(written.getvalue())
    assert line["message"] == "It failed"
    assert line["exception"].startswith("Traceback") and line["exception"].endswith("ValueError: lost")


def test_what_is_known_ends_with_its_block(written: io.StringIO) -> None:
    log = logging.getLogger("arena.test")
    with log_with(match_id=1):
        with log_with(attempt_id=2):
            log.warning("inner")
        log.warning("outer")
    log.warning("after")
    known = [{name: line[name] for name in line.keys() - FIELDS} for line in parse(written.getvalue())]
    assert known == [{"match_id": 1, "attempt_id": 2}, {"match_id": 1}, {}]


def test_a_failed_attempt_is_logged_with_its_match(
    ana: Any, make_version: MakeVersion, written: io.StringIO, db: None
) -> None:
    version: BotVersion = make_version(ana, "Kingfisher")
    match = queue_match(versions=[version, version], game="battleline", edition="standard")
    attempt = claim_match(match_id=match.pk, worker="one")
    assert attempt is not None

    def break_down(*_: object) -> Any:
        raise MemoryError("no memory")

    assert not play_attempt(attempt=attempt, play=break_down)
    (line,) = parse(written.getvalue())
    assert (line["match_id"], line["attempt_id"]) == (match.pk, attempt.pk)
    assert "MemoryError: no memory" in line["exception"]
    assert Attempt.objects.get().ending == Attempt.Ending.FAILED


def test_what_a_task_logs_has_its_name(written: io.StringIO) -> None:
    @app.task(name="tests.say")
    def say() -> None:
        logging.getLogger("arena.test").warning("at work")

    try:
        say()
    finally:
        app.tasks.unregister("tests.say")
    assert [line["task"] for line in parse(written.getvalue())] == ["tests.say"]


@pytest.mark.parametrize("given", ["abc-123", "a" * 100, "1.2_3"])
def test_a_request_keeps_the_id_of_its_proxy(db: None, written: io.StringIO, given: str) -> None:
    answer = Client(headers={"X-Request-ID": given}).get("/bots/nobody/")
    assert answer.status_code == 404 and answer["X-Request-ID"] == given
    assert [line["request_id"] for line in parse(written.getvalue())] == [given]


@pytest.mark.parametrize("given", ["", "a" * 101, "a b", 'a"b', "á"])
def test_a_request_without_a_usable_id_gets_one(db: None, given: str) -> None:
    answers = [Client(headers={"X-Request-ID": given} if given else {}).get("/health/") for _ in range(2)]
    ids = [answer["X-Request-ID"] for answer in answers]
    assert all(NEW_ID.fullmatch(one) for one in ids) and ids[0] != ids[1]


def test_a_page_from_the_cache_has_the_id_of_the_request(db: None, settings: Any) -> None:
    settings.ANONYMOUS_PAGE_CACHE_S = 5
    for given in ("first", "second"):
        assert Client(headers={"X-Request-ID": given}).get("/rules/")["X-Request-ID"] == given


def test_a_web_process_writes_nothing_but_objects(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        **{"PENNANT_DATA": str(tmp_path / "data"), "DJANGO_SETTINGS_MODULE": "arena.settings"},
        **{"PENNANT_LOG_FORMAT": "json", "PENNANT_METRICS_TOKEN": "token", "PENNANT_NOTHING": "1"},
    }
    command = [sys.executable, "-m", "gunicorn", "arena.wsgi", "--bind", "127.0.0.1:0", "--preload"]
    log = tmp_path / "log"
    with log.open("w") as stderr:
        process = subprocess.Popen([*command, "--no-control-socket"], cwd=ROOT, env=environment, stderr=stderr)
    try:
        while not (found := re.search(r"Listening at: (http://[0-9.:]+)", log.read_text())):
            assert process.poll() is None
            sleep(0.1)
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{found[1]}/metrics", headers={"X-Request-ID": "mine"}), timeout=30)
        assert refused.value.code == 403 and refused.value.headers["X-Request-ID"] == "mine"
        refused.value.close()
    finally:
        process.terminate()
        process.wait()
    lines = parse(log.read_text())
    assert all(line.keys() >= FIELDS for line in lines)
    assert "PENNANT_NOTHING" in lines[0]["message"] and lines[0]["logger"] == "arena.operations.apps"
    (forbidden,) = (line for line in lines if line["logger"] == "django.request")
    assert forbidden["message"] == "Forbidden: GET /metrics, user none" and forbidden["request_id"] == "mine"
