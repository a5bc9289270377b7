"""A cache that stays a cache when Redis is lost."""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

RETRY_INTERVAL_S = 5.0
"""Time for which Redis is left alone after a failure: each try may cost the timeout of its socket."""


class RedisOrMemoryCache(RedisCache):
    """Keep values in Redis, and in the memory of each process while Redis can't be reached.

    Rates of requests are counted by each process separately then, and pages are cached by each.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._memory = LocMemCache(f"without-redis-{params.get('KEY_PREFIX', '')}", params | {"OPTIONS": {}})
        self._lost_until = 0.0

    def add(self, *args: Any, **kwargs: Any) -> bool:
        """Set a value unless there is one, and return whether there was none."""
        return bool(self._try(super().add, self._memory.add, *args, **kwargs))

    def get(self, *args: Any, **kwargs: Any) -> Any:
        """Return a value."""
        return self._try(super().get, self._memory.get, *args, **kwargs)

    def set(self, *args: Any, **kwargs: Any) -> None:
        """Set a value."""
        self._try(super().set, self._memory.set, *args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        """Delete a value and return whether there was one."""
        return bool(self._try(super().delete, self._memory.delete, *args, **kwargs))

    def _try(self, in_redis: Callable[..., Any], in_memory: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if monotonic() >= self._lost_until:
            try:
                return in_redis(*args, **kwargs)
            except RedisError as error:
                logger.warning("Redis can't be reached (%s): values are kept in memory", error)
                self._lost_until = monotonic() + RETRY_INTERVAL_S
        return in_memory(*args, **kwargs)
