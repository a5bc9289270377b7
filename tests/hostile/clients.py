"""Hostile clients of the remote-bot server: what each must get, while two well-behaved bots play on.

    uv run python -m tests.hostile.clients [--full]

The server is a real process with its database. The hostile clients come from another address of this machine than the
two calm bots, which run in a process of their own. Printed are what came back, the calm bots' latency during each
attack (from an answer sent to its receipt), and the server's memory.
"""

import json
import re
import socket
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode

import httpx

from tests.empty_database import copy_empty_database, make_empty_database
from tests.servers import free_port
from tests.story.installation import Installation

PATH = "/api/v1/remote/"
FOREIGN_ADDRESS = "127.0.0.2"
"""All of 127.0.0.0/8 is this machine, but the server counts by address."""
READY = '{"type":"ready"}'
CALM, DUELLISTS = ("calm", "placid"), ("villain", "victim")
LEGS = {CALM: 60, DUELLISTS: 8}
CALM_PAUSE_S = 0.2
MAX_GROWTH_MB = 30
AWAY_S = 7.0
"""A bot without a poll is away after five seconds."""
SLOW_TIMEOUT_S = 14.0
"""Heads and bodies have ten seconds to arrive."""


# The bots that behave well, in a process of their own: `python -m tests.hostile.clients play URL LOG BOT TOKEN …`.


@dataclass
class Player:
    """A bot that plays at random, one message after the other."""

    url: str
    bot: str
    token: str
    address: str | None = None
    room: int = 1
    ready: str = READY
    have: dict[str, str] = field(default_factory=dict)
    ended: int = 0

    def __post_init__(self) -> None:
        self.client = httpx.Client(
            base_url=self.url + PATH,
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=40,
            transport=httpx.HTTPTransport(local_address=self.address),
        )

    def poll(self, **more: Any) -> httpx.Response:
        have = ",".join(f"{leg}:{key}" for leg, key in self.have.items())
        return self.client.get("messages/", params={"bot": self.bot, "room": self.room, "have": have, **more})

    def fetch(self) -> list[dict[str, Any]]:
        """Return new messages."""
        response = self.poll()
        if response.status_code != 200:
            sleep(0.5 * (response.status_code != 204))
            return []
        told = response.json()
        for leg in set(self.have) - set(told["legs"]):
            del self.have[leg]
        for one in told["messages"]:
            self.have[one["leg"]] = one["key"]
        return list(told["messages"])

    def answer(self, leg: str, key: str, line: str) -> httpx.Response:
        return self.client.post("answers/", json={"bot": self.bot, "leg": leg, "key": key, "line": line})

    def choose(self, message: dict[str, Any]) -> str | None:
        """Return the line that answers a message, or None if none does."""
        if message["type"] == "hello":
            return self.ready
        if message["type"] == "turn":
            claims = [action for action in message["legal"] if action.startswith("claim")]
            return json.dumps({"action": (claims or message["legal"])[0]})
        return "" if message["type"] == "end" else None

    def play_on(self, one: dict[str, Any]) -> httpx.Response | None:
        """Answer a message."""
        line = self.choose(one["message"])
        self.ended += one["message"]["type"] == "end"
        return None if line is None or "answered" in one else self.answer(one["leg"], one["key"], line)


def play_calmly(url: str, log: str, *bots_and_tokens: str) -> None:
    """Play until this process is ended, and log each answer: when it was sent, its milliseconds, and its status."""
    with open(log, "w", buffering=1) as file:

        def play(bot: str, token: str) -> None:
            player = Player(url, bot, token)
            while True:
                for one in player.fetch():
                    sleep(CALM_PAUSE_S)
                    began = monotonic()
                    response = player.play_on(one)
                    if response is not None:
                        told = response.json().get("status") or f"{one['key']}:{response.text}".replace(" ", "_")
                        file.write(f"{began} {(monotonic() - began) * 1000} {told}\n")

        pairs = list(zip(bots_and_tokens[::2], bots_and_tokens[1::2], strict=True))
        with ThreadPoolExecutor(len(pairs)) as pool:
            for playing in [pool.submit(play, *pair) for pair in pairs]:
                playing.result()


# The scene: a server, its bots, and what hostile clients need.


