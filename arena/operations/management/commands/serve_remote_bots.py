"""Serve remote bots: the process that they poll, and that plays their legs."""

import ctypes
import gc
import logging
import socket
from argparse import SUPPRESS
from base64 import b64encode
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any
from uuid import uuid4

import orjson
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from redis import Redis
from redis.exceptions import RedisError

from arena.core.handover import find_channel
from arena.core.wake import WAKERS, Work
from arena.matches.remote.hub import Hub
from arena.matches.remote.server import POLL_S, RemoteBots, Server

logger = logging.getLogger(__name__)
BACKLOG = 512
M_ARENA_MAX = -8
"""As in malloc.h of glibc."""


class Command(BaseCommand):
    """Listen for remote bots until a signal arrives."""

    help = "Serve remote bots: their long polls and answers, and the legs that they play."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument("--bind", default="127.0.0.1:8001", metavar="HOST:PORT", help="Address to listen on.")
        parser.add_argument("--handed-over", action="store_true", help=SUPPRESS)  # by `up`
        parser.add_argument("--poll-seconds", type=float, default=POLL_S, help=SUPPRESS)  # for tests

    def handle(self, *, bind: str, handed_over: bool, poll_seconds: float, **_: Any) -> None:
        """Serve, and end with 0 at a signal."""
        share_heap()
        channel = find_channel() if handed_over else None
        sockets = [] if handed_over else [listen(bind)]
        if not WAKERS:
            bind_wakers()
        bots = RemoteBots(Hub(redis_url=settings.REDIS_URL or None), poll_s=poll_seconds)
        server = Server(bots, handed_over=None if channel is None else channel.from_web)
        gc.collect()
        gc.freeze()
        server.run(sockets)


def share_heap() -> None:
    """Let all threads allocate from one heap: each of its own keeps memory that the others could use (glibc only)."""
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def listen(address: str) -> socket.socket:
    """Return a socket that listens at HOST:PORT. Raises CommandError."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not port.isdigit():
        raise CommandError(f"--bind is {address!r}, but must be HOST:PORT, such as 127.0.0.1:8001.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, int(port)), family=family, backlog=BACKLOG)
    except OSError as error:
        raise CommandError(f"Can't listen on {address}: {error}.") from None


# Send the few messages that follow from legs with remote bots, without Celery, which would take 10 MB.
#
# They look as Celery's own do, and a test has Celery read them. One that is lost only costs time: the database holds
# the work, and the sweep finds it.

TASKS = {
    Work.LIVE_GAME: ("arena.tasks.answer_live_game", "live"),
    Work.MATCH_END: ("arena.tasks.settle_match", "control"),
}
REDIS_TIMEOUT_S = 1.0
REDIS_RETRY_S = 3.0
"""Time for which a Redis that can't be reached is left alone."""


def bind_wakers() -> None:
    """Bind what wakes workers, in a process without the site's tasks."""
    sender = MessageSender(settings.REDIS_URL)
    WAKERS.update({work: lambda _pk: None for work in Work})
    WAKERS.update({work: partial(sender.send_on_commit, task, queue) for work, (task, queue) in TASKS.items()})


class MessageSender:
    """Sends messages for workers by Redis. Without Redis, workers look by themselves."""

    def __init__(self, url: str) -> None:
        timeouts = {"socket_timeout": REDIS_TIMEOUT_S, "socket_connect_timeout": REDIS_TIMEOUT_S}
        self._redis = Redis.from_url(url, **timeouts) if url else None
        self._is_lost_until = 0.0

    def send_on_commit(self, task: str, queue: str, pk: int) -> None:
        """Send a message about a row when the transaction commits."""
        if self._redis is not None:
            transaction.on_commit(partial(self._send, self._redis, queue, build_message(task, queue, pk)))

    def _send(self, redis: Redis, queue: str, content: bytes) -> None:
        if monotonic() < self._is_lost_until:
            return
        try:
            redis.lpush(queue, content)
        except (RedisError, OSError) as error:
            self._is_lost_until = monotonic() + REDIS_RETRY_S
            logger.warning("A message for a worker could not be sent, so its work starts later: %s", error)


def build_message(task: str, queue: str, pk: int) -> bytes:
    """Return a message as Celery's second protocol and Kombu's transport for Redis have it."""
    key = str(uuid4())
    body = [[pk], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]
    headers: dict[str, Any] = {
        "lang": "py",
        "task": task,
        "id": key,
        "root_id": key,
        "parent_id": None,
        "group": None,
        "retries": 0,
    }
    headers |= {"eta": None, "expires": None, "timelimit": [None, None], "ignore_result": True, "origin": "remote"}
    headers |= {"argsrepr": f"({pk},)", "kwargsrepr": "{}"}
    properties: dict[str, Any] = {"correlation_id": key, "reply_to": "", "delivery_mode": 2, "priority": 0}
    properties |= {"delivery_info": {"exchange": "", "routing_key": queue}, "body_encoding": "base64"}
    return orjson.dumps(
        {
            "body": b64encode(orjson.dumps(body)).decode(),
            "content-encoding": "utf-8",
            "content-type": "application/json",
            "headers": headers,
            "properties": {**properties, "delivery_tag": str(uuid4())},
        }
    )
