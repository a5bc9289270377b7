"""Write log records as JSON, with what is known of the request, task, match and attempt during which they came."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

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
