"""Describe the API in OpenAPI 3, generated from the resources.

What all operations have in common is added here: error responses and the Retry-After header.
"""

from functools import cache
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object, get_doc
from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DictField, ListField, Serializer

from arena.api.auth import BySession
from arena.api.errors import build_error
from arena.api.frame import Resource

ERROR_CODES_AND_TEXTS = {
    "400": ("invalid", "A field of the request or a parameter of the address is invalid."),
    "401": ("not_authenticated", "No token or session, or an invalid token."),
    "403": ("not_yours", "Not allowed for this user or token, or a session's request without its CSRF token."),
    "404": ("not_found", "Not found."),
    "409": ("conflict", "The request contradicts what is stored already."),
    "413": ("too_large", "The request is too large."),
    "415": ("unsupported_media_type", "The content type is not supported."),
    "422": ("key_reused", "The Idempotency-Key was used for another request."),
    "429": ("throttled", "Too many requests, or a quota is spent."),
}
"""Code and meaning of each error, by status."""
SESSION_SCHEME = "session"
STATUSES_OF_ALL_REQUESTS = ("401", "429")
STATUSES_OF_WRITES = ("400", "403", "409", "413", "415")
RETRY_AFTER_HEADER = {
    "Retry-After": {
        "schema": {"type": "integer", "minimum": 1},
        "description": "Seconds after which another try may succeed, where they are known.",
    }
}


class ErrorDetailSerializer(Serializer):
    """An error."""

    code = CharField(help_text="Stable code, for programs.")
    message = CharField(help_text="Sentence in the reader's language, for people.")
    fields = DictField(  # type: ignore[assignment]
        child=ListField(child=CharField()), required=False, help_text="Sentences by the name of the invalid field."
    )


class ErrorSerializer(Serializer):
    """The body of every error response."""

    error = ErrorDetailSerializer()


class SchemaWithErrors(AutoSchema):
    """Describe every operation with its error responses, each with an example."""

    def get_operation_id(self) -> str:
        """Return the name of the operation without the version of the API."""
        return super().get_operation_id().removeprefix("api_v1_")

    def get_description(self) -> str:  # type: ignore[override]
        """Return the docstring of the resource, but not the one it inherits, which is for developers."""
        description = super().get_description()
        return "" if description == get_doc(Resource) else description

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the ways to authenticate."""
        return [{SESSION_SCHEME: []}] if BySession in self.view.permission_classes else super().get_auth()

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies = super()._get_response_bodies(direction)
        for status in self._error_statuses():
            if status not in bodies:
                bodies[status] = self._get_response_for_code(describe_error_response(status), status)
        bodies["429"]["headers"] = RETRY_AFTER_HEADER
        return bodies

    def _error_statuses(self) -> list[str]:
        found = {*STATUSES_OF_ALL_REQUESTS}
        is_writing = self.method not in SAFE_METHODS
        if is_writing:
            found.update(STATUSES_OF_WRITES)
        if "{" in self.path or BySession in self.view.permission_classes:
            found.add("403")
        has_query = getattr(self.view, "query_class", None) is not None
        if "{" in self.path or is_writing or has_query:
            found.add("404")
        if has_query or self._get_pagination_parameters():
            found.add("400")
        return sorted(found)


def describe_error_response(status: str) -> OpenApiResponse:
    """Return the description of the error with this status."""
    code, meaning = ERROR_CODES_AND_TEXTS[status]
    fields = {"name": ["This field is required."]} if status == "400" else None
    example = OpenApiExample(code, build_error(code, meaning, fields), status_codes=[status], response_only=True)
    return OpenApiResponse(ErrorSerializer, meaning, [example])


class BearerScheme(OpenApiAuthenticationExtension):
    """Describe authentication by a token."""

    target_class = "arena.api.auth.ByToken"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the security scheme."""
        return build_bearer_security_scheme_object("Authorization", "Bearer") | {
            "description": "A token made on the page Tokens: `Authorization: Bearer pnt_…`."
        }


class SessionScheme(OpenApiAuthenticationExtension):
    """Describe authentication by the site's session."""

    target_class = "arena.api.auth.ByCookie"
    name = SESSION_SCHEME

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the security scheme."""
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The session of the site. Requests that write need the CSRF token, too.",
        }


@cache
def build_api_schema() -> dict[str, Any]:
    """Return the schema, which depends on nothing but the code."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


class Schema(Resource):
    """The schema of the API, in JSON."""

    schema = None
    authentication_classes = ()

    def get(self, request: Request) -> Response:
        """Return the schema."""
        return Response(build_api_schema(), content_type="application/vnd.oai.openapi+json")
