"""The transports of Celery's messages, files in a folder or Redis, and a cache that stays one without Redis."""

import json
import logging
import os
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from queue import Empty
from time import monotonic, time_ns
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from kombu.transport import filesystem, redis, virtual
from kombu.utils.json import dumps
from kombu.utils.scheduling import FairCycle
from redis.exceptions import RedisError

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

logger = logging.getLogger(__name__)

RETRY_INTERVAL_S = 5.0
"""Time for which Redis is left alone after a failure: each try may cost the timeout of its socket."""


class RedisOrMemoryCache(RedisCache):
    """Keep values in Redis, and in the memory of each process while Redis can't be reached.

    Rates of requests are counted by each process separately then, and pages are cached by each. No method raises
    RedisError.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        name = f"without-redis-{params.get('KEY_PREFIX', '')}"
        self._memory = LocMemCache(name, params | {"OPTIONS": {}, "KEY_PREFIX": ""})

    @cached_property
    def _cache(self) -> "RedisOrMemory":
        """Replace the client, which all methods of the cache call."""
        return RedisOrMemory(super()._cache, self._memory)  # type: ignore[misc]


class RedisOrMemory:
    """A client whose methods are Redis's, or those of a cache in memory while Redis can't be reached."""

    def __init__(self, client: Any, memory: LocMemCache) -> None:
        self._client = client
        self._memory = memory
        self._lost_until = 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._try, getattr(self._client, name), getattr(self._memory, name))

    def _try(self, in_redis: Callable[..., Any], in_memory: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if monotonic() >= self._lost_until:
            try:
                return in_redis(*args, **kwargs)
            except RedisError as error:
                logger.warning("Redis can't be reached (%s): values are kept in memory", error)
                self._lost_until = monotonic() + RETRY_INTERVAL_S
        return in_memory(*args, **kwargs)