class Scene:
    """A server with two pairs of bots; the second pair's programs are the hostile client's."""

    def __init__(self, stack: ExitStack, database: Path) -> None:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="hostile-")))
        copy_empty_database(database, folder)
        (folder / "broker").mkdir()
        self.arena, self.port = Installation(folder), free_port()
        names = [*CALM, *DUELLISTS]
        told = self.arena.run("tests.story.author", "remote", "battleline", *names).split()
        self.tokens = dict(zip(names, told, strict=True))
        self.tokens |= dict(zip(("revoked", "of another bot"), self._issue_more(), strict=True))
        for pair, legs in LEGS.items():
            self.arena.run("tests.story.author", "legs", "standard", str(legs), *pair)
        command = [sys.executable, "manage.py", "serve_remote_bots", "--bind", f"127.0.0.1:{self.port}"]
        self.log = folder / "remote.log"
        self.url = f"http://127.0.0.1:{self.port}"
        self.duel = Duel(self)
        stack.callback(self.duel.close)
        self.process = stack.enter_context(self.arena.running("remote", command))
        wait_until(lambda: self.is_healthy() or self.process.poll() is not None, 30)
        assert self.process.poll() is None, self.log.read_text()
        self.duel.thread.start()
        self.calm_log = folder / "calm.log"
        self.calm_log.touch()
        command = [sys.executable, "-m", "tests.hostile.clients", "play", self.url, str(self.calm_log)]
        command += [word for name in CALM for word in (name, self.tokens[name])]
        stack.enter_context(self.arena.running("calm", command))

    def _issue_more(self) -> list[str]:
        code = (
            "from arena.bots.models import Bot; from arena.bots.teams import issue_token, revoke_token\n"
            "from arena.people.accounts.models import User\n"
            "eve, bot = User.objects.get(username='villain'), Bot.objects.get(slug='villain')\n"
            "token, text = issue_token(owner=eve, name='old'); revoke_token(token=token, owner=eve); print(text)\n"
            "bot.pk = None; bot.slug = bot.name = 'spare'; bot.save()\n"
            "print(issue_token(owner=eve, name='of another', bot=bot)[1])\n"
        )
        return self.arena.manage("shell", "--verbosity", "0", "--command", code).split()

    def is_healthy(self) -> bool:
        try:
            return httpx.get(f"{self.url}/health/").is_success
        except httpx.HTTPError:
            return False

    def measure_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def list_latencies(self, since: float, until: float = float("inf")) -> list[float]:
        """Return the milliseconds of the calm bots' answers in this time."""
        rows = [line.split() for line in self.calm_log.read_text().splitlines() if line.count(" ") == 2]
        chosen = [(float(took), told) for at, took, told in rows if since <= float(at) < until]
        return [took for took, _ in chosen]

    def list_refused(self) -> list[str]:
        """Return what the calm bots got for their answers, where that isn't that it was taken."""
        return [line for line in self.calm_log.read_text().splitlines() if not line.endswith(" taken")]

    # Ways to ask.

    @contextmanager
    def connect(self, timeout_s: float = SLOW_TIMEOUT_S) -> Iterator[socket.socket]:
        """Yield a connection from the hostile address."""
        with socket.create_connection(
            ("127.0.0.1", self.port), timeout=timeout_s, source_address=(FOREIGN_ADDRESS, 0)
        ) as connection:
            yield connection

    def build(self, method: str, path: str, body: bytes = b"", *headers: str, token: str | None = "villain") -> bytes:
        """Return a request's bytes."""
        lines = [f"{method} {path} HTTP/1.1", "Host: arena", *headers]
        if token is not None:
            lines.append(f"Authorization: Bearer {self.tokens.get(token, token)}")
        if body and not any(line.lower().startswith(("content-length", "transfer-")) for line in headers):
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    def build_poll(self, token: str | None = "villain", headers: tuple[str, ...] = (), **query: Any) -> bytes:
        address = f"{PATH}messages/?{urlencode({'bot': 'villain', 'room': 1, **query})}"
        return self.build("GET", address, b"", *headers, token=token)

    def build_answer(self, token: str | None = "villain", raw: bytes | None = None, **fields: Any) -> bytes:
        content = {"bot": "villain", "leg": "none-0", "key": "0.0", "line": READY, **fields}
        return self.build("POST", f"{PATH}answers/", raw or json.dumps(content).encode(), token=token)

    def ask(self, request: bytes) -> str:
        """Return the status that a request gets, with what became of an answer; "closed" without one."""
        with self.connect() as connection:
            with suppress(OSError):  # it may be refused before it's complete
                connection.sendall(request)
            return describe(read_response(connection))


