"""Filters of log records, named in the settings."""

import logging
from http import HTTPStatus
from typing import Any


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
