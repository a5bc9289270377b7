"""A bad network between clients and an arena: a proxy that delays, loses, cuts and half-closes what passes it.

A kernel could delay and lose packets itself, where it has `tc netem`; cuts and half-closed connections it hasn't.
"""

import asyncio
import socket
import struct
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from types import TracebackType
from typing import Self

RESET_AT_CLOSE = struct.pack("ii", 1, 0)
CHUNK_BYTES = 16 * 1024
MAX_CHUNKS_UNDERWAY = 64

RESET = "reset"
IN_A_REQUEST, IN_AN_ANSWER = "cut in a request", "cut in an answer"
END_OF_REQUESTS, END_OF_ANSWERS = "half-closed, no more requests", "half-closed, no more answers"
LOST_REQUESTS, LOST_ANSWERS = "requests lost, no sign of it", "answers lost, no sign of it"
SILENT = "silent, then goes on"
TROUBLES = {
    **{RESET: 30, IN_A_REQUEST: 18, IN_AN_ANSWER: 18},
    **{END_OF_REQUESTS: 8, END_OF_ANSWERS: 8, LOST_REQUESTS: 4, LOST_ANSWERS: 4, SILENT: 10},
}
"""Weights of what befalls a connection."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The faults of a network. Times are in seconds."""

    delay: float = 0.1
    """In each direction."""
    jitter: float = 0.02
    """A chunk takes up to so much longer or shorter. None overtakes another one of its connection."""
    loss: float = 0.02
    """Share of chunks that are lost and sent again, as TCP does it."""
    retransmission: tuple[float, float] = (0.2, 0.6)
    mean_time_to_trouble: float = 30.0
    """Mean time from a connection's start or recovery to its next fault."""
    silence: float = 30.0


GOOD = Conditions(delay=0, jitter=0, loss=0, mean_time_to_trouble=1e9)


class Network:
    """A proxy before a port of this machine, in a thread of its own."""

    def __init__(self, port: int, conditions: Conditions, seed: int) -> None:
        self.target, self.conditions, self.random = port, conditions, Random(seed)
        self.counts: Counter[str] = Counter()
        """Connections, chunks, lost chunks and troubles by kind."""
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self.listener.getsockname()[1]
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.connections: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self.thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self.loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _listen(self) -> None:
        self.server = await asyncio.start_server(self._carry, sock=self.listener, limit=CHUNK_BYTES)

    async def _close(self) -> None:
        self.server.close()
        for task in self.connections:
            task.cancel()
        await asyncio.gather(*self.connections, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.connections.add(task)
        self.counts["connections"] += 1
        try:
            await asyncio.sleep(2 * self.conditions.delay)  # of the handshake
            try:
                arena = await asyncio.open_connection("127.0.0.1", self.target, limit=CHUNK_BYTES)
            except OSError:
                self.counts["arena not reached"] += 1
                abort(writer)
                return
            await Carried(self, (reader, writer), arena).run()
        except asyncio.CancelledError:
            abort(writer)
        finally:
            self.connections.discard(task)


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(slots=True)
class Direction:
    """One of the two ways of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    is_muted: bool = False
    """Whether nothing arrives any more, without a sign of it."""
    is_cut_next: bool = False
    """Whether the next chunk arrives in part, and then the connection is reset."""
    latest: float = 0.0


class Carried:
    """A connection that is carried, and what befalls it."""

    def __init__(self, network: Network, client: Streams, arena: Streams) -> None:
        self.network, self.conditions, self.random = network, network.conditions, network.random
        self.requests = Direction(client[0], arena[1])
        self.answers = Direction(arena[0], client[1])
        self.silent_until = 0.0

    async def run(self) -> None:
        """Carry both ways until both have ended or the connection is reset."""
        ways = [asyncio.create_task(self._carry(way)) for way in (self.requests, self.answers)]
        trouble = asyncio.create_task(self._have_trouble())
        try:
            await asyncio.gather(*ways)
        except (OSError, Reset):
            pass
        finally:
            trouble.cancel()
            for task in ways:
                task.cancel()
            for way in (self.requests, self.answers):
                abort(way.writer)

    async def _carry(self, way: Direction) -> None:
        underway: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(MAX_CHUNKS_UNDERWAY)
        arriving = asyncio.create_task(self._let_arrive(way, underway))
        try:
            while True:
                chunk = await way.reader.read(CHUNK_BYTES)
                await underway.put((self._find_arrival(way), chunk))
                if not chunk:
                    break
            await arriving
        finally:
            arriving.cancel()

    def _find_arrival(self, way: Direction) -> float:
        conditions, counts = self.conditions, self.network.counts
        time_s = conditions.delay + self.random.uniform(-1, 1) * conditions.jitter
        counts["chunks"] += 1
        if self.random.random() < conditions.loss:
            counts["chunks lost"] += 1
            time_s += self.random.uniform(*conditions.retransmission)
        way.latest = max(way.latest, self.network.loop.time() + time_s)
        return way.latest

    async def _let_arrive(self, way: Direction, underway: asyncio.Queue[tuple[float, bytes]]) -> None:
        while True:
            at, chunk = await underway.get()
            while (wait_s := max(at, self.silent_until) - self.network.loop.time()) > 0:
                await asyncio.sleep(wait_s)
            if way.is_muted:
                continue
            if way.is_cut_next and chunk:
                self.network.counts[IN_A_REQUEST if way is self.requests else IN_AN_ANSWER] += 1
                way.writer.write(chunk[: self.random.randrange(len(chunk))])
                await asyncio.sleep(0.01)  # else the reset overtakes it
                self._reset()
            if not chunk:
                if not way.writer.is_closing():
                    with suppress(OSError):
                        way.writer.write_eof()
                return
            way.writer.write(chunk)
            await way.writer.drain()

    async def _have_trouble(self) -> None:
        while True:
            await asyncio.sleep(self.random.expovariate(1 / self.conditions.mean_time_to_trouble))
            kind = self.random.choices(list(TROUBLES), list(TROUBLES.values()))[0]
            if kind not in (IN_A_REQUEST, IN_AN_ANSWER):  # these come with the next chunk, if there is one
                self.network.counts[kind] += 1
            if kind == SILENT:
                self.silent_until = self.network.loop.time() + self.conditions.silence
                await asyncio.sleep(self.conditions.silence)
                continue
            self._begin(kind)
            return

    def _begin(self, kind: str) -> None:
        if kind == RESET:
            self._abort()
        elif kind in (IN_A_REQUEST, IN_AN_ANSWER):
            (self.requests if kind == IN_A_REQUEST else self.answers).is_cut_next = True
        else:
            way = self.requests if kind in (END_OF_REQUESTS, LOST_REQUESTS) else self.answers
            way.is_muted = True
            if kind in (END_OF_REQUESTS, END_OF_ANSWERS):
                with suppress(OSError):
                    way.writer.write_eof()

    def _abort(self) -> None:
        for way in (self.requests, self.answers):
            abort(way.writer)

    def _reset(self) -> None:
        self._abort()
        raise Reset


class Reset(Exception):
    """The connection was reset on its way."""


def abort(writer: asyncio.StreamWriter) -> None:
    """Close a connection with a reset, not with an end."""
    raw = writer.get_extra_info("socket")
    with suppress(OSError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE)
    writer.transport.abort()
