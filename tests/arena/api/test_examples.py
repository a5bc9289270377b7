"""What the description shows is what it describes."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from arena.api.schema import build_api_schema


def as_json_schema(part: Any) -> Any:
    """OpenAPI 3.0 says `nullable` where JSON Schema has a type of its own."""
    if isinstance(part, list):
        return [as_json_schema(inner) for inner in part]
    if not isinstance(part, dict):
        return part
    plain = {key: as_json_schema(inner) for key, inner in part.items() if key != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if part.get("nullable") is True else plain


def examples() -> Iterator[tuple[str, Any, Any]]:
    """Where each stands, its value, and the schema that it is to fit."""
    for path, operations in build_api_schema()["paths"].items():
        for method, operation in operations.items():
            bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
            for body in bodies:
                for content in body.get("content", {}).values():
                    for name, example in content.get("examples", {}).items():
                        yield f"{method} {path}: {name}", example["value"], content["schema"]


def test_examples_are_as_the_schema_says() -> None:
    components = as_json_schema(build_api_schema()["components"])
    shown = list(examples())
    wrong = [
        f"{where}: {error.message}"
        for where, value, schema in shown
        for error in Draft202012Validator({"components": components, **as_json_schema(schema)}).iter_errors(value)
    ]
    assert shown and not wrong
