"""The HTTP side of remote bots, over real sockets: who may poll, for how long, and what is too much."""

import re
import socket
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.models import Bot, Token
from arena.bots.teams import issue_token, revoke_token
from arena.core.handover import Channel, pass_connection
from arena.matches.remote import server as remote_server
from arena.matches.remote.hub import Envelope, Hub
from arena.matches.remote.models import RemoteBot
from arena.matches.remote.server import RemoteBots, Server
from arena.people.accounts.models import User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("outside_loops")]
POLL_S = 0.4
MESSAGES = "/api/v1/remote/messages/"
ANSWERS = "/api/v1/remote/answers/"
ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Running:
    """A server in a thread, with the loop and the bots of its own."""

    port: int
    server: Server
    thread: threading.Thread

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(15)
        assert not self.thread.is_alive()


@contextmanager
def serving(poll_s: float = POLL_S, channel: Channel | None = None) -> Iterator[Running]:
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    port = listener.getsockname()[1]
    bots = RemoteBots(Hub(redis_url=None), poll_s=poll_s)
    server = Server(bots, handed_over=None if channel is None else channel.from_web)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    running = Running(port, server, thread)
    try:
        while not server.started and thread.is_alive():
            sleep(0.01)
        yield running
    finally:
        running.stop()


@pytest.fixture(autouse=True)
def _the_loop_never_asks_the_database(outside_loops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)


@pytest.fixture
def running() -> Iterator[Running]:
    with serving() as running:
        yield running


@pytest.fixture
def far(ana: User) -> Bot:
    return make_remote(ana, "far")


def make_remote(owner: User, slug: str) -> Bot:
    bot = Bot.objects.create(name=slug, slug=slug, owner=owner, game="battleline", is_remote=True)
    RemoteBot.objects.create(bot=bot)
    return bot


@pytest.fixture
def token(ana: User, far: Bot) -> str:
    return issue_token(owner=ana, name="laptop")[1]


def poll(running: Running, token: str, slug: str = "far", client: httpx.Client | None = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"}
    parameters: dict[str, str | int] = {"bot": slug, "room": 1}
    return (client or httpx).get(f"{running.url}{MESSAGES}", params=parameters, headers=headers, timeout=30)


def answer(running: Running, token: str, **fields: object) -> httpx.Response:
    content = {"bot": "far", "leg": "none-0", "key": "hello", "line": '{"type": "ready"}'} | fields
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.post(f"{running.url}{ANSWERS}", json=content, headers=headers, timeout=30)


def wait_until(happened: Callable[[], object], seconds: float = 10.0) -> None:
    deadline = monotonic() + seconds
    while not happened():
        assert monotonic() < deadline, "it didn't happen"
        sleep(0.02)


def test_a_poll_waits_and_ends_with_nothing(running: Running, token: str) -> None:
    began = monotonic()
    response = poll(running, token)
    assert (response.status_code, response.content) == (204, b"")
    assert POLL_S <= monotonic() - began < POLL_S + 5
    assert response.headers["cache-control"] == "no-store" and "server" not in response.headers
    assert Token.objects.get().last_used_at is not None


def test_who_may_not_play_for_a_bot_is_told_why(running: Running, ana: User, far: Bot, token: str) -> None:
    stranger = User.objects.create_user("stranger", password="x")
    other = make_remote(ana, "other")
    Bot.objects.create(name="near", slug="near", owner=ana, game="battleline")
    of_other = issue_token(owner=ana, name="other", bot=other)[1]
    of_stranger = issue_token(owner=stranger, name="theirs")[1]
    refused = [("pnt_wrong", "far", 401), ("wrong", "far", 401), (token, "nobody", 404)]
    refused += [(of_stranger, "far", 403), (of_other, "far", 403), (token, "near", 403)]
    for text, slug, status in refused:
        response = poll(running, text, slug)
        assert response.status_code == status, response.text
        assert response.json()["detail"] == response.json()["error"]["message"]
    assert poll(running, of_other, "other").status_code == 204
    Bot.objects.filter(pk=other.pk).update(stopped_at=now())
    assert "stopped" in poll(running, token, "other").json()["detail"]
    User.objects.filter(pk=ana.pk).update(suspended_at=now())
    last = make_remote(ana, "last")
    assert poll(running, token, last.slug).status_code == 403


def test_a_token_that_is_revoked_ends_the_poll_that_waits(
    ana: User, far: Bot, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_server, "GRANT_CHECK_INTERVAL_S", 0.3)
    with serving(poll_s=20) as running, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(poll, running, token)
        sleep(0.5)
        assert not waiting.done()
        revoke_token(token=Token.objects.get(), owner=ana)
        assert waiting.result(5).status_code == 401
        assert answer(running, token).status_code == 401


def test_the_newest_poll_of_a_bot_waits_and_the_older_one_ends(far: Bot, token: str) -> None:
    with serving(poll_s=20) as running, ThreadPoolExecutor(2) as pool:
        older = pool.submit(poll, running, token)
        sleep(0.5)
        newer = pool.submit(poll, running, token)
        assert older.result(5).status_code == 204
        sleep(0.2)
        assert not newer.done()
        goodbye = httpx.post(
            f"{running.url}/api/v1/remote/goodbye/", json={"bot": "far"}, headers={"Authorization": f"Bearer {token}"}
        )
        assert goodbye.status_code == 200 and newer.result(5).status_code == 204


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"line": None}, 400),
        ({"leg": 3}, 400),
        ({"line": "x" * 66_000}, 413),
        ({"line": "x" * 200_000}, 413),
        ({}, 404),
    ],
)
def test_answers_that_make_no_sense_are_refused(
    running: Running, token: str, fields: dict[str, object], status: int
) -> None:
    assert answer(running, token, **fields).status_code == status


