"""How often one may ask: so many requests a minute of each token, of each person, and of each address where nobody is
known. Reading and writing are counted apart. Who asks too often is told when to come back (429, Retry-After). Where
requests can't be counted everybody may ask."""

import logging

from django.conf import settings
from redis.exceptions import RedisError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

logger = logging.getLogger(__name__)


class PerMinute(SimpleRateThrottle):
    def __init__(self) -> None:
        """Rates stand in the settings, and are known when it is known who asks."""

    def allow_request(self, request: Request, view: object) -> bool:
        self.scope = self.scope_of(request)
        self.rate = f"{settings.API_PER_MINUTE[self.scope]}/min"
        self.num_requests, self.duration = self.parse_rate(self.rate)
        try:
            return super().allow_request(request, view)
        except RedisError:
            logger.exception("Requests can't be counted")
            return True

    def get_cache_key(self, request: Request, view: object) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.asker(request)}

    def scope_of(self, request: Request) -> str:
        if not request.user.is_authenticated:
            return "nobody"
        return "read" if request.method in SAFE_METHODS else "write"

    def asker(self, request: Request) -> str:
        if request.auth is not None:
            return f"token-{request.auth.pk}"
        if request.user.is_authenticated:
            return f"user-{request.user.pk}"
        return f"from-{self.get_ident(request)}"
