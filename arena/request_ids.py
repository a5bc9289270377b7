"""Give every request an id, by which its lines in the logs of the site and of its proxies are found."""

import re
from collections.abc import Callable
from uuid import uuid4

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from arena.log_context import REQUEST_ID, log_with

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