def test_what_isnt_json_or_no_route_is_refused(running: Running, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=running.url, headers=headers) as client:
        assert client.post(ANSWERS, content=b'{"bot": ').status_code == 400
        assert client.post(ANSWERS, content=b"[]").status_code == 400
        assert client.get(MESSAGES, params={"bot": "far", "room": "9"}).status_code == 400
        assert client.get(ANSWERS).status_code == 405
        assert client.get("/api/v1/remote/").status_code == 404
        assert client.get("/ladders/").status_code == 404
        assert client.get("/health/").json() == {"status": "ok"}
        in_hungarian = client.get("/ladders/", headers={"Accept-Language": "hu-HU,hu;q=0.9"}).json()
        assert in_hungarian["detail"] == "Ezen a címen nincs semmi."


def read_to_end(connection: socket.socket) -> bytes:
    connection.settimeout(10)
    received = b""
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            return received
        if not part:
            return received
        received += part


def test_heads_and_bodies_have_to_arrive_in_time(running: Running, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_server, "HEAD_TIMEOUT_S", 0.3)
    monkeypatch.setattr(remote_server, "BODY_TIMEOUT_S", 0.3)
    halves = {b"": b"", b"GET /api/v1/remote/mess": b"", b"GET / HTTP/1.1\r\nHost: x\r\n": b""}
    halves[b'POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{"bot"' % ANSWERS.encode()] = b"408"
    for sent, answered in halves.items():
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.sendall(sent)
            began = monotonic()
            assert read_to_end(connection)[9:12] == answered
            assert monotonic() - began < 5
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(b"GET /health/ HTTP/1.1\r\nHost: x\r\n\r\nGET /health/ HT")
        assert read_to_end(connection).count(b"200 OK") == 1


@pytest.mark.parametrize(
    ("sent", "more"),
    [
        (b"GET /", b"x"),
        (b"GET / HTTP/1.1\r\nX: ", b"x"),
        (b"", b"\r\n"),
        (b"POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " % ANSWERS.encode(), b"x"),
    ],
    ids=["address", "header", "empty lines", "trailer"],
)
def test_requests_without_an_end_are_refused(running: Running, sent: bytes, more: bytes) -> None:
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        began = monotonic()
        with suppress(OSError):
            connection.sendall(sent + more * 1000)
            connection.sendall(more * 60_000)
        # A connection that is closed while more arrives is reset, and its response may be lost.
        assert read_to_end(connection)[:12] in (b"HTTP/1.1 400", b"")
        assert monotonic() - began < remote_server.HEAD_TIMEOUT_S / 2


def test_requests_that_come_together_are_answered_in_their_order(running: Running) -> None:
    requests = [b"GET /health/ HTTP/1.1\r\nHost: x", b"GET /nothing/ HTTP/1.1\r\nHost: x\r\nConnection: close"]
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(b"".join(request + b"\r\n\r\n" for request in requests))
        assert re.findall(rb"HTTP/1.1 (\d+)", read_to_end(connection)) == [b"200", b"404"]


def test_floods_are_slowed_down_and_others_are_not(
    running: Running, ana: User, token: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_server, "MAX_WRONG_TOKENS_PER_MINUTE", 5)
    settings.REMOTE_MESSAGES_PER_MINUTE = 6
    make_remote(ana, "other")
    statuses = [answer(running, token).status_code for _ in range(12)]
    assert statuses.count(429) >= 2 and statuses[:6] == [404] * 6
    refused = answer(running, token)
    assert refused.status_code == 429 and 1 <= int(refused.headers["retry-after"]) <= 11
    assert poll(running, token, "other").status_code == 204
    wrong = [poll(running, f"pnt_{number}").status_code for number in range(9)]
    assert wrong.count(401) >= 5 and wrong[-1] == 429, "guessing tokens"
    assert poll(running, token, "other").status_code == 204, "who is known already"


