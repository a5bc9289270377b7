"""Render the schema of the API as a page: a command to copy and an example response for every operation.

The page is rendered on the server from `api_schema()`, needs no script and has the look of the site.
"""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.api.schema import SESSION_SCHEME, build_api_schema

JSON_MEDIA_TYPE = "application/json"
FORM_MEDIA_TYPE = "multipart/form-data"
HTTP_METHODS = ("get", "post", "put", "patch", "delete")
PARAMETER_PLACES = ("path", "query", "header", "body")
"""The parts of a request that fields are sent in, in the order in which they are listed."""
MAX_COMMAND_PARTS_IN_ONE_LINE = 2
"""A command with more parts is wrapped."""
SAMPLE_VALUES_BY_TYPE: dict[str, Any] = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
"""Example values in commands, by type; the example of a text is the name of the field."""
Schema = dict[str, Any]


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
class Operation:
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
def group_operations() -> list[tuple[str, list[Operation]]]:
    """Return the operations by subject, in the order of their addresses."""
    return [(tag, list(group)) for tag, group in groupby(list_operations(), key=lambda one: one.tag)]


def list_operations() -> Iterator[Operation]:
    """Yield all operations."""
    for path, item in build_api_schema()["paths"].items():
        for method in HTTP_METHODS:
            if method in item:
                yield read_operation(path, method, item[method])


def read_operation(path: str, method: str, schema: Schema) -> Operation:
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
    return Operation(
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


def read_parameter(schema: Schema) -> Field:
    """Return the field that describes a parameter."""
    return Field(
        schema["name"],
        schema["in"],
        describe_value_type(schema["schema"]),
        schema.get("required", False),
        schema.get("description", ""),
    )


def read_body_fields(schema: Schema) -> list[Field]:
    """Return the fields of a body."""
    schema = resolve_reference(schema)
    required = schema.get("required", [])
    return [
        Field(name, "body", describe_value_type(inner), name in required, inner.get("description", ""))
        for name, inner in schema["properties"].items()
    ]


def describe_value_type(schema: Schema) -> str:
    """Return the type of a value, or the values of an enumeration."""
    schema = resolve_reference(schema)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return "file" if schema.get("format") == "binary" else schema.get("type", "object")


def resolve_reference(schema: Schema) -> Schema:
    """Return the schema that a reference points to, or the schema itself where it is none."""
    only = schema.get("allOf", [schema])[0]
    if "$ref" not in only:
        return schema
    found: Schema = build_api_schema()["components"]["schemas"][only["$ref"].rsplit("/", 1)[1]]
    return found


def read_response_example(response: Schema) -> str:
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
