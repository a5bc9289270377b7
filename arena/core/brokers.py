"""The transports of Celery's messages, files in a folder or Redis, and a cache that stays one without Redis."""

import json
import logging
import os
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from queue import Empty
from socket import socket
from threading import Lock, Thread
from time import sleep, time_ns
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from kombu.transport import filesystem, redis, virtual
from kombu.utils.json import dumps
from kombu.utils.scheduling import FairCycle
from redis import Connection, ConnectionPool, Redis, SSLConnection
from redis.exceptions import RedisError

from arena.core.wake import REMOTE_CHANNEL

# Reach Redis within a bounded time, and leave it alone while it is lost.

logger = logging.getLogger(__name__)

PING_TIMEOUT_S = 1.0
RETRY_INTERVAL_S = 3.0
"""Time between two tries of a thread of its own to reach a Redis that is lost. Requests don't wait for that."""


class _WithinTimeout:
    """A connection that is made within its timeout or not at all: a socket's own doesn't count the lookup of a name."""

    socket_connect_timeout: float | None

    def _connect(self) -> socket:
        connect: Callable[[], socket] = super()._connect  # type: ignore[misc]  # of a connection to Redis
        return connect_within(self.socket_connect_timeout, connect)


class BoundedConnection(_WithinTimeout, Connection):
    """A plain connection."""


class BoundedSSLConnection(_WithinTimeout, SSLConnection):
    """An encrypted connection."""