def test_names_that_a_database_refuses_never_reach_it(
    running: Running, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    look_up = remote_server.look_up

    def note_and_look_up(keys: Collection[tuple[str, str]]) -> object:
        asked.extend(slug for _, slug in keys)
        return look_up(keys)

    monkeypatch.setattr(remote_server, "look_up", note_and_look_up)
    for slug in ("far\0", "x" * 9000, "far"):
        assert poll(running, token, slug).status_code == (204 if slug == "far" else 404)
    assert set(asked) == {"far"}


def test_earlier_turns_are_only_sent_again_so_often(
    running: Running, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_server, "MAX_REPLAYED_PER_MINUTE", 20)
    found = [Envelope("a-0", f"{n}.earlier", {"type": "turn", "n": n}, "pass") for n in (3, 9)]
    found += [Envelope("a-0", "12.0", {"type": "turn", "n": 12}), Envelope("b-0", "30.0", {"type": "turn", "n": 30})]
    monkeypatch.setattr(running.server.bots.hub, "collect", lambda bot, have, fresh: (found, ["a-0", "b-0"]))
    assert [poll(running, token).status_code for _ in range(4)] == [200, 200, 200, 429]


def test_an_address_has_only_so_many_connections(running: Running, token: str, settings: Settings) -> None:
    settings.REMOTE_CONNECTIONS_PER_ADDRESS = 3
    held = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(3)]
    wait_until(lambda: len(running.server.server_state.connections) == 3)
    refused = poll(running, token)
    assert refused.status_code == 429 and refused.headers["connection"] == "close"
    for connection in held:
        connection.close()
    wait_until(lambda: not running.server.server_state.connections)
    assert poll(running, token).status_code == 204
    wait_until(lambda: not running.server.bots.limits.held)


def test_behind_a_proxy_its_entry_counts_as_the_address(running: Running, token: str, settings: Settings) -> None:
    settings.PROXIES, settings.REMOTE_CONNECTIONS_PER_ADDRESS = 1, 1

    def ask(address: str) -> int:
        headers = {"Authorization": f"Bearer {token}", "X-Forwarded-For": f"10.9.9.9, {address}"}
        return httpx.get(f"{running.url}{MESSAGES}", params={"bot": "far"}, headers=headers).status_code

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(ask, "192.0.2.1")
        sleep(0.1)
        assert ask("192.0.2.1") == 429
        assert ask("2001:db8::1") == 204 and first.result() == 204


def test_a_client_that_goes_is_noticed(far: Bot, token: str) -> None:
    with serving(poll_s=20) as running:
        head = f"GET {MESSAGES}?bot=far&room=2 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.sendall(head.encode())
            wait_until(lambda: running.server.bots._polls)
        wait_until(lambda: not running.server.bots._polls and not running.server.bots.limits.held)


def test_300_polls_wait_without_a_thread_each_and_end_at_a_stop(ana: User, settings: Settings) -> None:
    settings.REMOTE_CONNECTIONS_PER_ADDRESS = 1000
    token = issue_token(owner=ana, name="laptop")[1]
    names = [f"far-{number}" for number in range(300)]
    Bot.objects.bulk_create(Bot(name=name, slug=name, owner=ana, game="battleline", is_remote=True) for name in names)
    RemoteBot.objects.bulk_create(RemoteBot(bot=bot) for bot in Bot.objects.filter(slug__in=names))
    threads = threading.active_count()
    with ExitStack() as stack, serving(poll_s=60) as running:
        connections = []
        for name in names:
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", running.port)))
            head = f"GET {MESSAGES}?bot={name}&room=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
            connection.sendall(head.encode())
            connections.append(connection)
        wait_until(lambda: len(running.server.bots._polls) == 300, 30)
        assert threading.active_count() < threads + 8
        began = monotonic()
        running.stop()
        assert monotonic() - began < 10
        said = [read_to_end(connection) for connection in connections]
    assert {response[:12] for response in said} == {b"HTTP/1.1 204"}


def test_a_connection_that_the_web_passes_goes_back_for_other_addresses(far: Bot, token: str) -> None:
    web = socket.create_server(("127.0.0.1", 0))
    with web, closing(Channel.make()) as channel, serving(channel=channel) as running:
        client = socket.create_connection(web.getsockname())
        accepted, _ = web.accept()
        head = f"GET {MESSAGES}?bot=far&room=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
        client.sendall(head.encode())
        assert pass_connection(channel, accepted)
        accepted.close()
        with closing(client):
            client.settimeout(10)
            assert client.recv(4096).startswith(b"HTTP/1.1 204")
            client.sendall(b"GET //ladders/?page=2 HTTP/1.1\r\nHost: x\r\n\r\n")
            said = read_to_end(client)
        assert said.startswith(b"HTTP/1.1 307") and b"location: /ladders/?page=2\r\n" in said, "not of another site"
        assert len(running.server.server_state.connections) == 0
