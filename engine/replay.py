"""The record of a leg: its form and its hash, how to play it again and check it, and what can be counted in it."""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import repeat
from json.encoder import encode_basestring_ascii as write_text
from math import isfinite
from typing import Any

from engine.core import (
    PERSON_ENDINGS,
    BadDeal,
    CloseCall,
    Count,
    Game,
    IllegalAction,
    Json,
    MalformedAction,
    Outcome,
    State,
)
from engine.deal import deal_hash
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game

# The form of a record: its fields, and what each of them may be. Whether it goes by the rules, `verify` finds out.

FORMAT = "arena-replay/1"
MAX_NAME_LENGTH = 200
MAX_NOTE_LENGTH = 200
MAX_ARENA_LENGTH = 40
MAX_PACKAGES = 200
MAX_PACKAGE_LENGTH = 100
MAX_LEVEL_LENGTH = 40
MAX_DECLARED_LENGTH = 200
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
class RecordField:
    """The values that a field allows: a test, and the words for what passes it."""

    test: Callable[[Any], bool]
    words: str


def whole_number(highest: int) -> RecordField:
    """Return the field for a whole number from 0."""
    return RecordField(
        lambda value: type(value) is int and 0 <= value <= highest, f"a whole number from 0 to {highest}"
    )


def text(shortest: int, longest: int) -> RecordField:
    """Return the field for a text of so many characters."""
    return RecordField(
        lambda value: isinstance(value, str) and shortest <= len(value) <= longest,
        f"a text of {shortest} to {longest} characters",
    )


def one_of(*values: str) -> RecordField:
    """Return the field for one of these texts."""
    return RecordField(lambda value: isinstance(value, str) and value in values, f"one of {', '.join(values)}")


def is_packages(value: Any) -> bool:
    """Return whether a value names packages with their versions, and not very many."""
    if not isinstance(value, dict) or not 0 < len(value) <= MAX_PACKAGES:
        return False
    texts = (*value, *value.values())
    return all(isinstance(one, str) and 0 < len(one) <= MAX_PACKAGE_LENGTH for one in texts)


def is_chance(value: Any) -> bool:
    """Return whether this is a bot's estimate of its chances."""
    return type(value) in (int, float) and isfinite(value) and -1 <= value <= 1


ANY_TEXT = RecordField(lambda value: isinstance(value, str), "a text")
OBJECT = RecordField(lambda value: isinstance(value, dict), "an object")
LIST = RecordField(lambda value: isinstance(value, list), "a list")
TRUE = RecordField(lambda value: value is True, "true")
CHANCE = RecordField(is_chance, "a number from -1 to 1")
VERSION = whole_number(MAX_EXACT_INTEGER)
TIME_MS = whole_number(MAX_TIME_MS)
SEAT = whole_number(MAX_EXACT_INTEGER)
TIMES = whole_number(MAX_EXACT_INTEGER)

Fields = dict[str, RecordField]
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
SEAT_OPTIONAL: Fields = {
    "version": VERSION,
    "kind": one_of(BOT, PERSON),
    "seed": whole_number(MAX_EXACT_INTEGER),
    "level": text(1, MAX_LEVEL_LENGTH),
    "packages": RecordField(is_packages, "an object with names of packages and their versions"),
    "remote": TRUE,
    "declared": text(1, MAX_DECLARED_LENGTH),
}
ENTRY: Fields = {"seat": SEAT, "action": text(0, MAX_ACTION_LENGTH)}
REFUSED: Fields = {"refused": TIMES}
"""The number of answers of a remote bot that were refused before."""
CHOSEN: Fields = {
    "ms": TIME_MS,
    "cpu_ms": TIME_MS,
    "late_ms": TIME_MS,
    "note": text(0, MAX_NOTE_LENGTH),
    "eval": CHANCE,
} | REFUSED
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
        by_verdict = "reason" not in entry
        check_object(where, entry, ENTRY | (BY_VERDICT if by_verdict else BY_REASON), REFUSED if by_verdict else {})
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


# The hash of a record: what binds a record to what was published of it.

LATER_SEAT_KEYS = ("level", "packages", "remote", "declared")
MIN_PLAIN_EXPONENT = -6
"""Smaller numbers are written with an exponent, as JavaScript does."""


