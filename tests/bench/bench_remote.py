"""How remote bots weigh on an arena: `uv run python -m tests.bench.bench_remote [BOTS [SECONDS]]`, on two idle cores.

An arena by `up`, with PostgreSQL and Redis, plays a season of fixed matches between sandboxed bots: alone, and then
while scripted remote bots play on an open ladder. Told are

- whether both seasons decided the same: the hash of deals, actions and results, without times;
- the overhead of a decision: from the answer of one remote bot until the next `turn` of its leg has arrived at any of
  them, on one machine, where the latency is next to nothing;
- processor time and memory of each part of the arena, and of this script, which is all remote bots.

The overhead is measured alone, during the season, and during the season with the weight that the unit and the Compose
service give the server, which only root can set.

Each bot answers THINKING_S after it was asked, on average: language models and searches think for longer.
"""

import asyncio
import hashlib
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median, quantiles
from time import monotonic, perf_counter
from typing import Any

import orjson
import psutil

from tests.servers import postgres, redis_server
from tests.story.installation import Installation

BOTS, SECONDS = 200, 60
THINKING_S = 1.0
SEASON_MATCHES = 30
PREPARE = "tests.bench.bench_remote_rows"
POLL = "/api/v1/remote/messages/?bot={bot}&room=1&have={have}"
WARM_UP_S = 20.0
SERVER_NICE = -6
"""A nice value whose weight is nearly four times that of 0, like the server's in `pennant-remote.service`."""
AUTOGROUPS = Path("/proc/sys/kernel/sched_autogroup_enabled")
"""While it's on, a nice value only counts within a session. On a server, units have control groups instead."""


class Connection:
    """A connection that is kept open, with as little work for this machine as HTTP allows."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None
        self.lock = asyncio.Lock()

    async def ask(self, method: str, path: str, content: object = None) -> tuple[int, Any]:
        async with self.lock:
            return await self._ask(method, path, content)

    async def _ask(self, method: str, path: str, content: object) -> tuple[int, Any]:
        body = b"" if content is None else orjson.dumps(content)
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        if self.reader is None or self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(head.encode() + body)
        await self.writer.drain()
        answer = await self.reader.readuntil(b"\r\n\r\n")
        lines = answer.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if "chunked" in fields.get("transfer-encoding", ""):
            sent = b""
            while size := int(await self.reader.readline(), 16):
                sent += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        else:
            sent = await self.reader.readexactly(int(fields.get("content-length", "0")))
        if fields.get("connection") == "close":
            self.close()
        return int(lines[0].split()[1]), orjson.loads(sent) if sent else None

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


class Figures:
    """The measurements of all bots."""

    def __init__(self) -> None:
        self.asked_from: dict[str, float] = {}
        """By leg, when the last answer to it was sent."""
        self.seats: dict[str, set[str]] = {}
        """The remote bots of each leg: where there is one, a worker plays the other seat."""
        self.overheads_ms: list[float] = []
        self.counts: Counter[str] = Counter()


class Bot:
    """A remote bot that answers with the first legal action after a while, and plays one leg at a time."""

    def __init__(self, name: str, token: str, port: int, figures: Figures) -> None:
        self.name, self.figures = name, figures
        self.polls, self.answers = Connection(port, token), Connection(port, token)
        self.have: dict[str, str] = {}
        self.rng = random.Random(name)

    async def run(self) -> None:
        tasks: set[asyncio.Task[None]] = set()
        while True:
            have = ",".join(f"{leg}:{key}" for leg, key in self.have.items())
            try:
                status, answer = await self.polls.ask("GET", POLL.format(bot=self.name, have=have))
            except (OSError, EOFError):
                self.polls.close()
                self.figures.counts["lost polls"] += 1
                await asyncio.sleep(0.5)
                continue
            if status == 204:
                continue
            if status != 200:
                self.figures.counts[f"poll {status}"] += 1
                await asyncio.sleep(1)
                continue
            at = perf_counter()
            for envelope in answer["messages"]:
                self.have[envelope["leg"]] = envelope["key"]
                task = asyncio.create_task(self.take(envelope, at))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            self.have = {leg: key for leg, key in self.have.items() if leg in answer["legs"]}

    async def take(self, envelope: dict[str, Any], at: float) -> None:
        leg, key, message = envelope["leg"], envelope["key"], envelope["message"]
        table = leg.rpartition("-")[0]
        self.figures.seats.setdefault(table, set()).add(self.name)
        if message["type"] == "turn":
            since = self.figures.asked_from.pop(table, None)
            if since is not None and len(self.figures.seats[table]) > 1:
                self.figures.overheads_ms.append((at - since) * 1000)
            await asyncio.sleep(self.rng.uniform(0, 2 * THINKING_S))
            line = orjson.dumps({"action": message["legal"][0]}).decode()
            self.figures.asked_from[table] = perf_counter()
        elif message["type"] == "hello":
            line = '{"type": "ready"}'
        else:
            line = ""
            self.figures.asked_from.pop(table, None)
            self.figures.counts[f"end {message['reason']}"] += 1
        try:
            status, _ = await self.answers.ask(
                "POST", "/api/v1/remote/answers/", {"bot": self.name, "leg": leg, "key": key, "line": line}
            )
        except (OSError, EOFError):
            self.answers.close()
            status = 0
        self.figures.counts[f"{message['type']} {status}"] += 1


def read_parts() -> Iterator[tuple[str, float, float, int]]:
    """Yield part of the arena, processor seconds so far, MB of its own and threads, for each process below this one."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            command = " ".join(process.cmdline())
            part = "postgres" if "postgres" in process.name() else process.name()
            part = "players" if "arena.runner" in command else part
            times = process.cpu_times()
            yield part, times.user + times.system, process.memory_full_info().uss / 1e6, process.num_threads()


