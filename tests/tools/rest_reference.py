"""Write the page of the REST API from its OpenAPI schema."""

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

from django.core.management import call_command

from tests.tools.tables import escape_cell

Schema = dict[str, Any]

METHODS = ("get", "post", "put", "patch", "delete")
"""Methods in the order in which the operations of an address are described."""


def write_rest_reference() -> str:
    """Return the page: each operation with its parameters and the fields of its body, by subject.

    Django must have been set up.
    """
    output = StringIO()
    call_command("spectacular", format="openapi-json", stdout=output)
    document: Schema = json.loads(output.getvalue())
    lines = ["# The REST API", "", document["info"]["description"], ""]
    lines += [
        "Every arena has this description with all responses and examples under `/api/v1/docs/`, and for programs as",
        "OpenAPI under `/api/v1/schema/`.",
        "",
    ]
    for tag, operations in group_operations(document["paths"]).items():
        lines += [f"## {tag}", ""]
        for heading, operation in operations:
            lines += describe_operation(heading, operation, document["components"]["schemas"])
    return "\n".join(lines).rstrip() + "\n"


def group_operations(paths: Schema) -> dict[str, list[tuple[str, Schema]]]:
    """Return method and address with the operation, by the operation's first tag."""
    groups: dict[str, list[tuple[str, Schema]]] = {}
    for path, operations in paths.items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                groups.setdefault(operation["tags"][0], []).append((f"{method.upper()} {path}", operation))
    return groups


def describe_operation(heading: str, operation: Schema, components: Schema) -> Iterator[str]:
    """Yield the lines about an operation."""
    yield from (f"### {operation['summary']}", "", "```http", heading, "```", "")
    yield from (*operation["description"].strip().splitlines(), "")
    if {} not in operation.get("security", [{}]):
        yield from ("Needs a token, or a session of the site.", "")
    rows = [*list_parameters(operation), *list_body_fields(operation, components)]
    if rows:
        yield from ("| name | where | what it is |", "|---|---|---|")
        yield from (f"| `{name}` | {place} | {escape_cell(text)} |" for name, place, text in rows)
        yield ""


def list_parameters(operation: Schema) -> Iterator[tuple[str, str, str]]:
    """Yield name, place and meaning of each parameter of the query; those of the address name themselves."""
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query":
            yield parameter["name"], "query", describe(parameter["schema"], parameter.get("description", ""))


def list_body_fields(operation: Schema, components: Schema) -> Iterator[tuple[str, str, str]]:
    """Yield name, place and meaning of each field of the body, those first that must be given."""
    contents = operation.get("requestBody", {}).get("content", {})
    content: Schema = next(iter(contents.values()), {})
    schema = resolve(content.get("schema", {}), components)
    required = schema.get("required", ())
    fields = schema.get("properties", {})
    for name in sorted(fields, key=lambda name: name not in required):
        field = resolve(fields[name], components)
        place = "body, required" if name in required else "body"
        yield name, place, describe(field, fields[name].get("description", field.get("description", "")))


def resolve(schema: Schema, components: Schema) -> Schema:
    """Return a schema, or the one that it refers to."""
    parts: list[Schema] = [schema, *schema.get("allOf", [])]
    for part in parts:
        if "$ref" in part:
            found: Schema = components[part["$ref"].rpartition("/")[2]]
            return found
    return schema


def describe(schema: Schema, text: str) -> str:
    """Return the meaning of a value and which ones there are, or its type where it has neither."""
    values = ", ".join(f"`{value}`" for value in schema.get("enum", ()) if value not in ("", None))
    parts = (text.strip(), f"One of {values}." if values and "`" not in text else "")
    return " ".join(part for part in parts if part) or str(schema.get("type", "object"))
