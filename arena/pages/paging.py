"""Paginate long lists by key: every page costs the same, and pages don't shift while rows are added."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict


@dataclass(frozen=True, slots=True)
class Page:
    """A page of rows, and the keys of its neighbours."""

    rows: list[Any]
    newer: int | None
    """Value of `after` for the page of newer rows; None on the first page."""
    older: int | None
    """Value of `before` for the page of older rows; None on the last page."""
    scanned_to: int | None = None
    """The key at which the search stopped, if there may be more rows beyond it."""


def read_key(query: QueryDict, name: str) -> int | None:
    """Return a key from the query, or None if it is missing or invalid."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def read_keys(query: QueryDict) -> tuple[int | None, int | None]:
    """Return the keys `before` and `after` of the query; at most one is not None."""
    before, after = read_key(query, "before"), read_key(query, "after")
    return (None, after) if after is not None else (before, None)


def page_by_key(rows: QuerySet[Any], query: QueryDict, size: int, end: int | None = None) -> Page:
    """Return the page before or after the key in the query, newest first, and not beyond the key `end`."""
    before, after = read_keys(query)
    if end is not None:
        rows = rows.filter(**{"pk__gte" if after is None else "pk__lte": end})
    if after is not None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
        shown = found[:size][::-1]
        has_newer, has_older = len(found) > size, True
    else:
        older = rows if before is None else rows.filter(pk__lt=before)
        found = list(older.order_by("-pk")[: size + 1])
        shown = found[:size]
        has_newer, has_older = before is not None, len(found) > size
    if end is not None and len(found) <= size:
        return page_to(end, shown, before, after)
    return Page(
        shown,
        shown[0].pk if shown and has_newer else None,
        shown[-1].pk if shown and has_older else None,
    )


def page_to(end: int, shown: list[Any], before: int | None, after: int | None) -> Page:
    """Return a page that ends where the search stopped instead of at its last row."""
    if after is not None:
        return Page(shown, end, shown[-1].pk if shown else after + 1, end)
    newer = None if before is None else shown[0].pk if shown else before - 1
    return Page(shown, newer, end, end)
