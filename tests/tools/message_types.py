"""Write types of the messages to bots for the starters, from their schemas: TypeScript for JavaScript, and Rust.

Generators of others (quicktype, typify) need Node or crates, name every part anew, and their Rust needs serde, which a
bot can't have: builds get no crates.
"""

import json
from collections.abc import Iterator

from arena.runner.protocol import MESSAGES, MESSAGES_TO_BOT, build_definitions, find_references
from engine.core import Game, Json
from engine.registry import BUILT_IN_GAMES

HEADER = (
    "// The messages between the arena and a bot, for each game. Written by the arena from the schemas that it checks\n"
    "// them against; its manual describes every field.\n"
)
TYPESCRIPT_NAMES = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}
RUST_NAMES = {"integer": "i64", "number": "f64", "string": "String", "boolean": "bool"}
RUST_KEYWORDS = {"as", "type"}
OF_SEVERAL = "Its meaning depends on what happened."
"""The description of a field that several kinds of events have."""


def write_typescript() -> str:
    """Return a file of TypeScript declarations with a namespace for each game."""
    lines = [HEADER]
    for game in BUILT_IN_GAMES.values():
        lines += [f"export namespace {name_module(game)} {{"]
        lines += [f"  {line}".rstrip() for line in declare_in_typescript(game)]
        lines += ["}", ""]
    return "\n".join(lines).rstrip() + "\n"


def name_module(game: Game) -> str:
    """Return a game's title as one word."""
    return game.title.replace(" ", "")


def name_type(definition: str) -> str:
    """Return the name of a definition as types are called: `claim_event` is ClaimEvent."""
    return "".join(word.capitalize() for word in definition.split("_"))


def list_definitions(game: Game, messages: tuple[str, ...]) -> dict[str, Json]:
    """Return the definitions of these messages and of their parts, by name."""
    definitions = build_definitions(game)
    used = set().union(*(find_references(definitions, name) for name in messages))
    return {name: schema for name, schema in definitions.items() if name in used}


def declare_in_typescript(game: Game) -> Iterator[str]:
    """Yield the declarations of a game's messages."""
    for name, schema in list_definitions(game, MESSAGES).items():
        yield f"/** {schema['description']} */"
        if "properties" in schema:
            yield f"interface {name_type(name)} {{"
            yield from list_typescript_fields(schema)
            yield "}"
        else:
            yield f"type {name_type(name)} = {write_typescript_type(schema)};"
        yield ""


def list_typescript_fields(schema: Json) -> Iterator[str]:
    """Yield the fields of an interface, each with its description."""
    for field, one in schema["properties"].items():
        mark = "" if field in schema.get("required", ()) else "?"
        yield f"  /** {one['description']} */"
        yield f"  {field}{mark}: {write_typescript_type(one)};"


def write_typescript_type(schema: Json) -> str:
    """Return the type of the values of a schema."""
    if "$ref" in schema:
        return name_type(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    if "properties" in schema:
        fields = "; ".join(f"{key}: {write_typescript_type(one)}" for key, one in schema["properties"].items())
        return f"{{ {fields} }}"
    if "oneOf" in schema:
        return " | ".join(map(write_typescript_type, schema["oneOf"]))
    if schema["type"] == "array":
        item = write_typescript_type(schema["items"])
        if schema.get("minItems") == schema.get("maxItems") == 2:
            return f"[{item}, {item}]"
        return f"({item})[]" if "|" in item else f"{item}[]"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " | ".join(TYPESCRIPT_NAMES[kind] for kind in kinds)


def write_rust() -> str:
    """Return a module of Rust with a module of structs for each game, which are read from parsed JSON."""
    lines = [HEADER, "#![allow(dead_code)]", ""]
    for key, game in BUILT_IN_GAMES.items():
        structs = RustStructs(list_definitions(game, MESSAGES_TO_BOT))
        lines += [f"pub mod {key} {{", "    use crate::json::{field, optional, FromJson, Json};", ""]
        lines += [f"    {line}".rstrip() for line in structs.declare()]
        lines += ["}", ""]
    return "\n".join(lines).rstrip() + "\n"


class RustStructs:
    """The structs of a game. A choice of objects, as an event, is one struct with the fields of all of them."""

    def __init__(self, definitions: dict[str, Json]) -> None:
        self.definitions = {name: self.merge_choice(schema, definitions) for name, schema in definitions.items()}

    def merge_choice(self, schema: Json, definitions: dict[str, Json]) -> Json:
        """Return a choice of objects as one object in which every field may be missing."""
        choices = [definitions[one["$ref"].rpartition("/")[2]] for one in schema.get("oneOf", ()) if "$ref" in one]
        if "properties" in schema or not choices or any("properties" not in one for one in choices):
            return schema
        properties: Json = {}
        for one in choices:
            for field, about in one["properties"].items():
                known = properties.setdefault(field, about)
                if known["description"] != about["description"]:
                    properties[field] = known | {"description": OF_SEVERAL}
        return schema | {"properties": properties, "required": []}

    def declare(self) -> Iterator[str]:
        """Yield the structs, each with how it is read."""
        parts = {
            part["$ref"].rpartition("/")[2]
            for schema in self.definitions.values()
            for part in schema.get("oneOf", ())
            if "$ref" in part and "properties" in schema
        }
        for name, schema in self.definitions.items():
            if "properties" in schema and name not in parts:
                yield from self.declare_struct(name_type(name), schema)

    def declare_struct(self, name: str, schema: Json) -> Iterator[str]:
        """Yield a struct, and before it those of its fields that are objects without a name."""
        fields = {}
        for field, one in schema["properties"].items():
            if "properties" in one:
                yield from self.declare_struct(f"{name}{name_type(field)}", one)
            fields[field] = f"{name}{name_type(field)}" if "properties" in one else self.write_type(one)
        yield from (f"/// {schema['description']}", "#[derive(Clone, Debug)]", f"pub struct {name} {{")
        required = schema.get("required", ())
        for field, kind in fields.items():
            yield f"    /// {schema['properties'][field]['description']}"
            yield f"    pub {name_field(field)}: {kind if field in required else wrap_option(kind)},"
        yield from ("}", "", f"impl FromJson for {name} {{")
        yield "    #[inline(never)]"  # else one function becomes all of them, which takes twice the time to compile
        yield from ("    fn from_json(json: &Json) -> Option<Self> {", "        Some(Self {")
        for field in fields:
            read = f'field(json, "{field}")?' if field in required else f'optional(json, "{field}")?'
            yield f"            {name_field(field)}: {read},"
        yield from ("        })", "    }", "}", "")

    def write_type(self, schema: Json) -> str:
        """Return the type of the values of a schema."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            target = self.definitions[name]
            return name_type(name) if "properties" in target else self.write_type(target)
        if "oneOf" in schema:
            return wrap_option(next(self.write_type(one) for one in schema["oneOf"] if one.get("type") != "null"))
        if "const" in schema or "enum" in schema:
            value = schema.get("const", schema.get("enum", [None])[0])
            return {bool: "bool", int: "i64"}.get(type(value), "String")
        if schema["type"] == "array":
            return f"Vec<{self.write_type(schema['items'])}>"
        if isinstance(schema["type"], list):
            return wrap_option(RUST_NAMES[schema["type"][0]])
        return RUST_NAMES[schema["type"]]


def name_field(field: str) -> str:
    """Return the name of a field, which may be a word of the language."""
    return f"r#{field}" if field in RUST_KEYWORDS else field


def wrap_option(kind: str) -> str:
    """Return the type of values that may be missing."""
    return kind if kind.startswith("Option<") else f"Option<{kind}>"
