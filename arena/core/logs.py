"""Log with the context of requests, tasks and matches: as JSON, without noise, each request with an id."""

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Write log records as JSON, with what is known of the request, task, match and attempt during which they came.

REQUEST_ID = "request_id"
FIELDS = (REQUEST_ID, "task", "match_id", "attempt_id", "live_game_id")
_known: ContextVar[Mapping[str, object] | None] = ContextVar("known", default=None)


@contextmanager
def log_with(**known: object) -> Iterator[None]:
    """Write these FIELDS with every record until the block ends, besides those of the blocks around it."""
    token = _known.set({**(_known.get() or {}), **known})
    try:
        yield
    finally:
        _known.reset(token)


def list_known() -> Mapping[str, object]:
    """Return the FIELDS that are known now."""
    return _known.get() or {}


class JsonFormatter(logging.Formatter):
    """Write a record as one JSON object in one line: time (UTC), level, logger, message, FIELDS, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        known = list_known()
        # Django logs a refused request once its middleware is left: then the request has it.
        request = getattr(record, "request", None)
        line |= {REQUEST_ID: value} if (value := getattr(request, REQUEST_ID, None)) else {}
        line |= {field: known[field] for field in FIELDS if field in known}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


# Filters of log records, named in the settings.


class ForbiddenInOneLine(logging.Filter):
    """Write a refused request in one line: method, path and user, without a traceback.

    Django logs a traceback where a view raised PermissionDenied, though nothing is broken. The path is escaped, so that
    no address can begin a line of its own.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record of a request that was answered with 403, and leave all others as they are."""
        request: Any = getattr(record, "request", None)
        if getattr(record, "status_code", None) != HTTPStatus.FORBIDDEN or not hasattr(request, "path"):
            return True
        reason = ""
        if record.name == "django.security.csrf" and isinstance(record.args, tuple):
            reason = f" ({record.args[0]})"
        path = request.path.encode("unicode_escape").decode("ascii")
        user = getattr(getattr(request, "user", None), "pk", None)
        record.msg, record.args = "Forbidden: %s %s, user %s%s", (request.method, path, user or "none", reason)
        record.exc_info = record.exc_text = None
        return True


# Give every request an id, by which its lines in the logs of the site and of its proxies are found.

HEADER = "X-Request-ID"
ALLOWED = re.compile(r"[A-Za-z0-9._-]{1,100}")


def identify_requests(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Take the id that a proxy has given or make one, write it with every record of the log, and return it."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        request_id = given if ALLOWED.fullmatch(given) else uuid4().hex
        setattr(request, REQUEST_ID, request_id)
        with log_with(**{REQUEST_ID: request_id}):
            response = get_response(request)
        response[HEADER] = request_id
        return response

    return answer