def connect_within(seconds: float | None, connect: Callable[[], socket]) -> socket:
    """Return what a function connects to. Raises TimeoutError after so many seconds, and what it raises itself."""
    future: Future[socket] = Future()
    Thread(target=_connect_for, args=(future, connect), daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        if future.cancel():
            raise
        return future.result()  # it came at the last moment, or the timeout is the function's own


def _connect_for(future: Future[socket], connect: Callable[[], socket]) -> None:
    made, failure = None, None
    try:
        made = connect()
    except Exception as error:
        failure = error
    if not future.set_running_or_notify_cancel():  # nobody waits for it any more
        if made is not None:
            made.close()
    elif made is not None:
        future.set_result(made)
    else:
        future.set_exception(failure)


def choose_connection(url: str) -> type[Connection]:
    """Return the kind of connection for an address of Redis."""
    return BoundedSSLConnection if url.startswith("rediss:") else BoundedConnection


def ping_redis(url: str) -> None:
    """Ask Redis whether it is there, for PING_TIMEOUT_S at most twice. Raises RedisError or OSError."""
    timeouts = {"socket_timeout": PING_TIMEOUT_S, "socket_connect_timeout": PING_TIMEOUT_S}
    pool = ConnectionPool.from_url(url, connection_class=choose_connection(url), **timeouts)
    with Redis.from_pool(pool) as client:
        client.ping()


class Outage:
    """Whether Redis is lost, for all threads of a process: the first that fails says so, and the others don't try."""

    def __init__(self, url: str) -> None:
        self._url, self._lock, self.is_on = url, Lock(), False

    def begin(self, error: Exception) -> None:
        """Leave Redis alone until a thread of its own has reached it."""
        with self._lock:
            if self.is_on:
                return
            self.is_on = True
        logger.warning("Redis can't be reached (%s): it is left alone until it answers", error)
        Thread(target=self._wait_for_end, daemon=True).start()

    def _wait_for_end(self) -> None:
        while self.is_on:
            sleep(RETRY_INTERVAL_S)
            with suppress(RedisError, OSError):
                ping_redis(self._url)
                self.is_on = False
        logger.warning("Redis answers again")


@cache
def find_outage(url: str) -> Outage:
    """Return the one object of this process about the Redis at an address."""
    return Outage(url)


# A child process has no thread that would end an outage.
os.register_at_fork(after_in_child=find_outage.cache_clear)

# Wake the process that serves remote bots.


def nudge_remote_server(url: str | None) -> None:
    """Tell that process to look at the database now. Without Redis, or while it is lost, it looks by itself."""
    if not url or (outage := find_outage(url)).is_on:
        return
    try:
        _find_client(url).publish(REMOTE_CHANNEL, "")
    except (RedisError, OSError) as error:
        outage.begin(error)


@cache
def _find_client(url: str) -> Redis:
    timeouts = {"socket_timeout": PING_TIMEOUT_S, "socket_connect_timeout": PING_TIMEOUT_S}
    return Redis.from_pool(ConnectionPool.from_url(url, connection_class=choose_connection(url), **timeouts))


# The two transports of Celery's messages: files in a folder, and Redis.
#
# Both read a worker's queues in the order of QUEUES, so that what people wait for comes first; Kombu would take turns.
# Both can say which tasks wait in a queue: the database holds the work, so a message that is there already is enough.

QUEUES = ("live", "control", "deliveries", "analysis", "celery")
"""All queues, the most urgent first.

live: bots of live games and hints · control: uploads, ends of matches, tournaments and all periodic tasks, each of them
short · deliveries: webhooks and mail, for a process with access to the internet · analysis: analyses, which get a share
of the workers' time · celery: matches; as one always follows another, what is read after them would never be.
"""


def sort_queues(queues: Iterable[str]) -> list[str]:
    """Return queues in the order in which they are read; others follow by name."""
    return sorted(queues, key=lambda name: (QUEUES.index(name) if name in QUEUES else len(QUEUES), name))


class _FixedOrder(FairCycle):
    """Queues of which each is read only while those before it are empty."""

    def get(self, callback: Callable[..., object], **options: Any) -> object:
        """Deliver the next message. Raises the exception for empty queues."""
        for queue in sort_queues(self.resources):
            with suppress(self.predicate):
                return self.fun(queue, callback, **options)
        raise self.predicate


class FileChannel(filesystem.Channel):
    """A channel whose messages are files that appear whole."""

    def _reset_cycle(self) -> None:
        self._cycle = _FixedOrder(self._get_and_deliver, self._active_queues, Empty)

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        """Write aside and rename, so that a worker never finds half a message."""
        name = f"{time_ns()}_{uuid.uuid4().hex}.{queue}.msg"
        draft = os.path.join(self.data_folder_out, f".{name}.draft")
        with open(draft, "w") as file:
            file.write(dumps(payload))
        os.rename(draft, os.path.join(self.data_folder_out, name))

    def list_waiting_tasks(self, queue: str) -> list[str]:
        """Return the name of the task of each message in a queue."""
        names = []
        for path in Path(self.data_folder_in).glob(f"[!.]*.{queue}.msg"):
            with suppress(OSError, ValueError, KeyError):  # a worker has taken it meanwhile
                names.append(json.loads(path.read_bytes())["headers"]["task"])
        return names


class FileTransport(filesystem.Transport):
    """A transport by files, without a host."""

    Channel = FileChannel
    default_connection_params: dict[str, Any] = {}
    """There is no host to connect to."""


class RedisQoS(redis.QoS):
    """The messages that a worker has taken, of which Kombu lets it take only so many at a time.

    Kombu keeps a message that could not be acknowledged among them for good. Where that happened to all of them, a
    worker asked Redis for nothing more, and so noticed neither that Redis was lost nor that it was back.
    """

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message; without Redis, forget it alone."""
        self._settle(delivery_tag, super().ack)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Reject a message; without Redis, forget it alone."""
        self._settle(delivery_tag, super().reject, requeue=requeue)

    def _settle(self, delivery_tag: str, settle: Callable[..., None], **options: Any) -> None:
        try:
            settle(delivery_tag, **options)
        except self.channel.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


class RedisChannel(redis.Channel):
    """A channel that reads queues in their order; the setting `queue_order_strategy` keeps Kombu from rotating them."""

    QoS = RedisQoS
    connection_class = BoundedConnection
    connection_class_ssl = BoundedSSLConnection

    def _update_queue_cycle(self) -> None:
        self._queue_cycle.update(sort_queues(self.active_queues))

    def list_waiting_tasks(self, queue: str) -> list[str]:
        """Return the name of the task of each message in a queue."""
        with self.conn_or_acquire() as client:
            return [json.loads(content)["headers"]["task"] for content in client.lrange(queue, 0, -1)]


class RedisTransport(redis.Transport):
    """The transport of Kombu with such channels."""

    Channel = RedisChannel


# A cache that stays a cache when Redis is lost.


class RedisOrMemoryCache(RedisCache):
    """Keep values in Redis, and in the memory of each process while Redis can't be reached.

    Rates of requests are counted by each process separately then, and pages are cached by each. No method raises
    RedisError.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = {"connection_class": choose_connection(server), **params.get("OPTIONS", {})}
        super().__init__(server, params | {"OPTIONS": options})
        name = f"without-redis-{params.get('KEY_PREFIX', '')}"
        self._memory = LocMemCache(name, params | {"OPTIONS": {}, "KEY_PREFIX": ""})
        self._url = server

    @cached_property
    def _cache(self) -> "RedisOrMemory":
        """Replace the client, which all methods of the cache call."""
        return RedisOrMemory(super()._cache, self._memory, self._url)  # type: ignore[misc]


class RedisOrMemory:
    """A client whose methods are Redis's, or those of a cache in memory while Redis can't be reached."""

    def __init__(self, client: Any, memory: LocMemCache, url: str) -> None:
        self._client = client
        self._memory = memory
        self._url = url

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._try, getattr(self._client, name), getattr(self._memory, name))

    def _try(self, in_redis: Callable[..., Any], in_memory: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        outage = find_outage(self._url)
        if not outage.is_on:
            try:
                return in_redis(*args, **kwargs)
            except RedisError as error:
                outage.begin(error)
        return in_memory(*args, **kwargs)
