"""The description of the API as a page to read: a command to copy for every operation, and what it answers.

Written on the server out of `description()`, so it needs no script, and stands in the site's own look.
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

from arena.api.schema import SESSION, description

JSON = "application/json"
FORM = "multipart/form-data"
METHODS = ("get", "post", "put", "patch", "delete")
PLACES = ("path", "query", "header", "body")
"""Where a field stands, in the order in which they are told."""
SHORT = 2
"""A command of so many words stands in one line."""
SAMPLES: dict[str, Any] = {"integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
"""What a field's place is held by in a command, by its type; a text's is its own name."""
Schema = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """What an operation is told: in its address, in a header or in what it is sent."""

    name: str
    place: str
    """One of PLACES."""
    kind: str
    is_required: bool
    meaning: str


@dataclass(frozen=True)
class Operation:
    id: str
    tag: str
    method: str
    path: str
    summary: str
    meaning: str
    shown: str
    """What has to be shown: "" for nothing, "token", or "session" where only a person on the site may do it."""
    fields: list[Field]
    status: str
    """Of the answer that is shown."""
    answer: str
    """An example of it; empty where it is no JSON."""
    refusals: list[tuple[str, str]]
    command: str
    """For a shell; the address of the site stands in $PENNANT_URL, a token in $PENNANT_TOKEN. Empty where a token
    won't do."""


def docs(request: HttpRequest) -> HttpResponse:
    about = description()["info"]["description"]
    site = request.build_absolute_uri("/").rstrip("/")
    return render(request, "api/docs.html", {"about": about, "groups": list_groups(), "site": site})


@cache
def list_groups() -> list[tuple[str, list[Operation]]]:
    """Operations by what they are about, in the order of their addresses."""
    return [(tag, list(group)) for tag, group in groupby(list_operations(), key=lambda one: one.tag)]


def list_operations() -> Iterator[Operation]:
    for path, item in description()["paths"].items():
        for method in METHODS:
            if method in item:
                yield read_operation(path, method, item[method])


def read_operation(path: str, method: str, told: Schema) -> Operation:
    sent = told.get("requestBody", {}).get("content", {})
    media = next(iter(sent), "")
    body = read_body(sent[media]["schema"]) if media else []
    asked = sorted(map(read_parameter, told.get("parameters", [])), key=lambda field: PLACES.index(field.place))
    fields = [*asked, *body]
    responses = told["responses"]
    status = min(responses)
    security = told.get("security", [{}])
    shown = "" if {} in security else next(iter(security[0]))
    return Operation(
        id=told["operationId"],
        tag=told["tags"][0],
        method=method.upper(),
        path=path,
        summary=told["summary"],
        meaning=told.get("description", ""),
        shown=shown,
        fields=fields,
        status=status,
        answer=read_example(responses[status]),
        refusals=[(code, answer["description"]) for code, answer in sorted(responses.items()) if code >= "400"],
        command=write_command(method, path, media, fields, shown),
    )


def read_parameter(told: Schema) -> Field:
    return Field(
        told["name"], told["in"], kind_of(told["schema"]), told.get("required", False), told.get("description", "")
    )


def read_body(schema: Schema) -> list[Field]:
    schema = followed(schema)
    required = schema.get("required", [])
    return [
        Field(name, "body", kind_of(told), name in required, told.get("description", ""))
        for name, told in schema["properties"].items()
    ]


def kind_of(schema: Schema) -> str:
    """The type of a value in a word, or the words it may be."""
    schema = followed(schema)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    return "file" if schema.get("format") == "binary" else schema.get("type", "object")


def followed(schema: Schema) -> Schema:
    """The schema itself, where one stands elsewhere, alone or with a sentence of its own beside it."""
    only = schema.get("allOf", [schema])[0]
    if "$ref" not in only:
        return schema
    return description()["components"]["schemas"][only["$ref"].rsplit("/", 1)[1]]


def read_example(response: Schema) -> str:
    examples = response.get("content", {}).get(JSON, {}).get("examples", {})
    if not examples:
        return ""
    return json.dumps(next(iter(examples.values()))["value"], indent=2, ensure_ascii=False)


def write_command(method: str, path: str, media: str, fields: list[Field], shown: str) -> str:
    if shown == SESSION:
        return ""
    parts = ["curl"] if method == "get" else [f"curl -X {method.upper()}"]
    if shown == "token":
        parts.append('-H "Authorization: Bearer $PENNANT_TOKEN"')
    body = [field for field in fields if field.place == "body" and field.is_required]
    if media == FORM:
        parts += [f"-F {field.name}=@bot.zip" for field in body]
    elif media:
        sent = {field.name: SAMPLES.get(field.kind, field.kind.split(" | ")[0]) for field in body}
        parts += [f'-H "Content-Type: {JSON}"', f"-d {shlex.quote(json.dumps(sent))}"]
    parts.append(f'"$PENNANT_URL{path}"')
    return (" " if len(parts) <= SHORT else " \\\n  ").join(parts)
