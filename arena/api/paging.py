"""Long lists a page at a time: `{"results": […], "next": address or null, "previous": address or null}`.

A page begins at the key of a row, so each costs the same and none shifts while rows are added. A view names the columns
of its order in `ordering`, the last of them unique, as in a model's Meta; none of them may be null. Its cursors are
signed: what they hold can be trusted, and they say nothing to another list. A view that knows how to look at fewer rows
for a page has `near`.
"""

from typing import Any

from django.core import signing
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model, Q, QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

NEWEST_FIRST = ("-pk",)
CURSOR = "cursor"
LIMIT = "limit"


class CursorPaging(BasePagination):
    size = 25
    largest = 200

    def paginate_queryset(self, queryset: QuerySet, request: Request, view: Any = None) -> list[Model]:
        self.request, self.model = request, queryset.model
        self.ordering = tuple(getattr(view, "ordering", NEWEST_FIRST))
        size = self.read_size()
        backwards, values = self.read_cursor()
        if near := getattr(view, "near", None):
            queryset = near(queryset, size + 1, backwards, values and values[-1])
        rows = queryset.order_by(*(flipped(name) if backwards else name for name in self.ordering))
        if values is not None:
            rows = rows.filter(self.beyond(values, backwards))
        found = list(rows[: size + 1])
        self.rows = found[:size][::-1] if backwards else found[:size]
        has_more = len(found) > size
        self.has_next = backwards or has_more
        self.has_previous = has_more if backwards else values is not None
        return self.rows

    def get_paginated_response(self, data: list[Any]) -> Response:
        first, last = (self.rows[0], self.rows[-1]) if self.rows else (None, None)
        return Response(
            {
                "results": data,
                "next": self.link(last, False) if self.has_next and last else None,
                "previous": self.link(first, True) if self.has_previous and first else None,
            }
        )

    def read_size(self) -> int:
        text = self.request.query_params.get(LIMIT)
        if text is None:
            return self.size
        if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= self.largest):
            raise ValidationError({LIMIT: [f"A whole number from 1 to {self.largest}."]})
        return int(text)

    def read_cursor(self) -> tuple[bool, list[Any] | None]:
        """Whether to go back, and from which row's values; None for the beginning."""
        text = self.request.query_params.get(CURSOR)
        if text is None:
            return False, None
        try:
            backwards, values = self.signer.unsign_object(text)
        except (signing.BadSignature, UnicodeError):
            raise ValidationError({CURSOR: ["Take it from `next` or `previous` of the same list."]}) from None
        return backwards, [self.parse(name, value) for name, value in zip(self.ordering, values, strict=True)]

    def link(self, row: Model, backwards: bool) -> str:
        values = [value_of(row, name.lstrip("-")) for name in self.ordering]
        plain = [value if isinstance(value, bool | int | float) else str(value) for value in values]
        address = remove_query_param(self.request.build_absolute_uri(), CURSOR)
        return replace_query_param(address, CURSOR, self.signer.sign_object([backwards, plain]))

    @property
    def signer(self) -> signing.Signer:
        return signing.Signer(salt=f"{self.request.path} {' '.join(self.ordering)}")

    def parse(self, name: str, value: Any) -> Any:
        """A value as its column has it: times went through text."""
        try:
            field = self.model._meta.pk if name.lstrip("-") == "pk" else self.model._meta.get_field(name.lstrip("-"))
        except FieldDoesNotExist:
            return value
        return field.to_python(value)

    def beyond(self, values: list[Any], backwards: bool) -> Q:
        """What comes after a row of these values, in the order or against it."""
        after, equal = Q(), {}
        for ordered, value in zip(self.ordering, values, strict=True):
            name, is_descending = ordered.lstrip("-"), ordered.startswith("-")
            sign = "lt" if is_descending != backwards else "gt"
            after |= Q(**equal, **{f"{name}__{sign}": value})
            if not equal:
                bound = Q(**{f"{name}__{sign}e": value})
            equal[name] = value
        return bound & after

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        example = f"https://arena.example.org/api/v1/matches/?{CURSOR}=WzAsWzEyMDddXQ:x3Bq"
        link = {"type": "string", "format": "uri", "nullable": True, "example": example}
        return {
            "type": "object",
            "required": ["results", "next", "previous"],
            "properties": {"results": schema, "next": link, "previous": link | {"example": None}},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        size = {"type": "integer", "minimum": 1, "maximum": self.largest, "default": self.size}
        return [
            {"name": CURSOR, "in": "query", "schema": {"type": "string"}, "description": "As `next` has it."},
            {"name": LIMIT, "in": "query", "schema": size, "description": "Rows of a page."},
        ]


def flipped(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def value_of(row: Model, path: str) -> Any:
    value: Any = row
    for part in path.split("__"):
        value = getattr(value, part)
    return value
