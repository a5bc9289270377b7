import json
import math

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner.limits import Limits
from arena.runner.protocol import (
    MAX_LINE_BYTES,
    Answer,
    LegInfo,
    MalformedAnswerError,
    Ready,
    build_end,
    build_hello,
    encode,
    parse_answer,
    parse_ready,
)
from engine.core import Outcome

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
        (b'{"action": "pass", "action": "play"}', "the key 'action' is there twice"),
        (b'{"action": "pass", "x": 123456789012345678901}', "an integer has 20 digits at most"),
        (b'{"action": ' + b"[" * 30 + b"]" * 30 + b"}", "JSON may be nested 20 deep at most"),
        (b"{}" * 2100, "a line holds 2048 commas and brackets at most"),
        (b'{"action": "\\u001b[2J"}', 'the "action" holds characters that cannot be printed'),
        (b'{"action": "' + b"x" * 1001 + b'"}', 'an "action" is 1000 characters at most'),
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


@pytest.mark.parametrize("note", ["x" * 201, 3, None, "two\nlines", "nul\0"])
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
