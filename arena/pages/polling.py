"""Render pages with a part that polls for updates until its content is final."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers, set_response_etag
from django_htmx.middleware import HtmxDetails

HTTP_STOP_POLLING = 286
"""The status at which htmx shows the content and stops polling."""


class HtmxRequest(HttpRequest):
    """A request that has passed the middleware of django-htmx."""

    htmx: HtmxDetails


def render_live(
    request: HtmxRequest,
    page: str,
    part: str,
    context: dict[str, Any],
    is_final: bool,
    *,
    reloads_at_end: bool = False,
) -> HttpResponse:
    """Render the whole page, or its live part for a poll.

    An unchanged part is answered with 304, and a final one ends the polling. With `reloads_at_end` the whole page is
    loaded then: what is outside of the part has changed, too.
    """
    if not request.htmx:
        response = render(request, page, context)
        patch_vary_headers(response, ["HX-Request"])
        return response
    response = render(request, part, context)
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request"])
    if is_final:
        response.status_code = HTTP_STOP_POLLING
        if reloads_at_end:
            response["HX-Refresh"] = "true"
        return response
    set_response_etag(response)
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def reload_if_changed(request: HtmxRequest, state: str) -> HttpResponse | None:
    """Return the answer to a poll of a page that was drawn in another state, which loads it whole; None elsewhere.

    Buttons and forms outside of the polled part may have become void.
    """
    if not request.htmx or request.GET.get("state", state) == state:
        return None
    return HttpResponse(status=204, headers={"HX-Refresh": "true"})
