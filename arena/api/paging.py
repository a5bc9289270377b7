"""Page through long lists: `{"results": […], "next": address or null, "previous": address or null}`.

A view names the columns of its order in `ordering`; see `arena.paging`. Cursors are signed, so their content can be
trusted, and they are valid for one list only. A view that can narrow down the rows in which a page is found has a
method `narrow`.
"""

from typing import Any

from django.core import signing
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from arena.paging import NEWEST_FIRST, slice_rows

CURSOR_PARAMETER = "cursor"
LIMIT_PARAMETER = "limit"


class CursorPaging(BasePagination):
    """Cursor pagination by the key of a row, forwards and backwards."""

    default_limit = 25
    max_limit = 200

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the rows of the page that the request names. Raise ValidationError."""
        self.request, self.model = request, queryset.model
        self.ordering = tuple(getattr(view, "ordering", NEWEST_FIRST))
        limit = self._read_limit()
        backwards, values = self._read_cursor()
        if narrow := getattr(view, "narrow", None):
            queryset = narrow(queryset, limit + 1, backwards, values and values[-1])
        self.page = slice_rows(queryset, limit, ordering=self.ordering, start=values, backwards=backwards)
        return self.page.rows

    def get_paginated_response(self, data: list[Any]) -> Response:
        """Return the page with the addresses of its neighbours."""
        page = self.page
        first, last = (page.rows[0], page.rows[-1]) if page.rows else (None, None)
        return Response(
            {
                "results": data,
                "next": self._build_link(last, False) if page.has_next and last else None,
                "previous": self._build_link(first, True) if page.has_previous and first else None,
            }
        )

    def _read_limit(self) -> int:
        text = self.request.query_params.get(LIMIT_PARAMETER)
        if text is None:
            return self.default_limit
        if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= self.max_limit):
            raise ValidationError(
                {LIMIT_PARAMETER: [_("Enter a whole number from 1 to %(max)d.") % {"max": self.max_limit}]}
            )
        return int(text)

    def _read_cursor(self) -> tuple[bool, list[Any] | None]:
        """Return whether to go backwards, and the key of the row to start from; None for the first page."""
        text = self.request.query_params.get(CURSOR_PARAMETER)
        if text is None:
            return False, None
        try:
            backwards, values = self._signer.unsign_object(text)
        except (signing.BadSignature, UnicodeError):
            raise ValidationError(
                {CURSOR_PARAMETER: [_("Use a cursor from `next` or `previous` of the same list.")]}
            ) from None
        return backwards, [self._parse(name, value) for name, value in zip(self.ordering, values, strict=True)]

    def _build_link(self, row: Model, backwards: bool) -> str:
        values = [_read_column(row, name.lstrip("-")) for name in self.ordering]
        plain = [value if isinstance(value, bool | int | float) else str(value) for value in values]
        address = remove_query_param(self.request.build_absolute_uri(), CURSOR_PARAMETER)
        return replace_query_param(address, CURSOR_PARAMETER, self._signer.sign_object([backwards, plain]))

    @property
    def _signer(self) -> signing.Signer:
        return signing.Signer(salt=f"{self.request.path} {' '.join(self.ordering)}")

    def _parse(self, name: str, value: Any) -> Any:
        """Return the value as its column has it. Times are text in a cursor."""
        try:
            field = self.model._meta.pk if name.lstrip("-") == "pk" else self.model._meta.get_field(name.lstrip("-"))
        except FieldDoesNotExist:
            return value
        return field.to_python(value)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of a page."""
        example = f"https://arena.example.org/api/v1/matches/?{CURSOR_PARAMETER}=WzAsWzEyMDddXQ:x3Bq"
        link = {"type": "string", "format": "uri", "nullable": True, "example": example}
        return {
            "type": "object",
            "required": ["results", "next", "previous"],
            "properties": {"results": schema, "next": link, "previous": link | {"example": None}},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the parameters of a list."""
        cursor = {"type": "string"}
        limit = {"type": "integer", "minimum": 1, "maximum": self.max_limit, "default": self.default_limit}
        return [
            {
                "name": CURSOR_PARAMETER,
                "in": "query",
                "schema": cursor,
                "description": "Cursor from `next` or `previous`.",
            },
            {
                "name": LIMIT_PARAMETER,
                "in": "query",
                "schema": limit,
                "description": "Maximum number of rows in the response.",
            },
        ]


def _read_column(row: Model, path: str) -> Any:
    value: Any = row
    for part in path.split("__"):
        value = getattr(value, part)
    return value
