"""Long lists a page at a time, by key: each page costs the same, and none shifts while rows are added."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict


@dataclass(frozen=True, slots=True)
class Page:
    rows: list[Any]
    newer: int | None
    """Key to ask for with `after`; None at the beginning."""
    older: int | None
    """Key to ask for with `before`; None at the end."""
    looked_to: int | None = None
    """The key at which looking ended, where there may be more behind it."""


def read_key(query: QueryDict, name: str) -> int | None:
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def read_keys(query: QueryDict) -> tuple[int | None, int | None]:
    """Before and after which row the address wants the page: one of both at most."""
    before, after = read_key(query, "before"), read_key(query, "after")
    return (None, after) if after is not None else (before, None)


def page_by_key(rows: QuerySet[Any], query: QueryDict, size: int, end: int | None = None) -> Page:
    """The rows, newest first, before or after the key the address names, and not beyond the key `end`."""
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
    """A page that ends where looking did, and not with its last row."""
    if after is not None:
        return Page(shown, end, shown[-1].pk if shown else after + 1, end)
    newer = None if before is None else shown[0].pk if shown else before - 1
    return Page(shown, newer, end, end)
