"""Everything a bot is told is described, and everything that is described is told."""

from collections.abc import Iterator
from random import Random

import jsonschema_rs
import pytest

from arena.runner.limits import Limits
from arena.runner.message_schema import (
    MESSAGES,
    MESSAGES_TO_BOT,
    build_definitions,
    build_message_schema,
    list_example_messages,
)
from arena.runner.protocol import LegInfo, build_end, build_hello, build_turn
from engine.contract.plays import choose_any
from engine.core import Game, Json
from engine.registry import BUILT_IN_GAMES, GAMES
from tests.full import is_full_run

PLAYS = 1000 if is_full_run() else 3
EDITIONS = [(key, edition) for key in BUILT_IN_GAMES for edition in GAMES[key].editions]
UNSEEN_BY_BOTS = {("forfeit_event", "reason"), ("turn", "open")}
"""Only people leave, and only one of the games has an open grammar."""


class Reader:
    """A bot that checks what it is told, and remembers which fields it has seen."""

    def __init__(self, game: Game) -> None:
        self.definitions = build_definitions(game)
        self.validators = {
            name: jsonschema_rs.validator_for(build_message_schema(game, name)) for name in MESSAGES_TO_BOT
        }
        self.validators |= {
            name: jsonschema_rs.validator_for(schema | {"$defs": self.definitions})
            for name, schema in self.definitions.items()
            if name not in self.validators
        }
        self.seen: set[tuple[str, str]] = set()

    def read(self, message: Json) -> None:
        errors = [str(error) for error in self.validators[message["type"]].iter_errors(message)]
        assert not errors, errors[0]
        self.note(message, self.definitions[message["type"]], message["type"])

    def note(self, value: object, schema: Json, name: str) -> None:
        """Remember the fields of a value, each with the name of the definition in which it stands."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            self.note(value, self.definitions[name], name)
        elif "oneOf" in schema and "properties" not in schema:
            self.note(value, self.choose(value, schema["oneOf"]), name)
        elif isinstance(value, dict):
            for key, one in value.items():
                self.seen.add((name, key))
                self.note(one, schema["properties"][key], f"{name}.{key}")
        elif isinstance(value, list):
            for one in value:
                self.note(one, schema["items"], name)

    def choose(self, value: object, schemas: list[Json]) -> Json:
        """Return the one of these schemas that the value has."""
        if value is None:
            return {"type": "null"}
        named = [one for one in schemas if "$ref" in one]
        return next(one for one in named if self.validators[one["$ref"].rpartition("/")[2]].is_valid(value))


def list_fields(definitions: dict[str, Json], name: str, schema: Json) -> Iterator[tuple[str, str]]:
    """Yield every field below a definition, each with the name of the definition in which it stands."""
    for key, one in schema.get("properties", {}).items():
        yield name, key
        yield from list_fields(definitions, f"{name}.{key}", one)
    if "items" in schema:
        yield from list_fields(definitions, name, schema["items"])


def play(game: Game, edition: str, seed: int, readers: list[Reader], **changes: object) -> None:
    """Play at random, tell each seat what its bot would be told, and let one seat in some plays forfeit."""
    rng = Random(seed)
    options = game.options(edition, **changes)
    seats = game.seats[seed % len(game.seats)]
    state = game.start(options, seats, game.deal(options, seats, rng))
    leg = LegInfo(game.key, edition, options, seats, "0" * 64, Limits(), tuple(range(seats)))
    sent = [0] * seats
    for seat in range(seats):
        readers[seat].read(build_hello(leg, seat))
    verdict_at = rng.randrange(200)
    verdicts = ["ok"] * seats
    while state.to_act is not None:
        seat = state.to_act
        if state.ply == verdict_at:
            verdicts[seat] = "timeout"
            state.forfeit(seat, "timeout")
            continue
        actions = state.actions()
        if state.forced() is None:
            readers[seat].read(build_turn(state, seat, sent[seat], legal=list(actions)) | {"bank_ms": 30000})
            sent[seat] = state.log_length
        state.play(choose_any(state, rng))
    assert state.outcome is not None
    for seat in range(seats):
        readers[seat].read(build_end(state.outcome, verdicts, state.events(seat, sent[seat])))


@pytest.mark.parametrize("key", BUILT_IN_GAMES)
def test_nothing_is_told_that_is_not_described_and_all_that_is_described_is_told(key: str) -> None:
    game = GAMES[key]
    readers = [Reader(game) for _ in range(game.seats[-1])]
    for edition in game.editions:
        for seed in range(PLAYS * len(game.seats)):
            play(game, edition, seed, readers)
    if key == "battleline":
        play(game, "standard", 1, readers, claims="either")
    seen = set().union(*(reader.seen for reader in readers))
    definitions = readers[0].definitions
    fields = {
        field
        for name, schema in definitions.items()
        if name not in ("ready", "answer")
        for field in list_fields(definitions, name, schema)
    }
    assert seen <= fields
    missing = fields - seen - UNSEEN_BY_BOTS
    assert not missing if is_full_run() else len(missing) < 12, missing


@pytest.mark.parametrize("key", BUILT_IN_GAMES)
def test_every_definition_and_field_has_a_title_and_a_sentence(key: str) -> None:
    for name, schema in build_definitions(GAMES[key]).items():
        assert schema["title"] and schema["description"].endswith("."), name
        for field, one in schema.get("properties", {}).items():
            assert one["title"] and one["description"].endswith("."), (name, field)


@pytest.mark.parametrize(("key", "edition"), EDITIONS)
def test_examples_fit_the_schemas_and_show_every_kind_of_message(key: str, edition: str) -> None:
    examples = list_example_messages(GAMES[key], edition)
    answers = {"hello": "ready", "turn": "answer"}
    before = ""
    for example in examples:
        kind = example.get("type", "answer")
        if before in answers:
            assert kind == answers[before]
        jsonschema_rs.validate(build_message_schema(GAMES[key], kind), example)
        before = kind
    assert {example.get("type", "answer") for example in examples} == set(MESSAGES)
    assert examples == list_example_messages(GAMES[key], edition)


@pytest.mark.parametrize("key", BUILT_IN_GAMES)
@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_schema_is_whole_and_in_the_stated_dialect(key: str, name: str) -> None:
    schema = build_message_schema(GAMES[key], name)
    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"].endswith("2020-12/schema") and name not in schema["$defs"]


@pytest.mark.parametrize(
    "wrong",
    [{"extra": 1}, {"n": -1}, {"n": "0"}, {"legal": []}, {"events": None}, {"view": {}}, {"bank_ms": 0.5}],
)
def test_a_schema_refuses_what_is_never_told(wrong: Json) -> None:
    turn = next(one for one in list_example_messages(GAMES["battleline"], "standard") if one.get("type") == "turn")
    validator = jsonschema_rs.validator_for(build_message_schema(GAMES["battleline"], "turn"))
    assert validator.is_valid(turn) and not validator.is_valid(turn | wrong)