def read_response(connection: socket.socket) -> bytes:
    """Return one response, or what there is of it."""
    return next(read_responses(connection))


def read_responses(connection: socket.socket) -> Iterator[bytes]:
    """Yield one response after the other, without end."""
    received = b""
    while True:
        try:
            while (size := find_size(received)) is None and (part := connection.recv(65536)):
                received += part
        except ConnectionError:
            size = None
        except TimeoutError:
            size, received = None, b"HTTP/1.1 (nothing)"
        yield received[:size]
        received = b"" if size is None else received[size:]


def find_size(received: bytes) -> int | None:
    """Return the size of the first response, or None if it isn't complete."""
    head, found, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    size = int(length[1]) if length else 0
    return len(head) + 4 + size if found and len(body) >= size else None


def describe(response: bytes) -> str:
    """Return the status of a response, with what it says of an answer."""
    if not response:
        return "closed"
    status = response[9:].split(b"\r\n")[0].split(b" ")[0].decode()
    with suppress(ValueError, AttributeError):
        told = json.loads(response.partition(b"\r\n\r\n")[2]).get("status")
        return f"{status} {told}" if told else status
    return status


def wait_until(happened: Callable[[], object], seconds: float = 10.0) -> None:
    deadline = monotonic() + seconds
    while not happened():
        assert monotonic() < deadline, "it didn't happen in time"
        sleep(0.02)


class Duel:
    """Legs between the hostile bot and its victim, up to a decision of the hostile one. The victim always plays on."""

    def __init__(self, scene: Scene) -> None:
        self.villain, self.victim = (
            Player(scene.url, name, scene.tokens[name], address=FOREIGN_ADDRESS) for name in DUELLISTS
        )
        self.villain.ready = '{"type":"ready","stateful":true}'
        self.thread = threading.Thread(target=self._play_victim, daemon=True)

    def close(self) -> None:
        """Close the connections, once the server has ended."""
        if self.thread.ident is not None:
            self.thread.join()
        for player in (self.villain, self.victim):
            player.client.close()

    def _play_victim(self) -> None:
        with suppress(httpx.HTTPError):  # when the server ends
            while True:
                for one in self.victim.fetch():
                    self.victim.play_on(one)

    def reach_turn(self, n: int = 0) -> tuple[str, str, str]:
        """Return the leg, the key and a right answer of a decision of the hostile bot, the n-th of its leg or later."""
        self.villain.have.clear()
        while True:
            for one in self.villain.fetch():
                if one["message"]["type"] == "turn" and one["message"]["n"] >= n and "answered" not in one:
                    return one["leg"], one["key"], self.villain.choose(one["message"]) or ""
                self.villain.play_on(one)

    def end_leg(self) -> tuple[str, str, str]:
        """Play the present leg to its end, and return its last answer, which was taken."""
        last = self.reach_turn()
        self.villain.answer(*last)
        while True:
            for one in self.villain.fetch():
                if one["message"]["type"] == "turn":
                    last = one["leg"], one["key"], self.villain.choose(one["message"]) or ""
                self.villain.play_on(one)
                if one["leg"] == last[0] and one["message"]["type"] == "end":
                    return last


# The attacks. Each returns what came back.


@dataclass(frozen=True, slots=True)
class Attack:
    name: str
    expected: str
    """Statuses that are right, with "or" between them, as `run` returns them."""
    run: Callable[[Scene], str]
    is_full: bool = False
    is_slow: bool = False
    """Whether it takes its time, and little else."""


def ask_for(expected: str, name: str, build: Callable[[Scene], bytes]) -> Attack:
    """An attack of one request."""
    return Attack(name, expected, lambda scene: scene.ask(build(scene)))


def answer_turn(expected: str, name: str, change: Callable[[str, str, str], dict[str, Any]]) -> Attack:
    """An attack by one answer to a decision that waits; the right answer has to be taken afterwards."""

    def run(scene: Scene) -> str:
        leg, key, line = scene.duel.reach_turn()
        told = scene.ask(scene.build_answer(**{"leg": leg, "key": key, "line": line, **change(leg, key, line)}))
        leg, key, line = scene.duel.reach_turn()
        right = scene.ask(scene.build_answer(leg=leg, key=key, line=line))
        return told if right == "200 taken" else f"{told}, and then {right} for the right answer"

    return Attack(name, expected, run)