def sum_parts() -> dict[str, tuple[float, float, int]]:
    found: dict[str, tuple[float, float, int]] = {}
    for part, seconds, own_mb, threads in read_parts():
        before = found.get(part, (0.0, 0.0, 0))
        found[part] = before[0] + seconds, before[1] + own_mb, before[2] + threads
    return found


def play_season(arena: Installation) -> tuple[str, float]:
    """Have the fixed season played, and return the hash of what was decided, and the seconds."""
    began = monotonic()
    decided = arena.run(PREPARE, "season", str(SEASON_MATCHES))
    return hashlib.sha256(decided.encode()).hexdigest()[:16], monotonic() - began


@contextmanager
def weighted_server() -> Iterator[None]:
    """Give the server its unit's weight."""
    before = AUTOGROUPS.read_text()
    AUTOGROUPS.write_text("0")
    try:
        (server,) = [one for one in psutil.Process().children(recursive=True) if one.name().startswith("remote-bot")]
        for thread in server.threads():
            os.setpriority(os.PRIO_PROCESS, thread.id, SERVER_NICE)
        yield
    finally:
        AUTOGROUPS.write_text(before)


async def measure(arena: Installation, bots: list[tuple[str, str]], seconds: float) -> None:
    figures = Figures()
    tasks = [asyncio.create_task(Bot(name, token, arena.port, figures).run()) for name, token in bots]
    await asyncio.sleep(WARM_UP_S)
    print(f"{len(bots)} remote bots:")
    await measure_decisions(figures, asyncio.sleep(seconds))
    await measure_during_season(arena, figures)
    if os.geteuid() == 0:
        with weighted_server():
            print("\nThe server has the weight of its unit from here.")
            await measure_during_season(arena, figures)
    for task in tasks:
        task.cancel()


async def measure_during_season(arena: Installation, figures: Figures) -> None:
    season = asyncio.get_running_loop().run_in_executor(None, play_season, arena)
    await measure_decisions(figures, season)
    hashed, season_s = await season
    print(f"season with remote bots: {hashed}, {season_s:.1f} s", flush=True)


async def measure_decisions(figures: Figures, work: Awaitable[object]) -> None:
    """Print what bots, arena and this script did until some work has ended."""
    figures.overheads_ms.clear()
    figures.counts.clear()
    parts, own, began = sum_parts(), psutil.Process().cpu_times(), monotonic()
    await work
    took, overheads = monotonic() - began, list(figures.overheads_ms)
    print(f"\n{took:.0f} s: {dict(figures.counts)}")
    if len(overheads) > 20:
        parts_of_100 = quantiles(overheads, n=100)
        print(
            f"overhead of {len(overheads)} decisions ({len(overheads) / took:.0f} a second): median "
            f"{median(overheads):.1f} ms, 95 % {parts_of_100[94]:.1f} ms, 99 % {parts_of_100[98]:.1f} ms"
        )
    now = psutil.Process().cpu_times()
    print(f"{'this script':16} {(now.user + now.system - own.user - own.system) / took:6.1%} of a core")
    for part, (used_s, own_mb, threads) in sorted(sum_parts().items()):
        before = parts.get(part, (0.0, 0.0, 0))[0]
        print(f"{part:16} {(used_s - before) / took:6.1%} of a core, {own_mb:6.1f} MB of its own, {threads} threads")


def main(bots: int = BOTS, seconds: float = SECONDS) -> None:
    with ExitStack() as stack:
        server, redis = stack.enter_context(postgres()), stack.enter_context(redis_server())
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pennant-")))
        more = {"PENNANT_LADDER_MATCHES_PER_HOUR": "0", "PENNANT_LIVE_WORKER": "on"}
        more |= {"PENNANT_REMOTE_CONNECTIONS": str(4 * bots)}
        arena = Installation(data, f"{server}/postgres", f"{redis}/0", newcomer_matches=0, more=more)
        stack.enter_context(arena.up()).greets()
        rows = orjson.loads(arena.run(PREPARE, "bots", str(bots)).splitlines()[-1])
        hashed, season_s = play_season(arena)
        print(f"season alone: {hashed}, {season_s:.1f} s", flush=True)
        asyncio.run(measure(arena, rows, seconds))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
