"""One shape for whatever goes wrong:

    {"error": {"code": "not_found", "message": "A sentence.", "fields": {"name": ["A sentence."]}}}

`code` is for programs, `message` a ready sentence for people, `fields` is there only where single fields are to blame.
Views raise; none of them builds such an answer. An `ArenaError` has its class's name as its code.
"""

import logging
import math
import re
import secrets
from typing import Any, TypeVar

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.template.loader import render_to_string
from rest_framework import exceptions
from rest_framework.response import Response

from arena.errors import ArenaError

log = logging.getLogger(__name__)

ROOT = "/api/"
GENERAL = "non_field_errors"
"""Where the framework puts what no single field is to blame for."""

Row = TypeVar("Row", bound=Model)


def find(rows: QuerySet[Row], sentence: str, **lookup: Any) -> Row:
    """The one row of that lookup. Raises NotFound with the sentence."""
    row = rows.filter(**lookup).first()
    if row is None:
        raise exceptions.NotFound(sentence)
    return row


def body(code: str, message: str, fields: dict[str, list[str]] | None = None) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, **({"fields": fields} if fields else {})}}


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to a request that raised; None where the fault is ours."""
    if isinstance(error, ArenaError):
        return refuse(error.status, code_of(error), str(error), wait=error.retry_after)
    if isinstance(error, exceptions.ValidationError):
        return refuse_fields(error)
    if isinstance(error, Http404):
        error = exceptions.NotFound("There is nothing at this address.")
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied("This is not yours.")
    elif isinstance(error, RequestDataTooBig):
        return refuse(413, "too_large", "That is more than is read here.")
    elif isinstance(error, SuspiciousOperation):
        return refuse(400, "malformed", "The request can't be read.")
    if not isinstance(error, exceptions.APIException):
        return None
    return refuse_request(error)


def refuse(status: int, code: str, message: str, wait: float | None = None) -> Response:
    """`wait`: seconds after which it is worth another try."""
    headers = {} if wait is None else {"Retry-After": str(max(1, math.ceil(wait)))}
    return Response(body(code, message), status=status, headers=headers)


def refuse_request(error: exceptions.APIException) -> Response:
    code, message = error.default_code, str(error.detail)
    wait = getattr(error, "wait", None)
    if isinstance(error, exceptions.ParseError):
        code, message = "malformed", f"{message.removesuffix('.')}."
    elif isinstance(error, exceptions.Throttled):
        message = f"Too many requests; try again in {max(1, math.ceil(wait or 1))} s."
    elif message.startswith("CSRF"):
        code = "csrf_failed"
    response = refuse(error.status_code, code, message, wait)
    if header := getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = header
    return response


def refuse_fields(error: exceptions.ValidationError) -> Response:
    """Fields by name, those inside of others by dotted names."""
    detail = error.detail if isinstance(error.detail, dict) else {GENERAL: error.detail}
    fields = dict(flatten(detail))
    general = fields.pop(GENERAL, [])
    message = " ".join(general) or f"Not right: {', '.join(fields)}."
    return Response(body("invalid", message, fields), status=400)


def flatten(detail: Any, path: str = "") -> list[tuple[str, list[str]]]:
    if isinstance(detail, dict):
        return [pair for name, inner in detail.items() for pair in flatten(inner, f"{path}.{name}".strip("."))]
    if any(isinstance(inner, dict | list) for inner in detail):
        numbered = enumerate(detail)
        return [pair for index, inner in numbered if inner for pair in flatten(inner, f"{path}.{index}".strip("."))]
    return [(path or GENERAL, [str(sentence) for sentence in detail])]


def code_of(error: ArenaError) -> str:
    """`NotYours` is not_yours; what has no class of its own is "refused"."""
    if type(error) is ArenaError:
        return "refused"
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()


def server_error(request: HttpRequest) -> HttpResponse:
    """What everybody is told of a failure of ours: JSON for programs, the page for people. Its reference is in the log,
    beside what broke."""
    reference = secrets.token_hex(4)
    log.error("Reference %s: %s %s", reference, request.method, request.path)
    if request.path.startswith(ROOT):
        message = f"Something broke here, not in your program. Reference {reference}."
        return JsonResponse(body("server_error", message), status=500)
    # Without the request: what broke may be what knows of it.
    return HttpResponseServerError(render_to_string("500.html", {"reference": reference}))
