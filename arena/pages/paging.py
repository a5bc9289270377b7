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


def read_key(query: QueryDict, name: str) -> int | None:
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def page_by_key(rows: QuerySet[Any], query: QueryDict, size: int) -> Page:
    """The rows, newest first, before or after the key the address names."""
    before, after = read_key(query, "before"), read_key(query, "after")
    if after is not None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
        shown = found[:size][::-1]
        has_newer, has_older = len(found) > size, True
    else:
        older = rows if before is None else rows.filter(pk__lt=before)
        found = list(older.order_by("-pk")[: size + 1])
        shown = found[:size]
        has_newer, has_older = before is not None, len(found) > size
    return Page(
        shown,
        shown[0].pk if shown and has_newer else None,
        shown[-1].pk if shown and has_older else None,
    )
