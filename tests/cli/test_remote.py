"""Bots that run on their author's machine: the command, its processes, and whole legs on a real arena."""

import http.client
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic, sleep
from typing import ClassVar

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from arena.bots.models import BotVersion
from arena.bots.teams import issue_token
from arena.cli import RequestError, remote
from arena.cli.api import Refused
from arena.cli.local_process import CUT_LENGTH, Ended, Launch, Line, LocalProcess, find_command, find_launch
from arena.cli.remote import read_ladder
from arena.cli.remote_leg import Connection, Late, Unreachable
from arena.contests.ladders.models import Entry
from arena.contests.ladders.services.remote import create_remote_bot
from arena.matches.livegames.models import LiveDecision
from arena.matches.models import Match
from arena.matches.remote.models import RemoteBot
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from arena.runner.program import REMOTE_LIMITS, Limits
from arena.runner.protocol import MAX_LINE_BYTES, list_example_messages
from engine.core import Json
from engine.registry import find_game
from engine.replay import verify
from tests.bots.test_model_starter import serve_model
from tests.cli.running import PENNANT, PROJECT_ROOT, has_c, pennant
from tests.servers import ENDED_WITH_TESTS, free_port

HELLO = list_example_messages(find_game("battleline"), "short")[0]


def talk(launch: Launch, message: Json = HELLO) -> tuple[list[str], str, list[str]]:
    """Return a bot's answers to a message, how its process ends once its input is closed, and its log."""
    inbox: queue.SimpleQueue[Line | Ended] = queue.SimpleQueue()
    log: list[str] = []
    process = LocalProcess(launch, inbox, log.append)
    process.send(message)
    lines = []
    try:
        while isinstance(happened := inbox.get(timeout=20), Line):
            lines.append(happened.text)
            process.requests.put(None)
    finally:
        process.close(5.0)
    return lines, happened.reason, log


def test_a_script_runs_in_its_folder_with_the_kit_and_without_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENNANT_TOKEN", "secret")
    monkeypatch.setenv("LLM_API_KEY", "mine")
    (tmp_path / "notes.txt").write_text("beside it")
    (tmp_path / "bot.py").write_text(
        "import json, os, sys, pennant_kit\n"
        "assert json.loads(input())['type'] == 'hello'\n"
        "print('PENNANT_TOKEN' in os.environ, os.environ['LLM_API_KEY'], open('notes.txt').read(), flush=True)\n"
        "print('to the log', file=sys.stderr)\n"
        f"print('x' * {MAX_LINE_BYTES + 1}, flush=True)\n"
        "sys.exit(7)\n"
    )
    with ExitStack() as folders:
        said, reason, log = talk(find_launch(str(tmp_path), folders))
    assert said == ["False mine beside it", "x" * CUT_LENGTH + "…"]
    assert reason == "ended with exit code 7" and log == ["to the log"]


@pytest.mark.parametrize("bot", ["greedy", pytest.param("languages/c", marks=has_c)])
def test_samples_and_compiled_bots_run(bot: str) -> None:
    with ExitStack() as folders:
        said, reason, _ = talk(find_launch(bot, folders))
    assert json.loads(said[0])["type"] == "ready" and reason == "ended with exit code 0"


def test_any_command_line_runs() -> None:
    said, _, _ = talk(find_command((sys.executable, "-c", """input(); print('{"type": "ready"}')""")))
    assert json.loads(said[0])["type"] == "ready"
    with pytest.raises(RequestError):
        find_command(("no-such-program",))


