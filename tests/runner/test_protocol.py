import json
import math
from collections.abc import Iterator
from random import Random

import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner.program import Limits
from arena.runner.protocol import (
    MAX_LINE_BYTES,
    MESSAGES,
    MESSAGES_TO_BOT,
    Answer,
    LegInfo,
    MalformedAnswerError,
    Ready,
    build_definitions,
    build_end,
    build_hello,
    build_message_schema,
    build_refused,
    build_turn,
    encode,
    list_example_messages,
    make_visible,
    parse_answer,
    parse_ready,
    read_vocabulary,
)
from engine.contract.plays import choose_any
from engine.core import Game, Json, Outcome
from engine.registry import BUILT_IN_GAMES, GAMES
from tests.full import is_full_run

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_the_action_is_taken_as_it_was_sent() -> None:
    assert parse_answer(b'{"action": "play R7 3", "more": [1]}') == Answer("play R7 3")
    assert parse_answer(b'{"action": "pass"}\r') == Answer("pass")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"play R7 3",
        b'"play R7 3"',
        b"[]",
        b"{}",
        b"null",
        b'{"action": 3}',
        b'{"action": null}',
        b'{"action": ["pass"]}',
        b'{"action": "pass"',
        b'{"action": "pass"} {}',
        b'{"action": "\xff"}',
        b'\xef\xbb\xbf{"action": "pass"}',
        b'{"action": "\\ud800"}',
        b'{"action": "pass", "eval": NaN}',
        b'{"action": "pass", "eval": Infinity}',
        b'{"action": ' + b"[" * 30000 + b"]" * 30000 + b"}",
        b'{"action": "' + b"x" * MAX_LINE_BYTES + b'"}',
        b'{"action": "pass", "eval": 1e999}',
        b'{"action": "pass", "deep": [[-1e999]]}',
        b'{"action": "pass\\u0000"}',
        b'{"action": "pass\\u202e"}',
        b'{"action": "' + b"x" * 1001 + b'"}',
        b'{"action": "pass", "action": "pass"}',
        b'{"action": "pass", "act\\u0069on": "play"}',
        b'{"action": "pass", "more": [{"a": 1, "b": {"c": 1, "c": 1}}]}',
        b'{"action": "pass", "eval": 123456789012345678901}',
        b'{"action": "pass", "more": {"a": -123456789012345678901}}',
        b'{"action": "pass", "more": ' + b"[" * 20 + b"]" * 20 + b"}",
        b'{"action": "pass", "more": ' + b'{"a":' * 20 + b"1" + b"}" * 20 + b"}",
        b'{"action": "pass", "more": [' + b"0," * 2100 + b"0]}",
    ],
)
def test_anything_but_an_object_with_a_string_action_is_malformed(line: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        parse_answer(line)


@pytest.mark.parametrize(
    "more",
    [
        b'"n": 12345678901234567890',
        b'"x": 1e30, "y": -12345678901234567890123.5',
        b'"text": "a: b, {c: [d]} \\" {\\"a\\": 1, \\"a\\": 1} 1e999 123456789012345678901234567890"',
        b'"more": [{"a": 1}, {"a": 1}], "less": {"a": {"a": {}}}',
        b'"more": ' + b"[" * 19 + b"]" * 19,
        b'"more": [' + b"0," * 2000 + b"0]",
        b'"action ": 1, "Action": 2, "": 3',
    ],
)
def test_what_else_is_in_an_answer_is_no_reason_to_refuse_it(more: bytes) -> None:
    assert parse_answer(b'{"action": "pass", ' + more + b"}") == Answer("pass")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b'{"action": "pass", "action": "play"}', "duplicate key 'action'"),
        (b'{"action": "pass", "x": 123456789012345678901}', "an integer has more than 20 digits"),
        (b'{"action": ' + b"[" * 30 + b"]" * 30 + b"}", "the JSON is nested more than 20 levels deep"),
        (b"{}" * 2100, "the line has more than 2048 commas and brackets"),
        (b'{"action": "\\u001b[2J"}', 'the "action" contains unprintable characters'),
        (b'{"action": "' + b"x" * 1001 + b'"}', 'the "action" is longer than 1000 characters'),
        (
            b'{"action": "a", "eval": -Infinity}',
            "the line isn't JSON, which has no -Infinity; leave the key out or send null",
        ),
    ],
)
def test_the_author_is_told_what_is_wrong_with_a_line(line: bytes, sentence: str) -> None:
    with pytest.raises(MalformedAnswerError) as raised:
        parse_answer(line)
    assert str(raised.value) == sentence