def record_hash(record: Json) -> str:
    """Return the lower-case hex SHA-256 of a record's canonical JSON, without names, notes and later keys.

    Names and notes can be changed or deleted later, and the hash stays. The level and packages of a seat, and what is
    said of remote bots, came later than the format, whose new keys the hash leaves out.
    """
    bound = record | {
        "seats": [leave_out(seat, "name", *LATER_SEAT_KEYS) for seat in record["seats"]],
        "actions": [leave_out(entry, "note", *REFUSED) for entry in record["actions"]],
    }
    return hashlib.sha256(write_canonical(bound).encode()).hexdigest()


def leave_out(part: Json, *names: str) -> Json:
    """Return an object without some of its fields."""
    return {key: value for key, value in part.items() if key not in names}


def write_canonical(value: Any) -> str:
    """Return a value as canonical JSON: sorted keys, no spaces, ASCII escapes, numbers as JavaScript writes them."""
    if isinstance(value, dict):
        return "{" + ",".join([f"{write_text(key)}:{write_canonical(value[key])}" for key in sorted(value)]) + "}"
    if isinstance(value, str):
        return write_text(value)
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(write_canonical, value)) + "]"
    return write_float(value) if isinstance(value, float) else json.dumps(value)


def write_float(value: float) -> str:
    """Return a number as JavaScript writes it: whole ones without a point, small ones as 0.00001 and 1e-7."""
    if not math.isfinite(value):
        raise ValueError(f"JSON has no number {value}")
    if value == int(value):
        return str(int(value))
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    return f"{Decimal(repr(value)):f}" if int(exponent) >= MIN_PLAIN_EXPONENT else f"{digits}e{int(exponent)}"


# The record of a leg: what happened, so that anyone can play it again and check that it went by the rules.


def make_record(  # noqa: PLR0913 - the fields of a record
    *,
    game: Game,
    edition: str,
    options: Json,
    deal: Json,
    salt: str,
    seats: Sequence[Mapping[str, Any]],
    actions: Sequence[Json],
    outcome: Outcome,
    verdicts: Sequence[str],
    arena: str | None = None,
) -> Json:
    """Return the record of a finished leg.

    `seats` are `{"name", "version"}`, perhaps with `kind`, `seed`, `level`, `packages`, `remote` and `declared`;
    `actions` are all decisions, forfeits included; `arena` is the version of the arena. Options that are another
    edition's make it a record of that one.
    """
    edition = game.nearest_edition(edition, options)
    changed = sorted(game.changed_options(edition, options))
    return {
        "format": FORMAT,
        "game": game.key,
        "edition": edition,
        "options": game.complete_options(options),
        **({"changed_options": changed} if changed else {}),
        "rules_version": game.rules_version,
        **({"arena": arena} if arena else {}),
        "seats": [{**seat, "name": seat["name"][:MAX_NAME_LENGTH] or "bot"} for seat in seats],
        "deal": deal,
        "salt": salt,
        "deal_hash": deal_hash(deal, salt),
        "actions": list(actions),
        "result": describe(outcome) | {"verdicts": [str(verdict) for verdict in verdicts]},
    }


def describe(outcome: Outcome) -> Json:
    """Return an outcome as a record has it."""
    return {
        "places": list(outcome.places),
        "scores": list(outcome.scores),
        "reason": outcome.reason,
    }


def begin(record: Json) -> State:
    """Return the first state of a record."""
    return find_game(record["game"]).start(record["options"], len(record["seats"]), record["deal"])


def states(record: Json) -> Iterator[State]:
    """Yield the state before each entry of `actions`, then the last one: one object, changing in place."""
    state = begin(record)
    yield state
    for entry in record["actions"]:
        take(state, entry)
        yield state


def find_close_call(record: Json) -> CloseCall | None:
    """Return the decision of a recorded leg that came nearest to going the other way; None where it has none."""
    return find_game(record["game"]).find_close_call(zip(states(record), record["actions"], strict=False))


def take(state: State, entry: Json) -> None:
    """Play one entry of a record."""
    if entry["action"] == "forfeit":
        state.forfeit(entry["seat"], entry["verdict"] if "verdict" in entry else entry["reason"])
    else:
        state.play(state.parse(entry["action"]))


