"""What every resource of the API has in common."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import MethodNotAllowed, NotFound
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer


class Resource(GenericAPIView):
    """One address. A subclass has `get`, `post` … and the serializers of what it gives, and takes.

    `query_class` is a serializer of the parameters in the address; `asked` has them, checked. A list gives
    `self.page(rows)`, ordered by the columns in `ordering`.
    """

    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    queryset: QuerySet | None = None
    query_class: type[Serializer] | None = None

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Callable[..., HttpResponse]:
        return conditional_page(super().as_view(**initkwargs))

    def finalize_response(self, request: Request, response: HttpResponse, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(response, ["Authorization", "Cookie"])
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """What isn't done here at all is said before it is asked who may do it."""
        if getattr(self, request.method.lower(), None) is None:
            raise MethodNotAllowed(request.method)
        super().initial(request, *args, **kwargs)

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The parameters in the address. Raises ValidationError."""
        query = self.query_class(data=self.request.query_params.dict())
        query.is_valid(raise_exception=True)
        return query.validated_data

    @property
    def sent(self) -> dict[str, Any]:
        """What the request holds, as `serializer_class` wants it. Raises ValidationError."""
        return self.sent_as(self.serializer_class)

    def sent_as(self, shape: type[Serializer]) -> dict[str, Any]:
        """What the request holds, in that shape. Raises ValidationError."""
        serializer = shape(data=self.request.data, context=self.get_serializer_context())
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def page(
        self, rows: QuerySet, shape: type[Serializer] | None = None, complete: Callable[[list[Any]], None] | None = None
    ) -> Response:
        """One page of the rows, each in that shape; `complete` reads for them what else that wants."""
        shown = self.paginate_queryset(rows)
        if complete:
            complete(shown)
        shape = shape or self.serializer_class
        return self.get_paginated_response(shape(shown, many=True, context=self.get_serializer_context()).data)

    def shown(self, row: Any, shape: type[Serializer] | None = None, status: int = 200) -> Response:
        """A row in that shape."""
        shape = shape or self.serializer_class
        return Response(shape(row, context=self.get_serializer_context()).data, status=status)


class Nothing(Resource):
    """Whatever isn't an address of this API."""

    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this address. All addresses end with a slash.")
