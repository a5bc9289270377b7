"""Keep whole pages for some seconds for readers without a session, who all see the same."""

import hashlib
from collections.abc import Callable

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers, set_response_etag
from django.utils.translation import get_language

from arena.pages.theme import chosen_theme

COOKIES_OF_PERSONAL_PAGES = (settings.SESSION_COOKIE_NAME, "messages")
UNCACHED_PREFIX = "/api/"
"""Requests to the API are counted, each of them."""

Handler = Callable[[HttpRequest], HttpResponseBase]


def cache_anonymous_pages(get_response: Handler) -> Handler:
    """Return middleware that serves a page kept earlier, and keeps one that may be served to others.

    It stands behind LocaleMiddleware, which finds the language, and before CsrfViewMiddleware, which sets a cookie
    where a page has a form with a token.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not (settings.ANONYMOUS_PAGE_CACHE_S and may_be_cached(request)):
            return get_response(request)
        pages, key = caches["pages"], build_cache_key(request)
        kept = pages.get(key)
        if kept is not None:
            content, headers = kept
            return send_unless_unchanged(request, HttpResponse(content, headers=headers))
        response = get_response(request)
        if not isinstance(response, HttpResponse) or not is_for_everybody(response):
            return response
        patch_vary_headers(response, ["Cookie", "Accept-Language", "HX-Request"])
        set_response_etag(response)
        if request.method == "GET":
            pages.set(key, (response.content, dict(response.items())), settings.ANONYMOUS_PAGE_CACHE_S)
        return send_unless_unchanged(request, response)

    return middleware


def may_be_cached(request: HttpRequest) -> bool:
    """Return whether the answer to a request depends on nothing but what is in its key."""
    return (
        request.method in ("GET", "HEAD")
        and not any(name in request.COOKIES for name in COOKIES_OF_PERSONAL_PAGES)
        and "Authorization" not in request.headers
        and not request.path.startswith(UNCACHED_PREFIX)
    )


def is_for_everybody(response: HttpResponse) -> bool:
    """Return whether a page may be served to other readers; one that says itself how it is cached is left alone."""
    return response.status_code == 200 and not response.cookies and not response.has_header("Cache-Control")


def build_cache_key(request: HttpRequest) -> str:
    """Return the key of a page: scheme and host, language, theme, whether htmx asks, whether gzip is read, and path."""
    parts = (
        f"{request.scheme}://{request.get_host()}",
        get_language() or "",
        chosen_theme(request),
        request.headers.get("HX-Request", ""),
        "gzip" if "gzip" in request.headers.get("Accept-Encoding", "") else "",
        request.get_full_path(),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def send_unless_unchanged(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """Return the page, or 304 if the reader has it."""
    return get_conditional_response(request, etag=response["ETag"], response=response) or response
