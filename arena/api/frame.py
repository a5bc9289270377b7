"""The base class of all resources of the API."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import MethodNotAllowed, NotFound, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from arena.api.paging import CURSOR_PARAMETER, LIMIT_PARAMETER

READING_METHODS = ("GET", "HEAD")
ARCHIVE_TYPE = "application/octet-stream"
"""Content type of archives. From generated clients they come as bytes: generators know no other type of these."""


class Resource(GenericAPIView):
    """One address of the API. A subclass has methods `get`, `post` and so on, and the serializers they use.

    `query_class` is a serializer of the parameters in the address; `query` holds them once checked. A list says
    `is_list` and returns `self.respond_page(rows)`, ordered by the columns in `ordering`.
    """

    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    queryset: QuerySet[Any] | None = None
    serializer_class: type[Serializer] | None = None
    query_class: type[Serializer] | None = None
    is_list = False

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        """Return the view. It answers conditional requests."""
        return conditional_page(super().as_view(**initkwargs))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the response with headers that keep it out of shared caches unless it says otherwise."""
        response = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(response, ["Authorization", "Cookie"])
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse methods that the resource doesn't have before anything else is checked."""
        if getattr(self, (request.method or "").lower(), None) is None:
            raise MethodNotAllowed(request.method or "")
        super().initial(request, *args, **kwargs)
        self.refuse_unknown_parameters(request)

    @classmethod
    def list_parameters(cls, method: str) -> list[str]:
        """Return the names of the parameters that an address may have with this method."""
        if method not in READING_METHODS:
            return []
        names = list(cls.query_class().fields) if cls.query_class is not None else []
        return [*names, CURSOR_PARAMETER, LIMIT_PARAMETER] if cls.is_list else names

    def refuse_unknown_parameters(self, request: Request) -> None:
        """Raise ValidationError where the address has a parameter that means nothing here, as one that is misspelt."""
        known = self.list_parameters(request.method or "")
        if unknown := [name for name in request.query_params if name not in known]:
            sentence = (
                _("There is no such parameter; there are: %(names)s.") % {"names": ", ".join(known)}
                if known
                else _("This address has no parameters.")
            )
            raise ValidationError({name: [sentence] for name in unknown})

    @cached_property
    def query(self) -> dict[str, Any]:
        """The checked parameters of the address. Raises ValidationError."""
        assert self.query_class is not None
        serializer = self.query_class(data=self.request.query_params.dict())
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def read_data(self, serializer_class: type[Serializer] | None = None) -> dict[str, Any]:
        """Return the checked body of the request. Raise ValidationError."""
        serializer = (serializer_class or self.get_serializer_class())(
            data=self.request.data, context=self.get_serializer_context()
        )
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def respond_page(
        self,
        rows: QuerySet[Any],
        serializer_class: type[Serializer] | None = None,
        attach: Callable[[list[Any]], None] | None = None,
    ) -> Response:
        """Return one page of the rows; `attach` reads what else their serializer needs."""
        shown = self.paginate_queryset(rows) or []
        if attach:
            attach(shown)
        return self.get_paginated_response(self._serialize(shown, serializer_class, many=True))

    def respond(self, row: Any, serializer_class: type[Serializer] | None = None, status: int = 200) -> Response:
        """Return one row."""
        return Response(self._serialize(row, serializer_class), status=status)

    def _serialize(self, content: Any, serializer_class: type[Serializer] | None, many: bool = False) -> Any:
        serializer = (serializer_class or self.get_serializer_class())(
            content, many=many, context=self.get_serializer_context()
        )
        return serializer.data


class UnknownAddress(Resource):
    """Answer every address that is not one of the API's."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise NotFound."""
        raise NotFound(_("There is nothing at this address. All addresses end with a slash."))


def build_absolute_url(request: HttpRequest | Request, path: str) -> str:
    """Return the address of a path, with scheme and host."""
    return str(request.build_absolute_uri(path))