@given(st.dictionaries(st.text(), st.integers(), min_size=1), st.data())
def test_no_key_may_be_said_twice_wherever_it_is(fields: dict[str, int], data: st.DataObject) -> None:
    key = json.dumps(data.draw(st.sampled_from(sorted(fields))))
    twice = "{" + json.dumps(fields)[1:-1] + f", {key}: 1" + "}"
    for line in (twice, f'{{"action": "pass", "more": [0, {twice}]}}'):
        with pytest.raises(MalformedAnswerError):
            parse_answer(line.encode())


@pytest.mark.parametrize("value", [-1, 0, 0.5, 1])
def test_an_eval_is_a_number_from_minus_one_to_one(value: float) -> None:
    assert parse_answer(orjson.dumps({"action": "pass", "eval": value})).eval == value


@pytest.mark.parametrize("value", [1.01, -2, True, "0.5", None, [0], 1e308, 10**18])
def test_a_wrong_eval_is_dropped_and_the_answer_stands(value: object) -> None:
    assert parse_answer(json.dumps({"action": "pass", "eval": value}).encode()) == Answer("pass")


@pytest.mark.parametrize("note", ["x" * 201, 3, None, "two\nlines", "nul\0", "cut \ud83d"])
def test_a_wrong_note_is_dropped_and_the_answer_stands(note: object) -> None:
    assert parse_answer(json.dumps({"action": "pass", "note": note}).encode()) == Answer("pass")


def test_a_note_of_two_hundred_characters_is_kept() -> None:
    assert parse_answer(json.dumps({"action": "pass", "note": "ü" * 200}).encode()).note == "ü" * 200


def test_a_bot_may_do_without_legal_lists_and_views() -> None:
    assert parse_ready(b'{"type": "ready"}') == Ready(legal=True, view=True)
    assert parse_ready(b'{"type": "ready", "legal": false, "view": false}') == Ready(legal=False, view=False)
    assert parse_ready(b'{"type": "ready", "legal": 0}') == Ready(legal=True, view=True)