def verify(record: Any) -> None:
    """Play the record again. Raises BadRecord where its hash, an action or its result doesn't hold."""
    check_shape(record)
    game = check_header(record)
    try:
        state = game.start(record["options"], len(record["seats"]), record["deal"])
    except BadDeal as error:
        raise BadRecord(f"the deal is no deal of this game: {error}") from error
    forfeits: dict[int, str] = {}
    for number, entry in enumerate(record["actions"]):
        try:
            check_entry(state, record, number)
            take(state, entry)
        except (IllegalAction, MalformedAction) as error:
            raise BadRecord(f"action {number}, {entry['action']!r} of seat {entry['seat']}: {error}") from error
        if "verdict" in entry:
            forfeits[entry["seat"]] = entry["verdict"]
    check_result(state, record, forfeits)


def check_hash(record: Json, expected: str) -> None:
    """Raise BadRecord where a record, of the right shape, is not the one with this hash."""
    found = record_hash(record)
    if found != expected.lower():
        raise BadRecord(f"its hash is {found}, not {expected[:64]}: it was changed")


def check_header(record: Json) -> Game:
    """Check game, edition, options, rules and the hash of the deal, and return the game. Raises BadRecord."""
    try:
        game = find_game(record["game"])
        options = game.complete_options(record["options"])
        expected = game.options(record["edition"], **options)
    except (UnknownGame, BadOptions, TypeError) as error:
        raise BadRecord(str(error)) from error
    if expected != options:
        raise BadRecord("options don't name every option of the edition")
    check_variant(record, game)
    if not 1 <= record["rules_version"] <= game.rules_version:
        raise BadRecord(f"rules version is {record['rules_version']}; known are 1 to {game.rules_version}")
    if len(record["seats"]) not in game.seats:
        raise BadRecord(f"{game.title} is not played by {len(record['seats'])}")
    try:
        found = deal_hash(record["deal"], record["salt"])
    except UnicodeEncodeError as error:
        raise BadRecord("the salt is no Unicode text") from error
    if found != record["deal_hash"]:
        raise BadRecord("deal and salt don't give the deal hash")
    return game


def check_variant(record: Json, game: Game) -> None:
    """Check that the record carries the name of its rules: the edition, and what is changed of it. Raises BadRecord."""
    edition, options = record["edition"], record["options"]
    nearest = game.nearest_edition(edition, options)
    if nearest != edition:
        raise BadRecord(f"edition is {edition!r}, and the options are those of {nearest!r}")
    changed = sorted(game.changed_options(edition, options))
    if changed and "changed_options" not in record:
        raise BadRecord(f"field 'changed_options' is missing: {', '.join(changed)} differ from the edition's")
    if "changed_options" in record and record["changed_options"] != changed:
        raise BadRecord(f"changed_options should be {changed}, and is {shorten(record['changed_options'])}")
    if "changed_options" in record and not changed:
        raise BadRecord("changed_options is left out where none differs from the edition's")


def check_entry(state: State, record: Json, number: int) -> None:
    """Check who acts and whether there was a choice. Raises BadRecord."""
    entry = record["actions"][number]
    if state.to_act is None:
        raise BadRecord(f"action {number} comes after the end of the play")
    if "reason" in entry:
        check_person_left(state, record, number)
        return
    seat, action = entry["seat"], entry["action"]
    failed_start = is_failed_start(state, entry, number)
    if seat != state.to_act and not failed_start:
        raise BadRecord(f"action {number} is seat {seat}'s, where seat {state.to_act} is to act")
    forced = state.forced() is not None
    if action == "forfeit" and forced and not failed_start:
        raise BadRecord(f"action {number} is a forfeit where there was no choice, so no seat had to act")
    forced = forced and action != "forfeit"
    if ("auto" in entry) is not forced:
        raise BadRecord(f"action {number} was {'not a choice' if forced else 'a choice'}, and is marked otherwise")


def check_person_left(state: State, record: Json, number: int) -> None:
    """Check that a person left who was still in; a person may leave at any time. Raises BadRecord."""
    seat = record["actions"][number]["seat"]
    if seat not in range(state.seats) or record["seats"][seat].get("kind") != PERSON:
        raise BadRecord(f"action {number} is a forfeit for a person's reason, and seat {seat} is no person's")
    if state.is_out(seat):
        raise BadRecord(f"action {number} is a forfeit of seat {seat}, which is out")


