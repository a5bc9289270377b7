"""Write the page of the REST API from what the arena's own page shows."""

from collections.abc import Iterator

from arena.api.schema import DescribedOperation, Field, build_api_schema, group_operations
from tests.tools.tables import escape_cell


def write_rest_reference() -> str:
    """Return the page: each operation with its parameters and the fields of its body, by subject.

    Django must have been set up.
    """
    lines = ["# The REST API", "", build_api_schema()["info"]["description"], ""]
    lines += [
        "Every arena also has this reference, with responses and examples, at `/api/v1/docs/`, and the OpenAPI schema",
        "at `/api/v1/schema/`.",
        "",
    ]
    for tag, operations in group_operations():
        lines += [f"## {tag}", ""]
        for operation in operations:
            lines += describe_operation(operation)
    return "\n".join(lines).rstrip() + "\n"


def describe_operation(operation: DescribedOperation) -> Iterator[str]:
    """Yield the lines about an operation. Parameters of the address name themselves."""
    yield from (f"### {operation.summary}", "", "```http", f"{operation.method} {operation.path}", "```", "")
    yield from (*operation.meaning.strip().splitlines(), "")
    if operation.authentication:
        yield from ("Requires a token or a session.", "")
    fields = [field for field in operation.fields if field.place == "query"]
    body = [field for field in operation.fields if field.place == "body"]
    fields += sorted(body, key=lambda field: not field.is_required)
    if fields:
        yield from ("| name | where | description |", "|---|---|---|")
        for field in fields:
            place = "body, required" if field.place == "body" and field.is_required else field.place
            yield f"| `{field.name}` | {place} | {escape_cell(describe(field))} |"
        yield ""


def describe(field: Field) -> str:
    """Return the meaning of a value and which ones there are, or its type where it has neither."""
    values = [value for value in field.kind.split(" | ") if " | " in field.kind and value not in ("", "None")]
    listed = ", ".join(f"`{value}`" for value in values)
    parts = (field.meaning.strip(), f"One of {listed}." if listed and "`" not in field.meaning else "")
    return " ".join(part for part in parts if part) or field.kind