@pytest.mark.parametrize("line", [b"", b"{}", b'{"type": "Ready"}', b'["ready"]', b'{"action": "pass"}'])
def test_other_answers_to_hello_are_refused(line: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        parse_ready(line)


@given(st.binary() | st.text().map(str.encode) | JSON.map(lambda value: json.dumps(value).encode()))
def test_no_line_raises_anything_else(line: bytes) -> None:
    for parse in (parse_answer, parse_ready):
        try:
            parse(line)
        except MalformedAnswerError as error:
            assert str(error)


@given(st.fixed_dictionaries({}, optional={"note": JSON, "eval": JSON, "type": st.text()}))
def test_what_is_parsed_can_be_stored_and_shown(fields: dict[str, object]) -> None:
    try:
        answer = parse_answer(json.dumps({"action": "pass", **fields}).encode())
    except MalformedAnswerError:
        return
    assert answer.note is None or (len(answer.note) <= 200 and answer.note.isprintable())
    assert answer.eval is None or (math.isfinite(answer.eval) and -1 <= answer.eval <= 1)


def test_messages_are_one_line_each_with_the_public_fields() -> None:
    table = LegInfo("battleline", "standard", {"flags": 9}, 2, "00ff", Limits(), (7, 8))
    message = build_hello(table, 1)
    line = encode(message)
    assert line.endswith(b"}\n") and line.count(b"\n") == 1
    assert json.loads(line) == {
        "type": "hello",
        "protocol": 1,
        "minor": 1,
        "game": "battleline",
        "edition": "standard",
        "options": {"flags": 9},
        "seat": 1,
        "seats": 2,
        "deal_hash": "00ff",
        "limits": {"start_ms": 5000, "move_ms": 1000, "bank_ms": 30000, "memory_mb": 256},
        "seed": 8,
    }


def test_the_end_says_who_came_where() -> None:
    message = json.loads(encode(build_end(Outcome((2, 1), (0, 5), "timeout"), ["timeout", "ok"], [])))
    assert message == {
        "type": "end",
        "places": [2, 1],
        "scores": [0, 5],
        "reason": "timeout",
        "verdicts": ["timeout", "ok"],
        "events": [],
    }


# Everything a bot is told is described, and everything that is described is told.

PLAYS = 50 if is_full_run() else 3
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
        readers[seat].read(build_refused(verdict_at, "the action is not legal"))
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\n\ttwo ü 中 \U0001f600", "one\n\ttwo ü 中 \U0001f600"),
        ("\x1b[31mred\x07\x00", "\\x1b[31mred\\x07\\x00"),
        ("one\r\ntwo\rthree", "one\ntwo\\rthree"),
        ("\x7f\x85\x9b", "\\x7f\\x85\\x9b"),
        ("abc\u202edef\u2066\u200b", "abc\\u202edef\\u2066\\u200b"),
        ("\u2028\ufeff\ud800", "\\u2028\\ufeff\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    assert make_visible(text) == shown


@given(st.text(st.characters()))
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    shown = make_visible(text)
    assert make_visible(shown) == shown
    assert all(char.isprintable() or char in "\n\t" for char in shown)


# The vocabulary: every decision and action, by grammar.

RARE_FORMS = {"pass", "done", "draw DECK DECK", "reform ROWS", "reform ROWS hand=CARD"}
"""Those that random plays may never offer."""
PLAYS_PER_EDITION = 12


def fits(action: str, form: str, words: Json) -> bool:
    """Return whether an action is of a form: the same words where it has small letters, anything else elsewhere."""
    pairs = list(zip(action.split(), form.split(), strict=False))
    return len(action.split()) == len(form.split()) and all(
        word == shape or shape in words or ("=" in shape and word.startswith(shape.partition("=")[0] + "="))
        for word, shape in pairs
    )


def list_offered(game: Game, plays: int) -> Iterator[tuple[str, str]]:
    """Yield decisions and actions that random plays of all editions offer."""
    rng = Random(5)
    for edition in game.editions:
        for number in range(plays):
            at_once = {"scout": "at-once"} if number % 2 and "scout" in game.options(edition) else {}
            options, seats = game.options(edition, **at_once), game.seats[0]
            state = game.start(options, seats, game.deal(options, seats, rng))
            while state.to_act is not None:
                actions = state.actions()
                decision = state.view(state.to_act)["decision"]
                yield from ((decision, action) for action in actions)
                state.play(actions[rng.choice(list(actions))])


@pytest.mark.parametrize("key", ["battleline", "battalion"])
def test_every_action_and_decision_is_in_the_vocabulary(key: str) -> None:
    """What plays of all editions offer is listed, what is listed is offered, and every example is of its form."""
    vocabulary = read_vocabulary(GAMES[key])
    seen: set[tuple[str, str]] = set()
    for decision, action in set(list_offered(GAMES[key], PLAYS_PER_EDITION)):
        fitting = {
            (decision, one["form"])
            for one in vocabulary["actions"]
            if decision in one["decisions"] and fits(action, one["form"], vocabulary["words"])
        }
        assert fitting, (decision, action)
        seen |= fitting
    assert {decision for decision, _ in seen} == set(vocabulary["decisions"])
    assert {one["form"] for one in vocabulary["actions"]} - {form for _, form in seen} <= RARE_FORMS
    assert all(fits(one["example"], one["form"], vocabulary["words"]) for one in vocabulary["actions"])