def is_failed_start(state: State, entry: Json, number: int) -> bool:
    """Return whether a seat loses because it failed to start.

    With more than two seats it goes out on its first decision.
    """
    failed = number == 0 and entry["action"] == "forfeit" and entry.get("verdict") == "start"
    return failed and state.seats == 2 and entry["seat"] in range(2)


def check_result(state: State, record: Json, forfeits: Mapping[int, str]) -> None:
    """Check that the leg is finished and that its result is the recorded one. Raises BadRecord."""
    if state.outcome is None:
        raise BadRecord(f"the play is not over after the last action; seat {state.to_act} is to act")
    verdicts = [forfeits.get(seat, "ok") for seat in range(state.seats)]
    expected = describe(state.outcome) | {"verdicts": verdicts}
    for name, value in expected.items():
        if not is_same(value, record["result"][name]):
            raise BadRecord(f"{name} should be {value}, and is {shorten(record['result'][name])}")


def is_same(expected: Any, found: Any) -> bool:
    """Return whether two values are the same in JSON, where 5 and 5.0 are, and 1 and true are not."""
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(is_same, expected, found))
    return bool(found == expected) and not isinstance(found, bool)


# Count what happens in legs: how the seats fared, how it ended, how long it took, and what each game adds.

COUNTING_VERSION = 1
"""Raised when the charts here change, as `Game.counting_version` is when those of a game do."""
SEATS, LENGTH, ENDINGS = "seats", "length", "endings"
"""The charts that every game has.

SEATS: by seat and number of seats. LENGTH: by turns or rounds, or decisions where the game counts neither. ENDINGS: by
reason, and how the seat fared.
"""
FIRST, SHARED, BEHIND = "first", "shared", "behind"
"""How a seat fared: alone in the first place, with others in it, or not in it."""
FAULT = "fault"
"""The reason of every leg in which a seat was at fault."""
MAX_WORD_LENGTH = 40
"""Characters of a chart, a row or a column."""


class BadCount(ValueError):
    """What a game counts can't be stored: a word is too long or none, or there is no such seat."""


def count_leg(record: Json, *, has_own: bool = True) -> list[Count]:
    """Return what is counted of a leg, by playing its record again. What happened twice is there twice.

    How the seats fared and how long it took is counted of legs without a fault alone. Without `has_own` nothing is
    counted that only this game has. Raises BadCount.
    """
    game = find_game(record["game"])
    state = begin(record)
    since = state.log_length
    counts: list[Count] = []
    for entry in record["actions"]:
        take(state, entry)
        if has_own:
            for event in state.events(None, since):
                counts += map(_check_count, game.count_event(state, event), repeat(state.seats))
            since = state.log_length
    result = record["result"]
    if any(verdict != "ok" for verdict in result["verdicts"]):
        return [*counts, *_count_endings(FAULT, result["places"])]
    length = state.view(0)[game.counts] if game.counts else len(record["actions"])
    return [*counts, *_count_endings(result["reason"], result["places"]), *_count_whole_leg(length, state.seats)]


def _check_count(count: Count, seats: int) -> Count:
    """Return a count of a game's own. Raises BadCount."""
    for word in (count.chart, count.row, count.column):
        if not isinstance(word, str) or len(word) > MAX_WORD_LENGTH:
            raise BadCount(f"not a word of at most {MAX_WORD_LENGTH} characters: {word!r}")
    if count.seat is not None and count.seat not in range(seats):
        raise BadCount(f"there is no seat {count.seat!r} in a leg of {seats}")
    return count


def _count_whole_leg(length: int, seats: int) -> Iterator[Count]:
    yield Count(LENGTH, str(length))
    for seat in range(seats):
        yield Count(SEATS, str(seat), str(seats), seat)


def _count_endings(reason: str, places: Sequence[int]) -> Iterator[Count]:
    is_shared = places.count(1) > 1
    for seat, place in enumerate(places):
        yield Count(ENDINGS, reason, BEHIND if place > 1 else SHARED if is_shared else FIRST, seat)
