"""Cut long lists into pages that begin at a row: every page costs the same, and none shifts while rows are added.

An order is written as in a model's Meta: the names of columns, the last of them unique, none of them nullable.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

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