def repeat_answer(scene: Scene) -> str:
    leg, key, line = scene.duel.reach_turn()
    answer = scene.build_answer(leg=leg, key=key, line=line)
    other = scene.build_answer(leg=leg, key=key, line=line.replace("}", ', "note": "no"}'))
    return ", ".join(scene.ask(one) for one in (answer, answer, other))


def answer_at_once(scene: Scene) -> str:
    """Send the same answer and another one twenty times at once: one of the two is taken, the other one never."""
    leg, key, line = scene.duel.reach_turn()
    lines = (line, line.replace("}", ', "note": "no"}'))
    requests = [scene.build_answer(leg=leg, key=key, line=lines[number % 2]) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(scene.ask, requests))
    kinds = [sorted(set(told[first::2])) for first in (0, 1)]
    return ", ".join(one for kind in sorted(kinds, reverse=True) for one in kind)


def answer_late(scene: Scene) -> str:
    leg, key, line = scene.duel.end_leg()
    return scene.ask(scene.build_answer(leg=leg, key=key, line=line.replace("}", ', "note": "no"}')))


def vanish_after_answering(scene: Scene) -> str:
    """Reset the connection as soon as the answer is sent; sent again, it is taken once."""
    leg, key, line = scene.duel.reach_turn()
    request = scene.build_answer(leg=leg, key=key, line=line)
    with scene.connect() as connection:
        connection.sendall(request)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    return scene.ask(request)


def send_slowly(request: Callable[[Scene], bytes], *, at_once: int, pause_s: float = 0.3) -> Callable[[Scene], str]:
    """Send the first bytes at once, the others one by one, and return what came back, and after how long at most."""

    def run(scene: Scene) -> str:
        content = request(scene)
        began = monotonic()
        with scene.connect() as connection:
            connection.sendall(content[:at_once])
            connection.settimeout(pause_s)
            received, rest = b"", iter(content[at_once:])
            while monotonic() - began < SLOW_TIMEOUT_S:
                with suppress(TimeoutError, BrokenPipeError, ConnectionResetError):
                    if part := connection.recv(4096):
                        received += part
                        continue
                    break
                try:
                    connection.sendall(bytes([next(rest, 0x20)]) if pause_s < 1 else b"")
                except OSError:
                    break
            else:
                return "still open"
        return describe(received)

    return run


def pipeline(scene: Scene) -> str:
    """Send three requests in one write, the second of which is wrong."""
    health = scene.build("GET", "/health/", token=None)
    with scene.connect() as connection:
        connection.sendall(health + scene.build_answer(leg="none-0") + health)
        responses = read_responses(connection)
        return ", ".join(describe(next(responses)) for _ in range(3))


def smuggle(scene: Scene) -> str:
    """Hide a request in a body whose length is said in two ways."""
    hidden = scene.build("POST", f"{PATH}goodbye/", b'{"bot": "calm"}')
    return scene.ask(
        scene.build("POST", f"{PATH}answers/", b"0\r\n\r\n" + hidden, "Content-Length: 5", "Transfer-Encoding: chunked")
    )


def send_chunks(scene: Scene) -> str:
    """Send 10 MB without saying so before."""
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    return scene.ask(scene.build("POST", f"{PATH}answers/", chunk * 160 + b"0\r\n\r\n", "Transfer-Encoding: chunked"))


def keep_connections(count: int) -> Callable[[Scene], str]:
    """Open connections that say nothing, and return how many are left open, and what one more gets."""

    def run(scene: Scene) -> str:
        with ExitStack() as stack:
            held = [stack.enter_context(scene.connect()) for _ in range(count)]
            sleep(0.3)
            told = scene.ask(scene.build_poll())
            for connection in held:
                connection.settimeout(0.001)
            return told

    return run


def poll_from_several_programs(scene: Scene) -> str:
    """Let four programs poll for one bot: the newest waits, the others are told that there is nothing."""
    scene.duel.reach_turn()
    have = ",".join(f"{leg}:{key}" for leg, key in scene.duel.villain.have.items())
    with ExitStack() as stack:
        held = [stack.enter_context(scene.connect()) for _ in range(4)]
        for connection in held:
            connection.sendall(scene.build_poll(have=have))
            sleep(0.1)
        told = [describe(read_response(connection)) for connection in held[:3]]
        held[3].settimeout(0.5)
        return ", ".join([*told, describe(read_response(held[3]))])


