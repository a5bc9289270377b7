"""Describe the messages of the bot protocol as JSON Schema (draft 2020-12), for each game.

The protocol's own messages are in `protocol_schema.json`, what a game tells in the file that `Game.schema_file` names,
and its options come from `Game.rule_options`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from arena.runner.limits import Limits
from arena.runner.protocol import LegInfo, build_end, build_hello, build_turn
from engine.core import Game, Json
from engine.deal import deal_hash
from engine.options import ChoiceOption, NumberOption, RuleOption

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MESSAGES_TO_BOT = ("hello", "turn", "end")
MESSAGES_FROM_BOT = ("ready", "answer")
MESSAGES = (*MESSAGES_TO_BOT, *MESSAGES_FROM_BOT)
PROTOCOL_FILE = Path(__file__).with_name("protocol_schema.json")
EXAMPLE_SALT = "0" * 32
EXAMPLE_SEED = 7
"""Decides the deal and the choices of the play from which the examples come."""


class NoSchemaError(LookupError):
    """The game doesn't describe its messages."""


def build_definitions(game: Game) -> dict[str, Json]:
    """Return the schemas of all messages to and from bots of a game, and of their parts. Raises NoSchemaError."""
    if game.schema_file is None:
        raise NoSchemaError(game.key)
    shared: dict[str, Json] = json.loads(PROTOCOL_FILE.read_text())["$defs"]
    own: dict[str, Json] = json.loads(game.schema_file.read_text())["$defs"]
    return shared | own | {"options": describe_options(game)}


def build_message_schema(game: Game, message: str) -> Json:
    """Return the schema of one kind of message, with all that it refers to. Raises NoSchemaError and KeyError."""
    definitions = build_definitions(game)
    used = sorted(find_references(definitions, message) - {message})
    schema = {"$schema": DIALECT, **definitions[message]}
    schema["title"] = f"{definitions[message]['title']} ({game.title})"
    return schema | {"$defs": {name: definitions[name] for name in used}}


def find_references(definitions: dict[str, Json], name: str) -> set[str]:
    """Return the names of a definition and of all to which it leads."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += list_references(definitions[name])
    return found


def list_references(schema: Any) -> Iterator[str]:
    """Yield the names of the definitions to which a schema refers itself."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            else:
                yield from list_references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from list_references(value)


def describe_options(game: Game) -> Json:
    """Return the schema of a game's rule options: all of them are told."""
    return {
        "title": "Options",
        "description": "Every rule option in force.",
        "type": "object",
        "additionalProperties": False,
        "required": [option.key for option in game.rule_options],
        "properties": {option.key: describe_option(option) for option in game.rule_options},
    }


def describe_option(option: RuleOption) -> Json:
    """Return the schema of a rule option."""
    about: Json = {"title": str(option.title), "description": str(option.description)}
    if isinstance(option, ChoiceOption):
        return about | {"enum": [value.value for value in option.values]}
    assert isinstance(option, NumberOption)
    return about | {"type": "integer", "minimum": option.lowest, "maximum": option.highest}


def list_example_messages(game: Game, edition: str, seats: int | None = None) -> list[Json]:
    """Return what the bot at seat 0 is told in a short random play, and what it answers, in order.

    Of the requests there is the first for each kind of decision.
    """
    rng = Random(EXAMPLE_SEED)
    seats = seats or game.seats[0]
    options = game.options(edition)
    deal = game.deal(options, seats, rng)
    state = game.start(options, seats, deal)
    limits = Limits()
    leg = LegInfo(game.key, edition, options, seats, deal_hash(deal, EXAMPLE_SALT), limits, (EXAMPLE_SEED,) * seats)
    messages: list[Json] = [build_hello(leg, 0), {"type": "ready"}]
    sent, shown = 0, set()
    while state.to_act is not None:
        actions = state.actions()
        action = rng.choice(list(actions))
        if state.to_act == 0 and state.forced() is None:
            request = build_turn(state, 0, sent, legal=list(actions)) | {"bank_ms": limits.bank_ms}
            sent = state.log_length
            if request["view"]["decision"] not in shown:
                shown.add(request["view"]["decision"])
                messages += [request, {"action": action}]
        state.play(actions[action])
    assert state.outcome is not None
    return [*messages, build_end(state.outcome, ["ok"] * seats, state.events(0, sent))]