def test_what_a_ladder_is_called() -> None:
    paths = [read_ladder(text, "battleline") for text in ("standard", "short/slow", "battleline/standard/open")]
    assert paths == ["battleline/standard/open", "battleline/short/slow", "battleline/standard/open"]
    for text, problem in (
        ("battalion/standard", "The bot plays battleline"),
        ("battleline/standard/fast", "isn't a ladder's name"),
        ("slow", "isn't a ladder's name"),
    ):
        with pytest.raises(RequestError, match=problem):
            read_ladder(text, "battleline")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "Name either a BOT"),
        (("greedy", "--", "greedy"), "Name either a BOT"),
        (("--", "greedy"), "needs --name"),
        (("greedy", "--name", "Not a slug"), "isn't a slug"),
        (("greedy",), "Which arena?"),
    ],
)
def test_what_was_forgotten_is_said(arguments: tuple[str, ...], problem: str) -> None:
    done = pennant("remote", *arguments, folder=PROJECT_ROOT, PENNANT_URL="", PENNANT_TOKEN="")
    assert done.returncode == 2 and problem in done.stderr


def test_a_client_tries_an_arena_again_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "REGISTERING_TRIES", 2)
    address = f"http://127.0.0.1:{free_port()}"
    done = pennant("remote", "greedy", folder=PROJECT_ROOT, PENNANT_URL=address, PENNANT_TOKEN="pnt_any")
    first, last = done.stderr.splitlines()
    assert done.returncode == 3
    assert first == f"{last.removeprefix('Error: ')}. Trying again." and "refused" in last


ENTRY = {"edition": "standard", "clock": "open", "state": "active", "state_reason": ""}
PAUSED = "heron is paused on standard/slow. It had faults. To resume: https://arena.example/bots/heron/"


class Refusing(BaseHTTPRequestHandler):
    """An arena, or a proxy, that gives the next of these answers to each request."""

    answers: ClassVar[list[tuple[int, str]]] = []
    lines: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.lines.append(sent["line"])
        status, content = self.answers.pop(0)
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("status", "content", "outcome"),
    [
        (200, "<html>Sign in to this network</html>", Unreachable),
        (404, "<html>Not found</html>", Unreachable),
        (404, '{"detail": "No such leg."}', Late),
        (408, '{"detail": "The body is late."}', Unreachable),
        (409, '{"detail": "Another answer was taken."}', Late),
        (403, '{"detail": "It is stopped."}', Refused),
        (413, '{"detail": "The line is too long."}', Refused),
        (429, '{"detail": "Too many requests."}', Unreachable),
        (503, '{"detail": "The arena is restarting."}', Unreachable),
    ],
)
def test_an_answer_is_sent_again_dropped_or_given_up(status: int, content: str, outcome: type[Exception]) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        Refusing.answers, Refusing.lines = [(status, content)] * 2, []
        connection = Connection(f"http://127.0.0.1:{server.server_port}", "pnt_any", "heron")
        with pytest.raises(outcome):
            connection.answer("leg-0", "4.0", "x" * 2 * CUT_LENGTH)
        server.shutdown()
    assert Refusing.lines[1:] == ["x" * CUT_LENGTH + "…"] * (status == 413)


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ([], ["To join: --ladder battleline/standard/open"]),
        ([ENTRY], []),
        ([ENTRY, {**ENTRY, "clock": "slow", "state": "suspended", "state_reason": "It had faults."}], [PAUSED]),
    ],
)
def test_obstacles_are_said_before_a_bot_waits(
    entries: list[Json], told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    address = "https://arena.example/bots/heron/"
    remote.report_obstacles({"slug": "heron", "game": "battleline", "html_url": address, "entries": entries})
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(told) and all(part in line for part, line in zip(told, lines, strict=True))


# Whole legs, between two clients on a real arena: its site, and the server of remote bots in a process of its own.

BOT = """\
import json, os, pathlib, sys, time
events, caught_up = [], 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "stateful": STATEFUL}), flush=True)
    elif message["type"] == "turn":
        events += message["events"]
        known = sum("action" in event for event in events)
        action = message["legal"][0] if known == message["n"] else f"{known} of {message['n']} known"
        time.sleep(PAUSE_S)
        fail(message["n"])
        print(json.dumps({"action": action}), flush=True)
"""
"""A bot that needs to know all events, which each process has to hear once."""
FAIL_ONCE = """\
def fail(n):
    mark = pathlib.Path(__file__).with_name("failed")
    if n >= 10 and not mark.exists():
        mark.touch()
        FAULT
"""
LEG_TIMEOUT_S = 60.0


def write_bot(folder: Path, *, stateful: bool = False, pause_s: float = 0.0, fault: str = "pass") -> Path:
    folder.mkdir()
    source = FAIL_ONCE.replace("FAULT", fault) + BOT
    (folder / "bot.py").write_text(source.replace("STATEFUL", str(stateful)).replace("PAUSE_S", str(pause_s)))
    return folder


def wait_until(happened: Callable[[], object]) -> None:
    deadline = monotonic() + LEG_TIMEOUT_S
    while not happened():
        assert monotonic() < deadline, "it didn't happen"
        sleep(0.05)


class Front(BaseHTTPRequestHandler):
    """A proxy with one address for the site and the server of remote bots."""

    protocol_version = "HTTP/1.1"
    ports: tuple[int, int]

    def forward(self) -> None:
        port = self.ports[self.path.startswith("/api/v1/remote/")]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, content = 502, b""
        with suppress(OSError, http.client.HTTPException), closing(http.client.HTTPConnection("127.0.0.1", port)) as to:
            to.request(self.command, self.path, body, dict(self.headers))
            answer = to.getresponse()
            status, content = answer.status, answer.read()
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    do_GET = do_POST = forward

    def handle(self) -> None:
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: object) -> None:
        pass


