"""Describe the API in OpenAPI 3, generated from the resources, with examples, and render that as a page."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object, get_doc
from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DictField, ListField, Serializer

from arena.api.frame import ChoiceField, Operation, Resource, operation
from arena.api.requests import BySession
from arena.core.errors import build_error

# Describe the API in OpenAPI 3, generated from the resources.
#
# What all operations have in common is added here: error responses and the Retry-After header.

EXAMPLES_FILE = Path(__file__).with_name("examples.json")
ERROR_CODES_AND_TEXTS = {
    "400": ("invalid", "A field of the request or a query parameter is invalid."),
    "401": ("not_authenticated", "No token or session, or an invalid token."),
    "403": ("not_yours", "Not allowed for this user or token, or a session's request without its CSRF token."),
    "404": ("not_found", "Not found."),
    "409": ("conflict", "The request conflicts with what is already stored."),
    "413": ("too_large", "The request is too large."),
    "415": ("unsupported_media_type", "The content type isn't supported."),
    "422": ("key_reused", "The Idempotency-Key was used for another request."),
    "429": ("throttled", "Too many requests, or a quota is used up."),
}
"""Code and meaning of each error, by status."""
SESSION_SCHEME = "session"
STATUSES_OF_ALL_REQUESTS = ("401", "429")
STATUSES_OF_WRITES = ("400", "403", "409", "413", "415")
RETRY_AFTER_HEADER = {
    "Retry-After": {
        "schema": {"type": "integer", "minimum": 1},
        "description": "Seconds to wait before trying again, if known.",
    }
}


class ErrorDetailSerializer(Serializer):
    """An error."""

    code = CharField(help_text="Stable code, for programs.")
    message = CharField(help_text="Message for people, in the reader's language.")
    fields = DictField(  # type: ignore[assignment]
        child=ListField(child=CharField()), required=False, help_text="Messages for invalid fields, by field name."
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

    def _get_examples(
        self, serializer: Any, direction: str, media_type: str, status_code: str | None = None, extras: Any = None
    ) -> dict[str, Any]:
        described = getattr(serializer, "child", serializer)
        name = getattr(described, "__name__", type(described).__name__).removesuffix("Serializer")
        value = load_examples()[direction].get(name)
        stored = [] if value is None else [OpenApiExample(name, value, media_type=media_type)]
        found: dict[str, Any] = super()._get_examples(
            serializer, direction, media_type, status_code, [*(extras or []), *stored]
        )
        return found

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
        operation: Operation = self.view.operation  # type: ignore[attr-defined]
        has_query = operation.query is not None
        if "{" in self.path or is_writing or has_query:
            found.add("404")
        if has_query or self._get_pagination_parameters():
            found.add("400")
        return sorted(found.union(operation.errors))


def describe_error_response(status: str) -> OpenApiResponse:
    """Return the description of the error with this status."""
    code, meaning = ERROR_CODES_AND_TEXTS[status]
    fields = {"name": ["This field is required."]} if status == "400" else None
    example = OpenApiExample(code, build_error(code, meaning, fields), status_codes=[status], response_only=True)
    return OpenApiResponse(ErrorSerializer, meaning, [example])


class BearerScheme(OpenApiAuthenticationExtension):
    """Describe authentication by a token."""

    target_class = "arena.api.requests.ByToken"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the security scheme."""
        return build_bearer_security_scheme_object("Authorization", "Bearer") | {
            "description": "A token created on the Tokens page: `Authorization: Bearer pnt_…`."
        }


class SessionScheme(OpenApiAuthenticationExtension):
    """Describe authentication by the site's session."""

    target_class = "arena.api.requests.ByCookie"
    name = SESSION_SCHEME

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return the security scheme."""
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "The site's session. Write requests also need the CSRF token.",
        }


@cache
def load_examples() -> dict[str, dict[str, Any]]:
    """Return examples of requests and responses by serializer. A test writes them from real ones."""
    found: dict[str, dict[str, Any]] = json.loads(EXAMPLES_FILE.read_text())
    return found


@cache
def build_api_schema() -> dict[str, Any]:
    """Return the schema, which depends on nothing but the code."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


class SchemaQuery(Serializer):
    """How the schema is sent: with `json` as plain JSON, which every browser and program recognises."""

    format = ChoiceField(["json"], required=False)


class Schema(Resource):
    """The schema of the API, in JSON."""

    schema = None
    authentication_classes = ()

    @operation(None, "Show the schema", query=SchemaQuery)
    def show(self, request: Request) -> Response:
        """Return the schema."""
        kind = "application/json" if self.query else "application/vnd.oai.openapi+json"
        return Response(build_api_schema(), content_type=kind)


# Render the schema of the API as a page: a command to copy and an example response for every operation.
#
# The page is rendered on the server from `api_schema()`, needs no script and has the look of the site.

JSON_MEDIA_TYPE = "application/json"
FORM_MEDIA_TYPE = "multipart/form-data"
HTTP_METHODS = ("get", "post", "put", "patch", "delete")
PARAMETER_PLACES = ("path", "query", "header", "body")
"""The parts of a request that fields are sent in, in the order in which they are listed."""
MAX_COMMAND_PARTS_IN_ONE_LINE = 2
"""A command with more parts is wrapped."""
SAMPLE_VALUES_BY_TYPE: dict[str, Any] = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
"""Example values in commands, by type; the example of a text is the name of the field."""
JsonSchema = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """A parameter of an operation, or a field of its body."""

    name: str
    place: str
    """One of PARAMETER_PLACES."""
    kind: str
    is_required: bool
    meaning: str


