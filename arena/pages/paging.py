"""Page through lists by the keys `before` and `after` in the address."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from arena.paging import slice_rows


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


def read_page_by_key(rows: QuerySet[Any], query: QueryDict, size: int, end: int | None = None) -> Page:
    """Return the page before or after the key in the query, newest first, and not beyond the key `end`."""
    before, after = read_keys(query)
    is_backwards = after is not None
    if end is not None:
        rows = rows.filter(**{"pk__lte" if is_backwards else "pk__gte": end})
    key = after if is_backwards else before
    found = slice_rows(rows, size, start=None if key is None else [key], backwards=is_backwards)
    shown = found.rows
    if end is not None and not (found.has_previous if is_backwards else found.has_next):
        return build_page_until(end, shown, before, after)
    return Page(
        shown,
        shown[0].pk if shown and found.has_previous else None,
        shown[-1].pk if shown and found.has_next else None,
    )


def build_page_until(end: int, shown: list[Any], before: int | None, after: int | None) -> Page:
    """Return a page that ends where the search stopped instead of at its last row."""
    if after is not None:
        return Page(shown, end, shown[-1].pk if shown else after + 1, end)
    newer = None if before is None else shown[0].pk if shown else before - 1
    return Page(shown, newer, end, end)
