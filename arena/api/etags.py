"""What the asker has already is not sent again (ETag, If-None-Match, 304).

Every answer to a GET has an ETag of its content: `Resource` sees to that. Where it is known without making the answer,
as for what never changes, `unless_known` saves the work, too.
"""

from collections.abc import Callable

from django.http import HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from rest_framework.request import Request


def unless_known(request: Request, tag: str, make: Callable[[], HttpResponse]) -> HttpResponse:
    """What `make` gives, unless the asker has what `tag` stands for."""
    etag = quote_etag(tag)
    response = get_conditional_response(request._request, etag=etag)
    if response is None:
        response = make()
        response["ETag"] = etag
    return response
