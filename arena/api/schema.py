"""The description of the API: OpenAPI 3, made of the resources themselves.

What every operation has in common is added here: how it refuses, and what Retry-After tells.
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
from arena.api.errors import body
from arena.api.frame import Resource

SENTENCES = {
    "400": ("invalid", "What was sent, or asked for in the address, is not right."),
    "401": ("not_authenticated", "Nobody is known to ask, or the token is not valid."),
    "403": ("not_yours", "Somebody else's, not this token's, or a session's request without its CSRF token."),
    "404": ("not_found", "There is no such thing."),
    "409": ("conflict", "It doesn't go together with what is there already."),
    "413": ("too_large", "More than is read here."),
    "415": ("unsupported_media_type", "Not in the form that is read here."),
    "422": ("key_reused", "The Idempotency-Key was used for something else."),
    "429": ("throttled", "Too many requests, or a spent quota."),
}
"""Code and meaning of each refusal."""
SESSION = "session"
ALWAYS = ("401", "429")
WRITING = ("400", "403", "409", "413", "415")
RETRY_AFTER = {
    "Retry-After": {"schema": {"type": "integer", "minimum": 1}, "description": "Seconds, where they are known."}
}


class ErrorDetailSerializer(Serializer):
    code = CharField(help_text="For programs: stable.")
    message = CharField(help_text="For people: a sentence.")
    fields = DictField(
        child=ListField(child=CharField()), required=False, help_text="Sentences by field, where fields are to blame."
    )


class ErrorSerializer(Serializer):
    error = ErrorDetailSerializer()


class Described(AutoSchema):
    """Every operation says how it refuses, with an example of each."""

    def get_operation_id(self) -> str:
        return super().get_operation_id().removeprefix("api_v1_")

    def get_description(self) -> str:
        """What a resource says of itself; not what it inherits, which is for who writes one."""
        told = super().get_description()
        return "" if told == get_doc(Resource) else told

    def get_auth(self) -> list[dict[str, Any]]:
        return [{SESSION: []}] if BySession in self.view.permission_classes else super().get_auth()

    def _get_response_bodies(self, direction: str = "response") -> dict[str, Any]:
        bodies = super()._get_response_bodies(direction)
        for status in self.refusals():
            if status not in bodies:
                bodies[status] = self._get_response_for_code(refusal(status), status)
        bodies["429"]["headers"] = RETRY_AFTER
        return bodies

    def refusals(self) -> list[str]:
        found = {*ALWAYS}
        is_writing = self.method not in SAFE_METHODS
        if is_writing:
            found.update(WRITING)
        if "{" in self.path or BySession in self.view.permission_classes:
            found.add("403")
        if "{" in self.path or is_writing or self.view.query_class:
            found.add("404")
        if self.view.query_class or self._get_pagination_parameters():
            found.add("400")
        return sorted(found)


def refusal(status: str) -> OpenApiResponse:
    code, meaning = SENTENCES[status]
    fields = {"name": ["This field is required."]} if status == "400" else None
    example = OpenApiExample(code, body(code, meaning, fields), status_codes=[status], response_only=True)
    return OpenApiResponse(ErrorSerializer, meaning, [example])


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = "arena.api.auth.ByToken"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return build_bearer_security_scheme_object("Authorization", "Bearer") | {
            "description": "A token from your tokens page: `Authorization: Bearer pnt_…`."
        }


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "rest_framework.authentication.SessionAuthentication"
    name = SESSION

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "As logged in to the site: nothing to fill in here. Who writes sends the CSRF token, too.",
        }


@cache
def description() -> dict[str, Any]:
    """Made once in a process: nothing but the code decides it."""
    return SchemaGenerator().get_schema(request=None, public=True)


class Schema(Resource):
    schema = None
    authentication_classes = ()

    def get(self, request: Request) -> Response:
        return Response(description(), content_type="application/vnd.oai.openapi+json")
