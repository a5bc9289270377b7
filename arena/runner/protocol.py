"""The bot protocol, version 1: messages out, and the only parser of what bots answer."""

import json
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from arena.runner.limits import Limits
from engine.core import Json, Outcome, Seat, State
from engine.message import MessageError, gettext_noop, message

VERSION = 1
MAX_LINE = 64 * 1024
"""Bytes of one line from a bot, its newline not counted."""
MAX_NOTE = 200
MAX_ACTION = 1000
"""Characters."""
MAX_PARTS = 2048
"""Commas and opening brackets of one line, those within strings counted too: they bound what reading it costs."""
MAX_DEPTH = 20
MAX_DIGITS = 20
"""Of an integer."""
LARGE = 1e19
"""Integers below are exact; beyond, they arrive as this or more."""


class MalformedAnswerError(MessageError):
    """A line that is not an answer. The message says what was expected."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The answer to `hello`: what the bot wants to be sent."""

    legal: bool = True
    view: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to `turn`."""

    action: str
    note: str | None = None
    eval: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """What a bot is told of the leg it sits down to."""

    game: str
    edition: str
    options: Json
    seats: int
    deal_hash: str
    limits: Limits


def hello(table: Table, seat: Seat) -> Json:
    """Return the first message to a bot."""
    return {
        "type": "hello",
        "protocol": VERSION,
        "game": table.game,
        "edition": table.edition,
        "options": table.options,
        "seat": seat,
        "seats": table.seats,
        "deal_hash": table.deal_hash,
        "limits": asdict(table.limits),
    }


def turn(state: State, seat: Seat, heard: int, *, has_view: bool = True, legal: list[str] | None = None) -> Json:
    """Return the request for the present decision, without what is left of the bank.

    `heard` is the number of events the seat has been sent before.
    """
    request: dict[str, Any] = {"type": "turn", "n": state.ply, "seat": seat}
    if has_view:
        request["view"] = state.view(seat)
    if legal is not None:
        request["legal"] = legal
    if state.open_grammar is not None:
        request["open"] = state.open_grammar
    request["events"] = state.events(seat, heard)
    return request


def end(outcome: Outcome, verdicts: list[str], events: list[Json]) -> Json:
    """Return the last message to a bot."""
    return {
        "type": "end",
        "places": outcome.places,
        "scores": outcome.scores,
        "reason": outcome.reason,
        "verdicts": verdicts,
        "events": events,
    }


def encode(request: Json) -> bytes:
    """Return the message as one line, newline included."""
    return orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE)


def parse_ready(line: bytes) -> Ready:
    """Return the answer to `hello`. Raises MalformedAnswerError."""
    answer = _object(line)
    if answer.get("type") != "ready":
        raise MalformedAnswerError(message(gettext_noop('the answer to "hello" is {"type": "ready"}')))
    return Ready(legal=answer.get("legal") is not False, view=answer.get("view") is not False)


def parse_answer(line: bytes) -> Answer:
    """Return the answer to `turn`. Raises MalformedAnswerError."""
    answer = _object(line)
    action = answer.get("action")
    if not isinstance(action, str):
        raise MalformedAnswerError(message(gettext_noop('an answer is a JSON object with a string "action"')))
    if len(action) > MAX_ACTION:
        template = gettext_noop('an "action" is %(limit)s characters at most')
        raise MalformedAnswerError(message(template, limit=MAX_ACTION))
    if not action.isprintable():
        raise MalformedAnswerError(message(gettext_noop('the "action" holds characters that cannot be printed')))
    if len(answer) == 1:
        return Answer(action)
    return Answer(action, _note(answer.get("note")), _eval(answer.get("eval")))


def _object(line: bytes) -> dict[str, Any]:
    """Return the object in a line. The longest line costs about a millisecond at worst, whatever is in it."""
    if len(line) > MAX_LINE:
        raise MalformedAnswerError(message(gettext_noop("a line is %(limit)s bytes at most"), limit=MAX_LINE))
    opened = line.count(b"{") + line.count(b"[")
    if opened + line.count(b",") > MAX_PARTS:
        template = gettext_noop("a line holds %(limit)s commas and brackets at most")
        raise MalformedAnswerError(message(template, limit=MAX_PARTS))
    try:
        answer = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise MalformedAnswerError(
            message(gettext_noop("the line is not JSON: %(problem)s"), problem=str(error))
        ) from None
    if not isinstance(answer, dict):
        raise MalformedAnswerError(message(gettext_noop("the line is JSON, but not an object")))
    if opened > 1 or line.count(b":") != len(answer) or _has_large(answer):
        _check_depth(answer)
        _check_parts(line)
    return answer


def _has_large(answer: dict[str, Any]) -> bool:
    return any(isinstance(value, float) and abs(value) >= LARGE for value in answer.values())


def _check_depth(answer: dict[str, Any]) -> None:
    inside: list[Any] = [answer]
    for _ in range(MAX_DEPTH):
        values = (value for outer in inside for value in (outer.values() if isinstance(outer, dict) else outer))
        inside = [value for value in values if isinstance(value, dict | list)]
        if not inside:
            return
    raise MalformedAnswerError(message(gettext_noop("JSON may be nested %(limit)s deep at most"), limit=MAX_DEPTH))


def _check_parts(line: bytes) -> None:
    """Read again, piece by piece, for what the quick reader lets pass: keys said twice, and integers it rounds."""
    PIECES.decode(line.decode())


def _once_each(pairs: list[tuple[str, Any]]) -> None:
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise MalformedAnswerError(message(gettext_noop("the key %(words)s is there twice"), words=repr(key[:40])))
        keys.add(key)


def _exact(digits: str) -> None:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise MalformedAnswerError(message(gettext_noop("an integer has %(limit)s digits at most"), limit=MAX_DIGITS))


PIECES = json.JSONDecoder(object_pairs_hook=_once_each, parse_int=_exact, parse_float=str)
"""Keeps nothing: only looks at every key and integer."""


def _note(note: object) -> str | None:
    """Return a note that can be shown; drop any other: it is decoration, and no reason to lose a leg."""
    return note if isinstance(note, str) and len(note) <= MAX_NOTE and note.isprintable() else None


def _eval(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        return None
    return float(value)