def poll_in_turns(scene: Scene) -> str:
    """Let two programs displace each other as fast as they can."""
    leg, key, _ = scene.duel.reach_turn()
    return flood(lambda scene: scene.build_poll(have=f"{leg}:{key}"), 2, programs=2)(scene)


def poll_with_long_number(scene: Scene) -> str:
    leg, _, _ = scene.duel.reach_turn()
    return scene.ask(scene.build_poll(have=f"{leg}:{'9' * 5000}"))


def stall(scene: Scene) -> str:
    """Have an answer refused, then send late ones instead of polling: the bot is away all the same."""
    leg, key, line = scene.duel.reach_turn()
    scene.ask(scene.build_answer(leg=leg, key=key, line="no"))
    until = monotonic() + AWAY_S
    while monotonic() < until:
        told = scene.ask(scene.build_answer(leg=leg, key="9999.0", line=line))
        sleep(0.5)
    (is_online,) = scene.arena.query(
        "select is_online from remote_remotebot presence join bots_bot bot on bot.id = presence.bot_id"
        " where bot.slug = 'villain'"
    )[0]
    return f"{told}, {'online' if is_online else 'offline'}"


def start_anew(seconds: float) -> Callable[[Scene], str]:
    """Ask for a long leg of a stateful bot from its beginning, again and again."""

    def run(scene: Scene) -> str:
        leg, _, _ = scene.duel.reach_turn(40)
        return flood(lambda scene: scene.build_poll(fresh=leg), seconds)(scene)

    return run


def read_nothing(count: int, wait_s: float) -> Callable[[Scene], str]:
    """Ask for a long leg anew on many connections, without reading what comes."""

    def run(scene: Scene) -> str:
        leg, _, _ = scene.duel.reach_turn(40)
        request = scene.build_poll(fresh=leg)
        before = scene.measure_mb()
        with ExitStack() as stack:
            held = []
            for _ in range(count):
                connection = stack.enter_context(scene.connect())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.sendall(request * 20)
                held.append(connection)
            sleep(wait_s)
            grown = scene.measure_mb() - before
            fine = scene.is_healthy()
        return "bounded" if fine and grown < MAX_GROWTH_MB else f"grew by {grown:.0f} MB"

    return run


def flood(build: Callable[[Scene], bytes], seconds: float, programs: int = 4) -> Callable[[Scene], str]:
    """Send a request as fast as answers come, with several programs, and return the statuses by their count."""

    def run(scene: Scene) -> str:
        counts: Counter[str] = Counter()
        until = monotonic() + seconds

        def hammer() -> None:
            while monotonic() < until:
                with scene.connect(timeout_s=1.0) as connection:
                    while monotonic() < until:
                        try:
                            connection.sendall(build(scene))
                            response = read_response(connection)
                        except OSError:
                            break
                        if not response:
                            break
                        counts[describe(response)] += 1

        with ThreadPoolExecutor(programs) as pool:
            for _ in range(programs):
                pool.submit(hammer)
        return ", ".join(f"{status} × {count}" for status, count in sorted(counts.items()))

    return run


