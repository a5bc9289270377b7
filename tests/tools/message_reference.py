"""Write the pages of the manual about the messages to bots, from their schemas."""

import gettext
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.runner.protocol import (
    MESSAGES_FROM_BOT,
    MESSAGES_TO_BOT,
    NoSchemaError,
    build_definitions,
    find_references,
    list_example_messages,
    read_vocabulary,
)
from engine.core import Game, Json
from engine.registry import GAMES
from tests.tools.message_titles import HUNGARIAN_TITLES

LOCALES = Path(__file__).parents[2] / "arena" / "core" / "locale"
TITLES = {"hu": HUNGARIAN_TITLES}
TEXTS: dict[str, Any] = {
    "en": {
        "heading": "{game} messages",
        "about": "Every field of every message. The tests check that nothing else is ever sent.",
        "files": "Download them as JSON Schema or as examples from a random leg, or print them with "
        "`pennant schema {key}`:",
        "sent": "Messages to the bot",
        "answered": "The bot's answers",
        "parts": "Shared parts",
        "actions": "Actions",
        "printed": "All actions, with the decisions they belong to. `pennant schema {key} --actions` prints these "
        "tables as JSON.",
        "action columns": "| grammar | example | decisions | what it does |",
        "word columns": "| in the grammar | stands for |",
        "decisions": "Decisions",
        "decision columns": "| `decision` in the view | what the bot decides |",
        "cards": "Cards",
        "card columns": "| id | card |",
        "columns": "| field | title | type | meaning |",
        "example": "Example (long lists are shortened):",
        "optional": "optional",
        "or": "or",
        "list of": "list of",
        "types": {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false"},
        "plurals": {"integer": "whole numbers", "number": "numbers", "string": "texts", "boolean": "true or false"},
    },
    "hu": {
        "heading": "Mit tud meg egy bot: {game}",
        "about": "Minden üzenet minden mezője, ahogyan az aréna minden kiadás előtt ellenőrzi: más sosem érkezik. A "
        "leírások angol nyelvűek.",
        "files": "JSON-sémaként és egy véletlen játszma példáiként innen letölthetők, és a `pennant schema {key}` "
        "parancs is kiírja őket:",
        "sent": "Üzenetek a botnak",
        "answered": "A bot válaszai",
        "parts": "A részeik",
        "actions": "Akciók",
        "printed": "Minden akció, és hogy mikor választható. A `pennant schema {key} --actions` parancs JSON-ként írja "
        "ki ezeket a táblázatokat.",
        "action columns": "| nyelvtan | példa | döntések | mit tesz |",
        "word columns": "| a nyelvtanban | mit jelöl |",
        "decisions": "Döntések",
        "decision columns": "| a nézet `decision` mezője | a kérdés |",
        "cards": "Lapok",
        "card columns": "| azonosító | mi ez |",
        "columns": "| mező | név | típus | leírás |",
        "example": "Például (a hosszú listák rövidítve):",
        "optional": "elhagyható",
        "or": "vagy",
        "list of": "lista:",
        "types": {"integer": "egész szám", "number": "szám", "string": "szöveg", "boolean": "igaz vagy hamis"},
        "plurals": {"integer": "egész számok", "number": "számok", "string": "szövegek", "boolean": "igaz vagy hamis"},
    },
}
MAX_LISTED_ITEMS = 2
"""Longer lists are cut in the examples."""


def write_message_reference(key: str, language: str) -> str:
    """Return the page about the messages of a game."""
    return "\n".join(ReferencePage(GAMES[key], language).write()).rstrip() + "\n"


class ReferencePage:
    """The page about the messages of a game, in a language."""

    def __init__(self, game: Game, language: str) -> None:
        self.game = game
        self.texts = TEXTS[language]
        self.catalogue = gettext.translation("django", LOCALES, [language], fallback=language == "en")
        self.titles = TITLES.get(language, {})
        self.definitions = build_definitions(game)

    def write(self) -> Iterator[str]:
        """Yield the lines of the page."""
        texts, game = self.texts, self.game
        yield from (f"# {texts['heading'].format(game=game.title)}", "", texts["about"], "")
        yield from (texts["files"].format(key=game.key), "", "```sh")
        address = f"https://arena.example/docs/messages/{game.key}"
        yield from (f"curl {address}/{name}.json" for name in (*MESSAGES_TO_BOT, *MESSAGES_FROM_BOT))
        yield from (f"curl {address}/examples.jsonl", "```", "")
        examples = {one.get("type", "answer"): one for one in reversed(list_example_messages(game, self.edition))}
        for title, names in ((texts["sent"], MESSAGES_TO_BOT), (texts["answered"], MESSAGES_FROM_BOT)):
            yield from (f"## {title}", "")
            for name in names:
                yield from self.describe(name)
                yield from (texts["example"], "", "```json", shorten(examples[name]), "```", "")
        yield from self.describe_vocabulary()
        used = set().union(*(find_references(self.definitions, name) for name in MESSAGES_TO_BOT))
        yield from (f"## {texts['parts']}", "")
        for name in sorted(used - {*MESSAGES_TO_BOT}):
            yield from self.describe(name)

    def describe_vocabulary(self) -> Iterator[str]:
        """Yield the tables of decisions, actions and cards; nothing for a game that doesn't list them."""
        try:
            found = read_vocabulary(self.game)
        except NoSchemaError:
            return
        texts = self.texts
        yield from (f"## {texts['actions']}", "", texts["printed"].format(key=self.game.key), "")
        yield from (texts["action columns"], "|---|---|---|---|")
        for one in found["actions"]:
            decisions = ", ".join(f"`{name}`" for name in one["decisions"])
            yield f"| `{one['form']}` | `{one['example']}` | {decisions} | {one['description']} |"
        for heading, columns, rows in (
            ("", texts["word columns"], found["words"]),
            (texts["decisions"], texts["decision columns"], found["decisions"]),
            (texts["cards"], texts["card columns"], found["cards"]),
        ):
            yield from ("", *([f"### {heading}", ""] if heading else []), columns, "|---|---|")
            yield from (f"| `{name}` | {text} |" for name, text in rows.items())
        yield ""

    @property
    def edition(self) -> str:
        """Return the edition from which the examples come: the game's first."""
        return next(iter(self.game.editions))

    def describe(self, name: str) -> Iterator[str]:
        """Yield the lines about a definition."""
        schema = self.definitions[name]
        yield from (f"### {name}", "", schema["description"], "")
        if "properties" in schema:
            yield from (self.texts["columns"], "|---|---|---|---|")
            yield from self.list_rows(schema, "")
            yield ""
        else:
            yield from (self.name_type(schema), "")

    def list_rows(self, schema: Json, prefix: str) -> Iterator[str]:
        """Yield a row of the table for each field; one of an object without a name of its own is `decks.troop`."""
        for field, one in schema["properties"].items():
            title = self.translate_title(one["title"])
            if field not in schema.get("required", ()):
                title += f" ({self.texts['optional']})"
            kind = "" if "properties" in one else self.name_type(one)
            yield f"| `{prefix}{field}` | {title} | {kind} | {one['description']} |"
            if "properties" in one:
                yield from self.list_rows(one, f"{prefix}{field}.")

    def translate_title(self, title: str) -> str:
        """Return the title of a field in the page's language; those of rule options are in the site's catalogue."""
        return self.titles.get(title) or self.catalogue.gettext(title)

    def name_type(self, schema: Json) -> str:
        """Return what values of a schema are called."""
        texts = self.texts
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return f"[{name}](#{name})"
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if "enum" in schema:
            return f" {texts['or']} ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
        if "oneOf" in schema:
            return f" {texts['or']} ".join(map(self.name_type, schema["oneOf"]))
        if isinstance(schema["type"], list):
            return f" {texts['or']} ".join(self.name_type(schema | {"type": kind}) for kind in schema["type"])
        if schema["type"] == "array":
            items = schema["items"]
            named = texts["plurals"].get(items.get("type")) if "enum" not in items else None
            return f"{texts['list of']} {named or self.name_type(items)}"
        return "`null`" if schema["type"] == "null" else str(texts["types"][schema["type"]])


def shorten(message: Json) -> str:
    """Return a message as is sent, with its longer lists cut."""
    return json.dumps(cut(message), ensure_ascii=False).replace('"…"', "…")


def cut(value: object) -> object:
    """Return a value without the later items of longer lists."""
    if isinstance(value, dict):
        return {key: cut(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        kept = [cut(one) for one in value[:MAX_LISTED_ITEMS]]
        return [*kept, "…"] if len(value) > MAX_LISTED_ITEMS else kept
    return value
