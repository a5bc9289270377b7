"""Keep out of every cache what isn't for everybody: pages, files, pictures and the API say so in one way."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

PRIVATE_MARK = "pennant.private"
"""Key in the META of a request whose response isn't for everybody."""
Handler = Callable[[HttpRequest], HttpResponseBase]


def forbid_caching(request: HttpRequest) -> None:
    """Let nobody cache the response to a request, whatever its view says: what it shows isn't for everybody."""
    request.META[PRIVATE_MARK] = True


def keep_private(get_response: Handler) -> Handler:
    """Return middleware that lets nobody cache what `forbid_caching` was called for. It stands after the cache."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if PRIVATE_MARK in request.META:
            if response.has_header("ETag"):
                del response["ETag"]
            response["Cache-Control"] = "private, no-store"
        return response

    return middleware
