"""Limit requests per minute: for each token, each person, and each address where nobody is signed in.

Reading and writing are counted separately. Over the limit the response is 429 with Retry-After. Where requests can't be
counted everything is allowed.
"""

import logging
from typing import Any

from django.conf import settings
from redis.exceptions import RedisError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from arena.client_address import find_client_address

logger = logging.getLogger(__name__)


class CountedRequests(SimpleRateThrottle):
    """Count the requests of each token, person or address. Subclasses say which requests and how many are allowed."""

    def __init__(self) -> None:
        """Leave the rate open: it depends on the request."""

    def scope_of(self, request: Request) -> str:
        """Return the name under which the request is counted."""
        raise NotImplementedError

    def read_rate(self) -> str:
        """Return the limit and its unit, as `60/min`."""
        raise NotImplementedError

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count the request and return whether it is within the limit."""
        self.scope = self.scope_of(request)
        self.rate = self.read_rate()
        self.num_requests, self.duration = self.parse_rate(self.rate)
        try:
            return super().allow_request(request, view)
        except RedisError:
            logger.exception("Requests can't be counted")
            return True

    def get_cache_key(self, request: Request, view: Any) -> str:
        """Return the key under which the requests are counted."""
        return self.cache_format % {"scope": self.scope, "ident": self.client_of(request)}

    def client_of(self, request: Request) -> str:
        """Return a key for the token, the user or the address."""
        if request.auth is not None:
            return f"token-{request.auth.pk}"
        if request.user.is_authenticated:
            return f"user-{request.user.pk}"
        return f"from-{find_client_address(request)}"


class PerMinute(CountedRequests):
    """Allow as many requests per minute as the setting API_PER_MINUTE says."""

    def scope_of(self, request: Request) -> str:
        """Return the key of API_PER_MINUTE that applies to the request."""
        if not request.user.is_authenticated:
            return "nobody"
        return "read" if request.method in SAFE_METHODS else "write"

    def read_rate(self) -> str:
        """Return the limit and its unit."""
        return f"{settings.API_PER_MINUTE[str(self.scope)]}/min"
