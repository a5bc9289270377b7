"""The form of a record: its fields, and what each of them may be. Whether it goes by the rules, `replay` finds out."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from engine.core import PERSON_ENDINGS, Json

FORMAT = "arena-replay/1"
MAX_NAME_LENGTH = 200
MAX_NOTE_LENGTH = 200
MAX_ARENA_LENGTH = 40
MAX_ACTION_LENGTH = 1_000
MAX_TIME_MS = 10**9
MAX_EXACT_INTEGER = 2**53 - 1
"""Up to here every program reads a number of JSON as the same one."""
BOT, PERSON = "bot", "person"
VERDICTS = ("illegal", "malformed", "timeout", "crash", "memory", "output", "start")
"""The faults by which a bot loses."""


class BadRecord(ValueError):
    """The rules don't turn the record's deal and actions into what it claims. The message says where."""


@dataclass(frozen=True, slots=True)
class Field:
    """The values that a field allows: a test, and the words for what passes it."""

    test: Callable[[Any], bool]
    words: str


def whole_number(highest: int) -> Field:
    """Return the field for a whole number from 0."""
    return Field(lambda value: type(value) is int and 0 <= value <= highest, f"a whole number from 0 to {highest}")


def text(shortest: int, longest: int) -> Field:
    """Return the field for a text of so many characters."""
    return Field(
        lambda value: isinstance(value, str) and shortest <= len(value) <= longest,
        f"a text of {shortest} to {longest} characters",
    )


def one_of(*values: str) -> Field:
    """Return the field for one of these texts."""
    return Field(lambda value: isinstance(value, str) and value in values, f"one of {', '.join(values)}")


def is_chance(value: Any) -> bool:
    """Return whether this is a bot's estimate of its chances."""
    return type(value) in (int, float) and isfinite(value) and -1 <= value <= 1


ANY_TEXT = Field(lambda value: isinstance(value, str), "a text")
OBJECT = Field(lambda value: isinstance(value, dict), "an object")
LIST = Field(lambda value: isinstance(value, list), "a list")
TRUE = Field(lambda value: value is True, "true")
CHANCE = Field(is_chance, "a number from -1 to 1")
VERSION = whole_number(MAX_EXACT_INTEGER)
TIME_MS = whole_number(MAX_TIME_MS)
SEAT = whole_number(MAX_EXACT_INTEGER)

Fields = dict[str, Field]
RECORD: Fields = {
    "format": ANY_TEXT,
    "game": ANY_TEXT,
    "edition": ANY_TEXT,
    "options": OBJECT,
    "rules_version": whole_number(MAX_EXACT_INTEGER),
    "seats": LIST,
    "deal": OBJECT,
    "salt": ANY_TEXT,
    "deal_hash": ANY_TEXT,
    "actions": LIST,
    "result": OBJECT,
}
RECORD_OPTIONAL: Fields = {"arena": text(1, MAX_ARENA_LENGTH), "changed_options": LIST}
RESULT: Fields = {"places": LIST, "scores": LIST, "reason": ANY_TEXT, "verdicts": LIST}
BOT_SEAT: Fields = {"name": text(1, MAX_NAME_LENGTH), "version": VERSION}
PERSON_SEAT: Fields = {"name": text(1, MAX_NAME_LENGTH)}
SEAT_OPTIONAL: Fields = {"version": VERSION, "kind": one_of(BOT, PERSON), "seed": whole_number(MAX_EXACT_INTEGER)}
ENTRY: Fields = {"seat": SEAT, "action": text(0, MAX_ACTION_LENGTH)}
CHOSEN: Fields = {
    "ms": TIME_MS,
    "cpu_ms": TIME_MS,
    "late_ms": TIME_MS,
    "note": text(0, MAX_NOTE_LENGTH),
    "eval": CHANCE,
}
AUTOMATIC: Fields = {"auto": TRUE}
BY_VERDICT: Fields = {"verdict": one_of(*VERDICTS)}
BY_REASON: Fields = {"reason": one_of(*PERSON_ENDINGS)}


def check_shape(record: Any) -> None:
    """Raise BadRecord where a field is missing, unknown, or not what it may be."""
    if not isinstance(record, dict):
        raise BadRecord("a record is a JSON object")
    check_object("", record, RECORD, RECORD_OPTIONAL)
    if record["format"] != FORMAT:
        raise BadRecord(f"format is {shorten(record['format'])}, not {FORMAT!r}")
    for number, seat in enumerate(record["seats"]):
        check_seat(f"seat {number}", seat)
    for number, entry in enumerate(record["actions"]):
        check_entry_shape(f"action {number}", entry)
    check_object("result: ", record["result"], RESULT, {})


def check_seat(where: str, seat: Any) -> None:
    """Check who sat at a seat: a bot, which has a version, or a person. Raises BadRecord."""
    if not isinstance(seat, dict):
        raise BadRecord(f"{where} is not an object with a name")
    check_object(f"{where}: ", seat, PERSON_SEAT if seat.get("kind") == PERSON else BOT_SEAT, SEAT_OPTIONAL)


def check_entry_shape(where: str, entry: Any) -> None:
    """Check a decision: chosen, automatic, or a forfeit by a verdict or for a person's reason. Raises BadRecord."""
    if not isinstance(entry, dict) or not isinstance(entry.get("action"), str):
        raise BadRecord(f"{where} is not an object with a seat and an action")
    where += ": "
    if entry["action"] == "forfeit":
        check_object(where, entry, ENTRY | (BY_REASON if "reason" in entry else BY_VERDICT), {})
    elif "auto" in entry:
        check_object(where, entry, ENTRY | AUTOMATIC, {})
    else:
        check_object(where, entry, ENTRY, CHOSEN)


def check_object(where: str, found: Json, required: Fields, optional: Fields) -> None:
    """Raise BadRecord where an object lacks a field, has one too many, or one that isn't what it may be."""
    for name in required:
        if name not in found:
            raise BadRecord(f"{where}field {name!r} is missing")
    for name, value in found.items():
        field = required.get(name) or optional.get(name)
        if field is None:
            raise BadRecord(f"{where}there is no field {shorten(name)} here")
        if not field.test(value):
            raise BadRecord(f"{where}field {name!r} should be {field.words}")


def shorten(value: Any) -> str:
    """Return a value from outside as Python writes it, cut so that it fits into a sentence."""
    words = repr(value)
    return words if len(words) <= 60 else f"{words[:57]}…"
