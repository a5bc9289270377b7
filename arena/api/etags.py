"""Answer conditional requests without building the response (ETag, If-None-Match, 304).

`Resource` gives every response to a GET an ETag of its content. Where the tag is known beforehand, as for what never
changes, `respond_unless_known` saves the work, too.
"""

from collections.abc import Callable

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from rest_framework.request import Request


def respond_unless_known(request: Request, tag: str, build: Callable[[], HttpResponse]) -> HttpResponseBase:
    """Return the response that `build` makes, or 304 where the client has what `tag` stands for."""
    etag = quote_etag(tag)
    response = get_conditional_response(request._request, etag=etag)
    if response is None:
        response = build()
        response["ETag"] = etag
    return response
