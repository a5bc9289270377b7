"""Turn every failure of a request into one JSON shape.

    {"error": {"code": "not_found", "message": "A sentence.", "fields": {"name": ["A sentence."]}}}

`code` is for programs and `message` is a sentence in the reader's language; `fields` is present only where single
fields are to blame. Views raise exceptions and never build an error response. An `ArenaError` has its class's name as
its code.
"""

import logging
import math
import re
import secrets
from typing import Any, TypeVar

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response

from arena.errors import ArenaError, GameNotInstalled, describe_missing_game, first_line
from arena.messages import render_message
from engine.registry import UnknownGame

log = logging.getLogger(__name__)

API_PATH_PREFIX = "/api/"
DATABASE_RETRY_AFTER_S = 5.0
NON_FIELD_ERRORS_KEY = "non_field_errors"

Row = TypeVar("Row")


def require_row(row: Row | None, message: str) -> Row:
    """Return the row. Raise NotFound with this message where there is none."""
    if row is None:
        raise exceptions.NotFound(message)
    return row


def build_error(code: str, message: str, fields: dict[str, list[str]] | None = None) -> dict[str, Any]:
    """Return the JSON of an error."""
    return {"error": {"code": code, "message": message, **({"fields": fields} if fields else {})}}


def handle_exception(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to a request that raised, or None where the fault is the arena's."""
    error = _translate_error(error)
    if isinstance(error, InterfaceError | OperationalError):
        return _build_database_response(error)
    if isinstance(error, ArenaError):
        sentence = render_message(error.message)
        fields = {name: [sentence] for name in error.fields}
        return _build_error_response(error.status, get_error_code(error), sentence, error.retry_after, fields)
    if isinstance(error, exceptions.ValidationError):
        return _build_invalid_fields_response(error)
    if isinstance(error, RequestDataTooBig):
        return _build_error_response(413, "too_large", _("The request is too large."))
    if isinstance(error, SuspiciousOperation):
        return _build_error_response(400, "malformed", _("The request can't be read."))
    if not isinstance(error, exceptions.APIException):
        return None
    return _convert_framework_error(error)


def _build_database_response(error: Exception) -> Response:
    """Build the response to a request that the database failed, which may be sent again as it is."""
    log.warning("A request was answered with 503, as the database failed: %s", first_line(error))
    message = _("The error has been written to the log. Matches and uploads are kept; try again in a moment.")
    return _build_error_response(503, "database_failed", message, DATABASE_RETRY_AFTER_S)


def _translate_error(error: Exception) -> Exception:
    """Return our error in place of the engine's or Django's that says the same; any other as it is."""
    if isinstance(error, UnknownGame):
        return GameNotInstalled(describe_missing_game(error.key))
    if isinstance(error, Http404):
        return exceptions.NotFound(_("There is nothing at this address."))
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied(_("You are not allowed to do this."))
    return error


def _build_error_response(
    status: int,
    code: str,
    message: str,
    retry_after_s: float | None = None,
    fields: dict[str, list[str]] | None = None,
) -> Response:
    """Build the error response. `retry_after_s` becomes the Retry-After header."""
    headers = {} if retry_after_s is None else {"Retry-After": str(max(1, math.ceil(retry_after_s)))}
    return Response(build_error(code, message, fields), status=status, headers=headers)


def _convert_framework_error(error: exceptions.APIException) -> Response:
    code, message = error.default_code, str(error.detail)
    retry_after_s = getattr(error, "wait", None)
    if isinstance(error, exceptions.ParseError):
        code, message = "malformed", f"{message.removesuffix('.')}."
    elif isinstance(error, exceptions.Throttled):
        seconds = max(1, math.ceil(retry_after_s or 1))
        message = _("Too many requests; try again in %(seconds)d s.") % {"seconds": seconds}
    elif message.startswith("CSRF"):
        code = "csrf_failed"
    response = _build_error_response(error.status_code, code, message, retry_after_s)
    if header := getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = header
    return response


def _build_invalid_fields_response(error: exceptions.ValidationError) -> Response:
    """List what is wrong by field. Fields inside of others have dotted names."""
    detail = error.detail if isinstance(error.detail, dict) else {NON_FIELD_ERRORS_KEY: error.detail}
    fields = dict(_flatten_field_errors(detail))
    general = fields.pop(NON_FIELD_ERRORS_KEY, [])
    message = " ".join(general) or _("Invalid: %(fields)s.") % {"fields": ", ".join(fields)}
    return Response(build_error("invalid", message, fields), status=400)


def _flatten_field_errors(detail: Any, path: str = "") -> list[tuple[str, list[str]]]:
    if isinstance(detail, dict):
        return [
            pair for name, inner in detail.items() for pair in _flatten_field_errors(inner, f"{path}.{name}".strip("."))
        ]
    if any(isinstance(inner, dict | list) for inner in detail):
        numbered = enumerate(detail)
        return [
            pair
            for index, inner in numbered
            if inner
            for pair in _flatten_field_errors(inner, f"{path}.{index}".strip("."))
        ]
    return [(path or NON_FIELD_ERRORS_KEY, [str(sentence) for sentence in detail])]


def get_error_code(error: ArenaError) -> str:
    """Return the code of an error: "not_yours" for `NotYours`, "refused" for a plain `ArenaError`."""
    if type(error) is ArenaError:
        return "refused"
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()


def server_error(request: HttpRequest) -> HttpResponse:
    """Report a failure of the arena: as JSON to programs, as a page to people. The log has the same reference."""
    reference = secrets.token_hex(4)
    log.error("Reference %s: %s %s", reference, request.method, request.path)
    if request.path.startswith(API_PATH_PREFIX):
        message = _("Something broke here, not in your program. Reference %(reference)s.") % {"reference": reference}
        return JsonResponse(build_error("server_error", message), status=500)
    # Rendered without the request, because a context processor may be what broke.
    return HttpResponseServerError(render_to_string("500.html", {"reference": reference}))
