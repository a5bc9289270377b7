"""The bot protocol, version 1: messages out, and the only parser of what bots answer."""

from dataclasses import asdict, dataclass
from typing import Any

import orjson

from arena.runner.limits import Limits
from engine.core import Json, Outcome, Seat

VERSION = 1
MAX_LINE = 64 * 1024
"""Bytes of one line from a bot, its newline not counted."""
MAX_NOTE = 200


class MalformedAnswer(ValueError):
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


def end(outcome: Outcome, verdicts: list[str], events: list[Json]) -> Json:
    return {
        "type": "end",
        "places": outcome.places,
        "scores": outcome.scores,
        "reason": outcome.reason,
        "verdicts": verdicts,
        "events": events,
    }


def encode(message: Json) -> bytes:
    """One line, newline included."""
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def parse_ready(line: bytes) -> Ready:
    answer = _object(line)
    if answer.get("type") != "ready":
        raise MalformedAnswer('the answer to "hello" is {"type": "ready"}')
    return Ready(legal=answer.get("legal") is not False, view=answer.get("view") is not False)


def parse_answer(line: bytes) -> Answer:
    answer = _object(line)
    action = answer.get("action")
    if not isinstance(action, str):
        raise MalformedAnswer('an answer is a JSON object with a string "action"')
    if len(answer) == 1:
        return Answer(action)
    return Answer(action, _note(answer.get("note")), _eval(answer.get("eval")))


def _object(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE:
        raise MalformedAnswer(f"a line is {MAX_LINE} bytes at most")
    try:
        answer = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise MalformedAnswer(f"the line is not JSON: {error}") from None
    if not isinstance(answer, dict):
        raise MalformedAnswer("the line is JSON, but not an object")
    return answer


def _note(note: object) -> str | None:
    """A note that can't be shown is dropped: it is decoration, and no reason to lose a leg."""
    return note if isinstance(note, str) and len(note) <= MAX_NOTE and note.isprintable() else None


def _eval(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        return None
    return float(value)