@dataclass(frozen=True)
class DescribedOperation:
    """An operation, ready for the template."""

    id: str
    tag: str
    method: str
    path: str
    summary: str
    meaning: str
    authentication: str
    """Empty where none is needed, "token", or "session" where only a person on the site may do it."""
    fields: list[Field]
    status: str
    """Status of the example response."""
    example: str
    """An example response; empty where it isn't JSON."""
    errors: list[tuple[str, str]]
    """Status and meaning."""
    command: str
    """A shell command that uses $PENNANT_URL and $PENNANT_TOKEN; empty where a token isn't accepted."""


def show_api_docs(request: HttpRequest) -> HttpResponse:
    """Render the page."""
    about = build_api_schema()["info"]["description"]
    site = request.build_absolute_uri("/").rstrip("/")
    return render(request, "api/docs.html", {"about": about, "groups": group_operations(), "site": site})


@cache
def group_operations() -> list[tuple[str, list[DescribedOperation]]]:
    """Return the operations by subject, in the order of their addresses."""
    groups: dict[str, list[DescribedOperation]] = {}
    for one in list_operations():
        groups.setdefault(one.tag, []).append(one)
    return list(groups.items())


def list_operations() -> Iterator[DescribedOperation]:
    """Yield all operations."""
    for path, item in build_api_schema()["paths"].items():
        for method in HTTP_METHODS:
            if method in item:
                yield read_operation(path, method, item[method])


def read_operation(path: str, method: str, schema: JsonSchema) -> DescribedOperation:
    """Return the operation that the schema describes."""
    sent = schema.get("requestBody", {}).get("content", {})
    media = next(iter(sent), "")
    body = read_body_fields(sent[media]["schema"]) if media else []
    parameters = sorted(
        map(read_parameter, schema.get("parameters", [])), key=lambda field: PARAMETER_PLACES.index(field.place)
    )
    fields = [*parameters, *body]
    responses = schema["responses"]
    status = min(responses)
    security = schema.get("security", [{}])
    authentication = "" if {} in security else next(iter(security[0]))
    return DescribedOperation(
        id=schema["operationId"],
        tag=schema["tags"][0],
        method=method.upper(),
        path=path,
        summary=schema["summary"],
        meaning=schema.get("description", ""),
        authentication=authentication,
        fields=fields,
        status=status,
        example=read_response_example(responses[status]),
        errors=[(code, response["description"]) for code, response in sorted(responses.items()) if code >= "400"],
        command=build_shell_command(method, path, media, fields, authentication),
    )


def read_parameter(schema: JsonSchema) -> Field:
    """Return the field that describes a parameter."""
    return Field(
        schema["name"],
        schema["in"],
        describe_value_type(schema["schema"]),
        schema.get("required", False),
        schema.get("description", ""),
    )


def read_body_fields(schema: JsonSchema) -> list[Field]:
    """Return the fields of a body."""
    schema = resolve_reference(schema)
    required = schema.get("required", [])
    return [
        Field(name, "body", describe_value_type(inner), name in required, inner.get("description", ""))
        for name, inner in schema["properties"].items()
    ]


def describe_value_type(schema: JsonSchema) -> str:
    """Return the type of a value, or the values of an enumeration."""
    schema = resolve_reference(schema)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return "file" if schema.get("format") == "binary" else schema.get("type", "object")


def resolve_reference(schema: JsonSchema) -> JsonSchema:
    """Return the schema that a reference points to, or the schema itself where it is none."""
    only = schema.get("allOf", [schema])[0]
    if "$ref" not in only:
        return schema
    found: JsonSchema = build_api_schema()["components"]["schemas"][only["$ref"].rsplit("/", 1)[1]]
    return found


def read_response_example(response: JsonSchema) -> str:
    """Return the first example of a response as JSON, or an empty text."""
    examples = response.get("content", {}).get(JSON_MEDIA_TYPE, {}).get("examples", {})
    if not examples:
        return ""
    return json.dumps(next(iter(examples.values()))["value"], indent=2, ensure_ascii=False)


def build_shell_command(method: str, path: str, media: str, fields: list[Field], authentication: str) -> str:
    """Return the shell command for an operation."""
    if authentication == SESSION_SCHEME:
        return ""
    parts = ["curl"] if method == "get" else [f"curl -X {method.upper()}"]
    if authentication == "token":
        parts.append('-H "Authorization: Bearer $PENNANT_TOKEN"')
    body = [field for field in fields if field.place == "body" and field.is_required]
    if media == FORM_MEDIA_TYPE:
        parts += [f"-F {field.name}=@bot.zip" for field in body]
    elif media:
        sent = {field.name: SAMPLE_VALUES_BY_TYPE.get(field.kind, field.kind.split(" | ")[0]) for field in body}
        parts += [f'-H "Content-Type: {JSON_MEDIA_TYPE}"', f"-d {shlex.quote(json.dumps(sent))}"]
    parts.append(f'"$PENNANT_URL{path}"')
    return (" " if len(parts) <= MAX_COMMAND_PARTS_IN_ONE_LINE else " \\\n  ").join(parts)
