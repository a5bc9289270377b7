"""How an arena is asked that is busy, restarts, or isn't one."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import pytest

from arena.cli import api as asking
from arena.cli.api import Api, Refused, follow

Answer = tuple[int, dict[str, str], bytes]
ERROR = {"error": {"code": "throttled", "message": "Too many requests.", "fields": {"way": ["Not that.", "Nor this."]}}}


class Arena:
    """Says what it is told to say, in turn, and remembers who asked for what."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[tuple[str, str, str | None]] = []
        arena = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                arena.asked.append((self.command, self.path, self.headers.get("Authorization")))
                status, headers, content = arena.answers.pop(0)
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(content))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def says(self, status: int, content: object = None, **headers: str) -> None:
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.answers.append((status, {name.replace("_", "-"): value for name, value in headers.items()}, text))


@pytest.fixture
def arena() -> Iterator[Arena]:
    arena = Arena()
    with arena.server:
        threading.Thread(target=arena.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield arena
        arena.server.shutdown()


@pytest.fixture
def api(arena: Arena) -> Iterator[Api]:
    with click.Context(click.Command("ask")):
        yield Api(arena.url, "pnt_ana")


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seconds: list[float] = []
    monkeypatch.setattr(asking.time, "sleep", seconds.append)
    return seconds


def test_a_busy_arena_is_asked_again_when_it_says(arena: Arena, api: Api, slept: list[float]) -> None:
    arena.says(429, ERROR, Retry_After="7")
    arena.says(503, b"<html>", Retry_After="soon")
    arena.says(200, {"number": 3})
    assert api.post("bots/", json={}) == {"number": 3}
    assert slept == [7.0, 5.0]
    assert arena.asked == [("POST", "/api/v1/bots/", "Bearer pnt_ana")] * 3


def test_nobody_waits_until_tomorrow(arena: Arena, api: Api, slept: list[float]) -> None:
    arena.says(429, ERROR, Retry_After="86400")
    with pytest.raises(Refused, match="Too many requests.\nway: Not that. Nor this.") as refused:
        api.get("bots/")
    assert refused.value.status == 429 and slept == []


def test_a_list_is_read_to_its_end_and_never_elsewhere(arena: Arena, api: Api) -> None:
    arena.says(200, {"results": [1, 2], "next": "https://elsewhere.example/api/v1/bots/?cursor=2&limit=2"})
    arena.says(200, {"results": [3], "next": None})
    assert list(api.pages("bots/", limit=2)) == [1, 2, 3]
    assert [path for _, path, _ in arena.asked] == ["/api/v1/bots/?limit=2", "/api/v1/bots/?cursor=2&limit=2"]


def test_what_is_awaited_outlives_a_restart(arena: Arena, api: Api, slept: list[float]) -> None:
    arena.says(200, {"state": "running"})
    arena.says(502, b"Bad Gateway")
    arena.says(200, {"state": "running"})
    arena.says(200, {"state": "better"})
    told: list[str] = []
    seen = follow(api, "comparisons/1/", lambda seen: seen["state"] == "better", lambda seen: told.append("") or "")
    assert seen == {"state": "better"} and slept == [1.0, 5.0, pytest.approx(1.3)]


def test_an_upload_is_sent_once_unless_it_has_a_key(arena: Arena, api: Api, slept: list[float]) -> None:
    arena.says(502, b"")
    with pytest.raises(Refused, match="returned 502 Bad Gateway"):
        api.post("comparisons/", json={})
    arena.says(502, b"")
    arena.says(201, {})
    assert api.post("bots/heron/versions/", headers={"Idempotency-Key": "1"}) == {}
    assert len(arena.asked) == 3


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda api: api.get("bots/"), "isn't part of an arena's API"),
        (lambda api: list(api.pages("bots/")), "isn't part of an arena's API"),
    ],
)
def test_a_page_of_something_else_is_no_answer(
    arena: Arena, api: Api, ask: Callable[[Api], object], sentence: str
) -> None:
    arena.says(200, b"<!doctype html>")
    with pytest.raises(click.ClickException, match=sentence):
        ask(api)
    arena.says(200, ["no list"])
    with pytest.raises(click.ClickException, match="has no list at"):
        list(api.pages("bots/"))


def test_an_arena_that_is_not_there_is_asked_thrice(slept: list[float]) -> None:
    with click.Context(click.Command("ask")), pytest.raises(click.ClickException, match="can't be reached"):
        Api("http://127.0.0.1:9").get("bots/")
    assert slept == [1, 1]


def test_a_file_is_written_while_it_arrives_and_waited_for_while_the_arena_is_busy(
    arena: Arena, api: Api, slept: list[float], tmp_path: Path
) -> None:
    content = bytes(range(256)) * 4_000
    arena.says(503, ERROR, Retry_After="7")
    arena.says(200, content)
    api.save("file.zip", tmp_path / "file.zip")
    assert (tmp_path / "file.zip").read_bytes() == content and slept == [7.0]
    arena.says(404, ERROR)
    with pytest.raises(Refused, match="Too many"):
        api.save("file.zip", tmp_path / "none.zip")
    assert not (tmp_path / "none.zip").exists()
    for _ in range(api.tries):
        arena.says(200, content, Content_Length=str(len(content) + 1))
    with pytest.raises(click.ClickException, match="can't be reached"):
        api.save("file.zip", tmp_path / "cut.zip")