DEEP = b"[" * 10_000 + b"]" * 10_000
ATTACKS = [
    # Tokens and bots.
    ask_for("401", "no token", lambda scene: scene.build_poll(token=None)),
    ask_for("401", "a token that is no token", lambda scene: scene.build_poll(token="x")),
    ask_for("401", "a token with other bytes", lambda scene: scene.build_poll(token="pnt_\xff\xfe")),
    ask_for("401", "a guessed token", lambda scene: scene.build_poll(token="pnt_" + "A" * 43)),
    ask_for("401", "a revoked token", lambda scene: scene.build_poll(token="revoked")),
    ask_for("403", "a token of another author", lambda scene: scene.build_poll(token="victim")),
    ask_for(
        "403", "a token for another bot of the same author", lambda scene: scene.build_poll(token="of another bot")
    ),
    ask_for("403", "another author's bot", lambda scene: scene.build_poll(bot="calm")),
    ask_for("403", "an answer for another author's bot", lambda scene: scene.build_answer(bot="calm")),
    ask_for(
        "403",
        "a goodbye for another author's bot",
        lambda scene: scene.build("POST", f"{PATH}goodbye/", b'{"bot": "calm"}'),
    ),
    ask_for("404", "a bot that isn't there", lambda scene: scene.build_poll(bot="nobody")),
    ask_for("404", "a bot with a long name", lambda scene: scene.build_poll(bot="x" * 9000)),
    ask_for("404", "a bot with odd characters", lambda scene: scene.build_poll(bot="\0\ud7ff'; --")),
    # Polls.
    ask_for("400", "room for -1 legs", lambda scene: scene.build_poll(room=-1)),
    ask_for("400", "room for 10**9 legs", lambda scene: scene.build_poll(room=10**9)),
    ask_for("400", "room for 10**5000 legs", lambda scene: scene.build_poll(room="1" + "0" * 5000)),
    ask_for("400", "room for a fullwidth number of legs", lambda scene: scene.build_poll(room="１")),
    ask_for("400", "room for 0089 legs", lambda scene: scene.build_poll(room="0089")),
    ask_for("400", "room for 008 and 5,000 more digits", lambda scene: scene.build_poll(room="008" + "1" * 5000)),
    ask_for("400", "room for NaN legs", lambda scene: scene.build_poll(room="NaN")),
    ask_for("200", "a list of 1,200 legs that it hasn't", lambda scene: scene.build_poll(have="a-0:1.0," * 1200)),
    ask_for("200", "a list of 2,500 fresh legs", lambda scene: scene.build_poll(fresh="a-0," * 2500, have="b-0:end")),
    ask_for("400", "a list of 10,000 legs", lambda scene: scene.build_poll(have="a-0:1.0," * 10_000)),
    ask_for("200", "a list of nonsense", lambda scene: scene.build_poll(have=":,::,\0:\0,a:b:c,-:-,9" * 20)),
    Attack("a key of 5,000 digits", "200", poll_with_long_number),
    # Answers.
    ask_for("404", "an answer to a leg that isn't there", lambda scene: scene.build_answer(leg="none-0")),
    ask_for("404", "an answer to a leg of odd characters", lambda scene: scene.build_answer(leg="-\0-١")),
    ask_for("400", "an answer to a leg with a long name", lambda scene: scene.build_answer(leg="x" * 5000)),
    ask_for("400", "an answer to no leg", lambda scene: scene.build_answer(leg=None)),
    ask_for("400", "an answer that is a list", lambda scene: scene.build_answer(line=["x"])),
    ask_for("400", "an answer that is null", lambda scene: scene.build_answer(raw=b"null")),
    ask_for("400", "an answer that is binary", lambda scene: scene.build_answer(raw=bytes(range(256)) * 20)),
    ask_for("400", "an answer that is half a JSON", lambda scene: scene.build_answer(raw=b'{"bot": "villain", "leg')),
    ask_for("400", "an answer that is 10,000 levels deep", lambda scene: scene.build_answer(raw=DEEP)),
    ask_for("400", "an answer with NaN", lambda scene: scene.build_answer(raw=b'{"bot": "villain", "leg": NaN}')),
    ask_for("400", "an answer with half a surrogate", lambda scene: scene.build_answer(line="\ud800")),
    ask_for("413", "a line of 64 KiB and a byte", lambda scene: scene.build_answer(line="x" * 65537)),
    ask_for("413", "a line of 10 MB", lambda scene: scene.build_answer(line="x" * 10_000_000)),
    Attack("10 MB in chunks", "413", send_chunks),
    answer_turn(
        "404", "an answer to a leg at another seat", lambda leg, key, line: {"leg": f"{leg[:-1]}{1 - int(leg[-1])}"}
    ),
    answer_turn("404", "an answer to a leg at seat 99", lambda leg, key, line: {"leg": f"{leg[:-1]}99"}),
    answer_turn("409", "an answer to a later decision", lambda leg, key, line: {"key": "9999.0"}),
    answer_turn("409", "an answer to an earlier decision", lambda leg, key, line: {"key": "-1.0"}),
    answer_turn("409", "an answer to a refusal that isn't there", lambda leg, key, line: {"key": f"{key}r"}),
    answer_turn("409", "an answer to the end of a leg that goes on", lambda leg, key, line: {"key": "end", "line": ""}),
    answer_turn("409", "an answer with an odd key", lambda leg, key, line: {"key": "\0NaN.Infinity"}),
    answer_turn(
        "200 taken", "a greeting of a leg that goes on", lambda leg, key, line: {"key": "hello", "line": READY}
    ),
    answer_turn(
        "200 taken", "another greeting of a leg that goes on", lambda leg, key, line: {"key": "hello", "line": "{}"}
    ),
    answer_turn("200 refused", "an illegal action", lambda leg, key, line: {"line": '{"action": "claim 99"}'}),
    answer_turn("200 refused", "an empty line", lambda leg, key, line: {"line": ""}),
    answer_turn("200 refused", "two lines", lambda leg, key, line: {"line": f"{line}\n{line}"}),
    answer_turn("200 refused", "a line with NaN", lambda leg, key, line: {"line": '{"action": "pass", "eval": NaN}'}),
    answer_turn(
        "200 refused", "a line with a key twice", lambda leg, key, line: {"line": f'{line[:-1]}, "action": 1}}'}
    ),
    answer_turn("200 refused", "a line 10,000 levels deep", lambda leg, key, line: {"line": DEEP.decode()}),
    answer_turn("200 refused", "a line of control characters", lambda leg, key, line: {"line": "\0\x1b[2J\u202e"}),
    Attack("the same answer again, then another one", "200 taken, 200 taken, 409", repeat_answer),
    Attack("two different answers, eight requests at once", "409, 200 taken", answer_at_once),
    Attack("an answer after the end of the leg", "409|404", answer_late),
    Attack("a client that is gone when it has answered", "200 taken", vanish_after_answering),
    Attack("late answers instead of polls", "409, offline", stall),
    # HTTP.
    ask_for("404", "another path", lambda scene: scene.build("GET", f"{PATH}../remote/messages/")),
    ask_for("405", "another method", lambda scene: scene.build("DELETE", f"{PATH}answers/")),
    ask_for("400", "no HTTP", lambda scene: b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + bytes(500)),
    ask_for("400|404", "HTTP/2", lambda scene: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ask_for("200|400", "a head of 20 KB", lambda scene: scene.build_poll(headers=("X: " + "x" * 20_000,))),
    ask_for(
        "400", "a negative length", lambda scene: scene.build("POST", f"{PATH}answers/", b"{}", "Content-Length: -5")
    ),
    ask_for(
        "400|413",
        "a length of 4,300 digits",
        lambda scene: scene.build("POST", f"{PATH}answers/", b"{}", "Content-Length: " + "9" * 4300),
    ),
    Attack("two lengths of one body", "400", smuggle),
    Attack("three requests in one write", "200 ok, 404, 200 ok|200 ok, 404, closed", pipeline),
    # Slowness. These run at the same time as all others.
    Attack(
        "a connection that says nothing", "closed", send_slowly(lambda scene: b"", at_once=0, pause_s=2), is_slow=True
    ),
    Attack(
        "half a head", "closed", send_slowly(lambda scene: scene.build_poll()[:40], at_once=40, pause_s=2), is_slow=True
    ),
    Attack("a head byte by byte", "closed", send_slowly(lambda scene: scene.build_poll(), at_once=20), is_slow=True),
    Attack(
        "half a body", "408", send_slowly(lambda scene: scene.build_answer()[:-9], at_once=999, pause_s=2), is_slow=True
    ),
    Attack(
        "a body byte by byte",
        "408",
        send_slowly(lambda scene: scene.build_answer(line="x" * 9000), at_once=300),
        is_slow=True,
    ),
    # Quantity.
    Attack("300 idle connections", "429|closed", keep_connections(300)),
    Attack("four programs poll for one bot", r"204, 204, 204, \(nothing\)", poll_from_several_programs),
    Attack("30 readers of nothing, of long replies", "bounded", read_nothing(30, 1.0)),
    Attack(
        "a flood of guessed tokens", "401.*", flood(lambda scene: scene.build_poll(token=f"pnt_{token_hex(20)}"), 1.5)
    ),
    Attack("two programs that displace each other", ".*204.*", poll_in_turns),
    Attack("fresh processes, one after the other", "200.*", start_anew(3.0)),
    Attack("a flood of answers", ".*429.*", flood(Scene.build_answer, 2)),
    Attack("a long flood of answers", ".*429.*", flood(Scene.build_answer, 20, 8), is_full=True),
    Attack("60 readers of nothing for a minute", "bounded", read_nothing(60, 60.0), is_full=True),
]


# Carry all out, and look at what it did to the others.

BASELINE_S = 3.0


@dataclass
class Outcome:
    attack: Attack
    came: str
    took_s: float
    growth_mb: float
    calm_ms: float | None
    """Median of the calm bots' latencies during the attack, if it took long enough."""

    @property
    def is_right(self) -> bool:
        return re.fullmatch(self.attack.expected, self.came) is not None


@dataclass
class Findings:
    outcomes: list[Outcome] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    """What was disturbed."""


def carry_out(attack: Attack, scene: Scene) -> Outcome:
    began, before = monotonic(), scene.measure_mb()
    try:
        came = attack.run(scene)
    except Exception as error:  # so that all the others are tried, too
        came = f"{type(error).__name__}: {error}"
    latencies = scene.list_latencies(began)
    calm_ms = median(latencies) if len(latencies) > 3 else None
    return Outcome(attack, came, monotonic() - began, scene.measure_mb() - before, calm_ms)


def carry_all_out(database: Path, *, is_full: bool, pattern: str = "") -> Findings:
    """Carry the attacks out that match, those that only take time beside the others."""
    chosen = [one for one in ATTACKS if pattern in one.name and (is_full or not one.is_full)]
    findings = Findings()
    with ExitStack() as stack:
        scene = Scene(stack, database)
        wait_until(lambda: len(scene.list_latencies(0)) > 5, 30)
        began, before_mb = monotonic(), scene.measure_mb()
        sleep(BASELINE_S)
        attacked = monotonic()
        findings.figures["calm bots, median ms before"] = median(scene.list_latencies(began, attacked))
        with ThreadPoolExecutor(len(ATTACKS)) as pool:
            slow = [pool.submit(carry_out, one, scene) for one in chosen if one.is_slow]
            findings.outcomes = [carry_out(one, scene) for one in chosen if not one.is_slow]
            findings.outcomes += [one.result() for one in slow]
        during = sorted(scene.list_latencies(attacked))
        findings.figures |= {
            "calm bots, median ms during": median(during),
            "calm bots, 95 % ms during": during[int(len(during) * 0.95)],
            "calm bots, answers during": len(during),
            "seconds": monotonic() - attacked,
            "memory before, MB": before_mb,
            "memory after, MB": scene.measure_mb(),
        }
        check_others(scene, findings)
    return findings


def check_others(scene: Scene, findings: Findings) -> None:
    """Look whether the server and the legs of others are as if nothing had happened."""
    figures, problems = findings.figures, findings.problems
    if not scene.is_healthy():
        problems.append("the server doesn't answer")
    since = monotonic()
    sleep(2.0)
    if not scene.list_latencies(since):
        problems.append("the calm bots don't play on")
    problems += [f"a calm bot's answer: {line}" for line in scene.list_refused()]
    if figures["memory after, MB"] - figures["memory before, MB"] > MAX_GROWTH_MB:
        problems.append("the server has grown")
    if (said := scene.log.read_text()) and "Traceback" in said:
        problems.append(f"the server's log: {said[-3000:]}")
    verdicts = scene.arena.query(
        "select bot.slug, seat.verdict, count(*) from matches_legseat seat"
        " join matches_participant player on player.id = seat.participant_id"
        " join bots_botversion version on version.id = player.version_id"
        " join bots_bot bot on bot.id = version.bot_id group by bot.slug, seat.verdict"
    )
    figures |= {f"{slug}'s legs with {verdict}": count for slug, verdict, count in verdicts}
    # The hostile client may lose its own leg on time: it does other things for a minute.
    problems += [
        f"{slug}: {count} × {verdict}" for slug, verdict, count in verdicts if slug in CALM and verdict != "ok"
    ]


def print_findings(findings: Findings) -> None:
    for one in findings.outcomes:
        sign = "  " if one.is_right else "x "
        calm = f"{one.calm_ms:6.1f} ms" if one.calm_ms is not None else " " * 9
        print(f"{sign}{one.attack.name:52}{one.came:44}{one.took_s:5.1f} s {one.growth_mb:+6.1f} MB {calm}")
    for name, value in findings.figures.items():
        print(f"  {name:52}{value:.1f}")
    for problem in findings.problems:
        print(f"! {problem}")


def main() -> int:
    if sys.argv[1:2] == ["play"]:
        play_calmly(*sys.argv[2:])
        return 0
    pattern = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    with TemporaryDirectory() as kept:
        findings = carry_all_out(make_empty_database(Path(kept)), is_full="--full" in sys.argv, pattern=pattern)
    print_findings(findings)
    return 0 if not findings.problems and all(one.is_right for one in findings.outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