def name_database() -> str:
    """The address of the database of the tests, for another process."""
    database = settings.DATABASES["default"]
    if "sqlite" in database["ENGINE"]:
        return f"sqlite:///{database['NAME']}"
    account = f"{database['USER']}:{database['PASSWORD']}@{database['HOST']}:{database['PORT']}"
    return f"postgres://{account}/{database['NAME']}"


def end(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()


@dataclass
class Client:
    """The command, as an author runs it."""

    process: subprocess.Popen[str]
    lines: list[Json] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    def has(self, event: str) -> bool:
        return any(line["event"] == event for line in self.lines)

    def end(self) -> int:
        code = self.process.wait(LEG_TIMEOUT_S)
        self.thread.join()
        return code

    def kill(self) -> None:
        end(self.process)
        self.thread.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


@dataclass
class Arena:
    """The arena of these tests, with two bots of an author's."""

    address: str
    port: int
    token: str
    versions: list[BotVersion]
    stack: ExitStack
    server: subprocess.Popen[bytes] | None = None

    def serve(self) -> None:
        """Start the server of remote bots, instead of the one before."""
        if self.server is not None:
            self.server.terminate()
            assert self.server.wait(20) == 0
        command = ["manage.py", "serve_remote_bots", "--bind", f"127.0.0.1:{self.port}", "--poll-seconds", "2"]
        env = os.environ | {"DJANGO_SETTINGS_MODULE": "arena.settings", "DATABASE_URL": name_database()}
        self.server = subprocess.Popen([*ENDED_WITH_TESTS, sys.executable, *command], cwd=PROJECT_ROOT, env=env)
        self.stack.callback(end, self.server)
        wait_until(self.is_serving)

    def is_serving(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    def play(self, name: str, bot: Path, *options: str, **variables: str) -> Client:
        environment = os.environ | {"PENNANT_URL": self.address, "PENNANT_TOKEN": self.token} | variables
        command = [*PENNANT, "remote", str(bot), "--name", name, "--json", *options]
        process = subprocess.Popen(
            command, cwd=PROJECT_ROOT, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        client = Client(process)
        self.stack.callback(client.kill)
        return client

    def queue(self, limits: Limits = REMOTE_LIMITS["open"]) -> Match:
        return queue_match(versions=self.versions, game="battleline", edition="short", limits=limits, legs=1)

    def is_over(self, match: Match) -> bool:
        match.refresh_from_db()
        return match.state == Match.State.FINISHED

    def count_decisions(self) -> int:
        return LiveDecision.objects.count()


@pytest.fixture
def arena(transactional_db: None, live_server: LiveServer, ana: User) -> Iterator[Arena]:
    port = free_port()
    Front.ports = (live_server.thread.port, port)
    front = ThreadingHTTPServer(("127.0.0.1", 0), Front)
    threading.Thread(target=front.serve_forever, daemon=True).start()
    bots = [create_remote_bot(owner=ana, name=name, game="battleline", declared="a laptop") for name in ("near", "far")]
    _, token = issue_token(owner=ana, name="laptop")
    with ExitStack() as stack:
        stack.callback(front.server_close)
        stack.callback(front.shutdown)
        address = f"http://127.0.0.1:{front.server_port}"
        made = Arena(address, port, token, [bot.versions.get() for bot in bots], stack)
        made.serve()
        yield made


def check_leg(match: Match, *, refused: int = 0) -> None:
    record = match.legs.get().record_data
    verify(record)
    assert record["result"]["verdicts"] == ["ok", "ok"]
    assert sum(entry.get("refused", 0) for entry in record["actions"]) == refused


def test_two_clients_play_a_leg(arena: Arena, tmp_path: Path) -> None:
    match = arena.queue()
    clients = [arena.play("near", write_bot(tmp_path / "near"), "--legs", "1")]
    clients.append(arena.play("far", write_bot(tmp_path / "far", stateful=True), "--legs", "1"))
    assert [client.end() for client in clients] == [0, 0]
    assert arena.is_over(match)
    check_leg(match)
    for client in clients:
        assert [line["event"] for line in client.lines if line["event"] != "leaving"] == [
            "online",
            "started",
            "ended",
            "offline",
        ]
    results = [line["result"] for client in clients for line in client.lines if line["event"] == "ended"]
    assert sorted(results) == ["lost", "won"]
    assert not RemoteBot.objects.online().exists()


def test_a_leg_survives_a_killed_client_and_a_restart_of_the_arena(arena: Arena, tmp_path: Path) -> None:
    match = arena.queue()
    folders = [write_bot(tmp_path / name, stateful=name == "near", pause_s=0.05) for name in ("near", "far")]
    near, far = arena.play("near", folders[0], "--legs", "1"), arena.play("far", folders[1], "--legs", "1")
    wait_until(lambda: arena.count_decisions() > 8)
    near.process.kill()
    assert near.end() == -signal.SIGKILL
    near = arena.play("near", folders[0], "--legs", "1")
    known = arena.count_decisions()
    wait_until(lambda: arena.count_decisions() > known + 8)
    arena.serve()
    assert (near.end(), far.end()) == (0, 0)
    assert arena.is_over(match)
    check_leg(match)
    assert near.has("lost") and far.has("lost") and far.has("reconnected")


def test_programs_that_fail_once_are_started_again(arena: Arena, tmp_path: Path) -> None:
    match = arena.queue()
    near = arena.play("near", write_bot(tmp_path / "near", stateful=True, fault="sys.exit(3)"), "--legs", "1")
    far = arena.play("far", write_bot(tmp_path / "far", fault="print('I thought', flush=True)"), "--legs", "1")
    assert (near.end(), far.end()) == (0, 0) and arena.is_over(match)
    check_leg(match)
    for client in (near, far):
        assert client.has("restarted") and not client.has("refused")


@pytest.mark.full
def test_a_program_that_always_fails_loses_by_refusals(arena: Arena, tmp_path: Path) -> None:
    match = arena.queue()
    (tmp_path / "bot.py").write_text("import sys\nsys.exit(input() and 3)\n")
    near = arena.play("near", tmp_path / "bot.py", "--legs", "1")
    far = arena.play("far", write_bot(tmp_path / "far"), "--legs", "1")
    assert (near.end(), far.end()) == (0, 0) and arena.is_over(match)
    assert match.legs.get().record_data["result"]["verdicts"] == ["start", "ok"]
    reasons = [line["reason"] for line in near.lines if line["event"] == "refused"]
    assert len(reasons) == 3 and all("The program ended with exit code 3" in reason for reason in reasons)


@dataclass(frozen=True)
class ModelCase:
    """What a scripted model does in turn, and how its leg ends."""

    script: tuple[str, ...]
    verdict: str
    refusals: int
    """By decision."""
    limits: Limits = REMOTE_LIMITS["open"]


MODEL_CASES = [
    ModelCase(("right",), "ok", 0),
    ModelCase(("illegal", "right"), "ok", 1),
    ModelCase(("illegal",), "illegal", 3),
    ModelCase(("broken",), "malformed", 3),
    ModelCase(("late",), "timeout", 0, replace(REMOTE_LIMITS["open"], move_ms=4000)),
    ModelCase(("refusing",), "malformed", 3),
]
"""A client stops after three legs in a row with a fault, except for `timeout`."""


def test_a_language_model_plays_whole_legs(arena: Arena, tmp_path: Path) -> None:
    starter, port = tmp_path / "oracle", free_port()
    assert pennant("init", starter, "--language", "llm").returncode == 0
    address = f"http://127.0.0.1:{port}/v1/chat/completions"
    legs = str(len(MODEL_CASES))
    near = arena.play("near", starter, "--legs", legs, LLM_URL=address)
    far = arena.play("far", write_bot(tmp_path / "far"), "--legs", legs)
    for case in MODEL_CASES:
        with serve_model(starter, *case.script, port=port):
            match = arena.queue(case.limits)
            wait_until(lambda: arena.is_over(match))  # noqa: B023 - it ends in this round
        record = match.legs.get().record_data
        verify(record)
        assert record["result"]["verdicts"] == [case.verdict, "ok"], case.script
        own = [entry for entry in record["actions"] if entry["seat"] == 0 and "auto" not in entry]
        assert {entry.get("refused", 0) for entry in own} == {case.refusals}
    assert (near.end(), far.end()) == (0, 0)


def test_an_interrupt_finishes_the_leg_and_a_second_one_leaves_it(arena: Arena, tmp_path: Path) -> None:
    matches = [arena.queue(), arena.queue()]
    folders = [write_bot(tmp_path / name, pause_s=0.03) for name in ("near", "far")]
    near, far = arena.play("near", folders[0]), arena.play("far", folders[1])
    wait_until(lambda: near.has("started"))
    near.process.send_signal(signal.SIGINT)
    assert near.end() == 0
    assert [line["event"] for line in near.lines].count("started") == 1
    assert sorted(arena.is_over(match) for match in matches) == [False, True]
    near = arena.play("near", folders[0])
    wait_until(lambda: near.has("started"))
    for _ in range(2):
        near.process.send_signal(signal.SIGINT)
        sleep(0.3)
    began = monotonic()
    assert near.end() == 130 and monotonic() - began < 5
    assert near.lines[-1]["event"] == "left" and near.lines[-1]["legs"] == 1
    far.process.send_signal(signal.SIGTERM)
    assert far.end() == 130


def test_a_bot_is_created_and_joins_an_open_ladder(arena: Arena, tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "heron")
    for address, token, code, problem in (
        (arena.address, arena.token, 2, "--create --game"),
        (arena.address, "pnt_wrong", 3, "Create a token at"),
        (f"{arena.address}/ladders", arena.token, 3, "returned 404"),
    ):
        failed = pennant("remote", bot, PENNANT_URL=address, PENNANT_TOKEN=token)
        assert failed.returncode == code and problem in failed.stderr
    for declared in ("model X", "model Y", "model Y"):
        client = arena.play(
            "heron", bot, "--create", "--game", "battleline", "--declared", declared, "--ladder", "short"
        )
        wait_until(lambda: client.has("online"))  # noqa: B023 - it ends in this round
        client.process.send_signal(signal.SIGINT)
        assert client.end() == 0
    versions = BotVersion.objects.filter(bot__slug="heron").order_by("number")
    assert [version.declared for version in versions] == ["model X", "model Y"]
    (entry,) = Entry.objects.filter(version__bot__slug="heron", state=Entry.State.ACTIVE)
    assert (entry.version, entry.ladder.edition, entry.ladder.clock) == (versions[1], "short", "open")
