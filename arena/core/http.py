"""What requests, responses and lists share: addresses, privacy towards caches, streams, pages of long lists."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBadRequest
from django.http.response import HttpResponseBase

# Tell whose request it is where nobody is signed in: the one place that reads the headers of proxies.

IPV6_NETWORK_BITS = 64
"""A provider gives each customer such a network, or more."""


def find_client_address(request: HttpRequest) -> str:
    """Return the address that a request came from.

    Only the last PROXIES entries of X-Forwarded-For were written by proxies of ours; the first of these is the client.
    """
    forwarded = [entry.strip() for entry in str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")]
    if settings.PROXIES and any(forwarded):
        return _unmap(forwarded[-min(settings.PROXIES, len(forwarded))])
    return _unmap(str(request.META.get("REMOTE_ADDR", "")))


def _unmap(address: str) -> str:
    """Return an IPv4 address as such: a server of both kinds writes it as `::ffff:192.0.2.1`."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return str(mapped) if mapped is not None else address


def find_client_network(request: HttpRequest) -> str:
    """Return what requests of one client are counted by, everywhere: an IPv4 address, or the /64 of an IPv6 address."""
    address = find_client_address(request)
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return str(ip)
    return str(ip_network((str(ip), IPV6_NETWORK_BITS), strict=False))


def is_from_private_network(request: HttpRequest) -> bool:
    """Return whether a request came from this machine or a private network, and through no proxy that isn't counted.

    Where PROXIES is 0 and a proxy is there after all, all requests would seem to come from its own address.
    """
    if "HTTP_X_FORWARDED_FOR" in request.META and not settings.PROXIES:
        return False
    try:
        ip = ip_address(find_client_address(request).partition("%")[0])
    except ValueError:
        return False
    return ip.is_private


# Refuse what comes through a proxy that serves the site below a path, as the start does where the environment says so.

PREFIX_HEADERS = ("SCRIPT_NAME", "HTTP_X_FORWARDED_PREFIX", "HTTP_X_SCRIPT_NAME")
"""The first one is a header, too: Gunicorn takes it from a proxy on the same machine."""
MAX_PREFIX_SHOWN = 100


def refuse_path_prefix(get_response: "Handler") -> "Handler":
    """Return middleware that answers 400 with a sentence where a proxy says that it serves the site below a path."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        prefix = next((found for name in PREFIX_HEADERS if (found := str(request.META.get(name, "")).strip("/ "))), "")
        if not prefix:
            return get_response(request)
        sentence = (
            f"A proxy serves this site below the path /{prefix[:MAX_PREFIX_SHOWN]}/, but Pennant needs its own host "
            "name, such as arena.example.org.\n"
        )
        headers = {"Cache-Control": "no-store"}
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8", headers=headers)

    return middleware


# Keep out of every cache what isn't for everybody: pages, files, pictures and the API say so in one way.

PRIVATE_MARK = "pennant.private"
"""Key in the META of a request whose response isn't for everybody."""
Handler = Callable[[HttpRequest], HttpResponseBase]


def forbid_caching(request: HttpRequest) -> None:
    """Let nobody cache the response to a request, whatever its view says: what it shows isn't for everybody."""
    request.META[PRIVATE_MARK] = True


def keep_private(get_response: Handler) -> Handler:
    """Return middleware that lets nobody cache what `forbid_caching` was called for. It stands after the cache.

    What is shared by a link or with a group, or is one reader's, is no business of search engines either.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if PRIVATE_MARK in request.META:
            if response.has_header("ETag"):
                del response["ETag"]
            response["Cache-Control"] = "private, no-store"
        if "private" in response.get("Cache-Control", ""):
            response["X-Robots-Tag"] = "noindex"
        return response

    return middleware


# Stream long answers of which only some may be written at a time.


class HeldStream:
    """A stream that gives its place back once it ends or its reader is gone."""

    def __init__(self, chunks: Iterator[bytes], release: Callable[[], object]) -> None:
        self.chunks = chunks
        self.release = release
        self.is_held = True

    def __iter__(self) -> Iterator[bytes]:
        """Yield the chunks."""
        return self.chunks

    def close(self) -> None:
        """Give the place back, once."""
        if self.is_held:
            self.is_held = False
            self.release()


# Cut long lists into pages that begin at a row: every page costs the same, and none shifts while rows are added.
#
# An order is written as in a model's Meta: the names of columns, the last of them unique, none of them nullable.

NEWEST_FIRST = ("-pk",)


@dataclass(frozen=True, slots=True)
class Slice:
    """The rows of a page, and whether there are more on either side."""

    rows: list[Any]
    has_previous: bool
    has_next: bool


def slice_rows(
    rows: QuerySet[Any],
    size: int,
    *,
    ordering: Sequence[str] = NEWEST_FIRST,
    start: Sequence[Any] | None = None,
    backwards: bool = False,
) -> Slice:
    """Return the `size` rows that come after a row in this order, or `backwards` those before it.

    `start` has that row's values of the columns of the order; None for the first page.
    """
    rows = rows.order_by(*(_reverse_ordering(name) if backwards else name for name in ordering))
    if start is not None:
        rows = rows.filter(_build_rows_after_condition(ordering, start, backwards))
    found = list(rows[: size + 1])
    shown, has_more = found[:size], len(found) > size
    return Slice(shown[::-1], has_more, True) if backwards else Slice(shown, start is not None, has_more)


def _reverse_ordering(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def _build_rows_after_condition(ordering: Sequence[str], values: Sequence[Any], backwards: bool) -> Q:
    """Return the condition of rows behind a row with these values, in the order or against it.

    The bound of the first column is implied by the rest, but lets a database use an index.
    """
    after, bound = Q(), Q()
    equal: dict[str, Any] = {}
    for ordered, value in zip(ordering, values, strict=True):
        name, is_descending = ordered.lstrip("-"), ordered.startswith("-")
        sign = "lt" if is_descending != backwards else "gt"
        after |= Q(**equal, **{f"{name}__{sign}": value})
        if not equal:
            bound = Q(**{f"{name}__{sign}e": value})
        equal[name] = value
    return bound & after if len(ordering) > 1 else after
