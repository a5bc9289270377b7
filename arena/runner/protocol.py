"""The messages of the bot protocol, version 1: build requests, parse answers, describe both as JSON Schema."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import orjson

from arena.runner.program import Limits
from engine.core import Game, Json, Outcome, Seat, State
from engine.deal import deal_hash
from engine.message import MessageError, gettext_noop, message
from engine.options import ChoiceOption, NumberOption, RuleOption

# Build the messages of the bot protocol, version 1, and parse the answers of bots.

PROTOCOL_VERSION = 1
PROTOCOL_MINOR = 1
"""Raised when messages get new keys. 1: `hand_backs`, `known`, `fog_by` and `mud_by` in views of Battle Line."""
MAX_LINE_BYTES = 64 * 1024
"""Maximum length of a line from a bot, without its newline."""
MAX_NOTE_LENGTH = 200
MAX_ACTION_LENGTH = 1000
MAX_SEPARATORS = 2048
"""Maximum number of commas and opening brackets in a line, even in strings: it limits the cost of parsing."""
MAX_NESTING_DEPTH = 20
MAX_INTEGER_DIGITS = 20
MAX_LINE_SHOWN = 60
"""Bytes of a line that a message about it repeats."""
MIN_INEXACT_NUMBER = 1e19
"""The parser reads integers from about here on as inexact floats."""


class MalformedAnswerError(MessageError):
    """A line is not an answer. The message says what was expected."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The answer to `hello`: which parts of requests the bot wants."""

    legal: bool = True
    view: bool = True
    stateful: bool = False
    """Whether a fresh process is asked its earlier turns again before a new one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to `turn`."""

    action: str
    note: str | None = None
    eval: float | None = None


@dataclass(frozen=True, slots=True)
class LegInfo:
    """The facts of a leg that all its bots are told."""

    game: str
    edition: str
    options: Json
    seats: int
    deal_hash: str
    limits: Limits
    seeds: tuple[int, ...]
    """By seat, the number for the bot's own chance; only that bot is told it."""


def build_hello(table: LegInfo, seat: Seat) -> Json:
    """Return the first message to a bot."""
    return {
        "type": "hello",
        "protocol": PROTOCOL_VERSION,
        "minor": PROTOCOL_MINOR,
        "game": table.game,
        "edition": table.edition,
        "options": table.options,
        "seat": seat,
        "seats": table.seats,
        "deal_hash": table.deal_hash,
        "limits": asdict(table.limits),
        "seed": table.seeds[seat],
    }


def build_turn(
    state: State, seat: Seat, events_sent: int, *, has_view: bool = True, legal: list[str] | None = None
) -> Json:
    """Return the request for the present decision, without the rest of the bank.

    `events_sent` is the number of events that were sent to the seat before.
    """
    request: dict[str, Any] = {"type": "turn", "n": state.ply, "seat": seat}
    if has_view:
        request["view"] = state.view(seat)
    if legal is not None:
        request["legal"] = legal
    if state.open_grammar is not None:
        request["open"] = state.open_grammar
    request["events"] = state.events(seat, events_sent)
    return request


def build_refused(ply: int, reason: str) -> Json:
    """Return what a remote bot is told before it is asked again. Bots may ignore it, as any type they don't know."""
    return {"type": "refused", "n": ply, "reason": reason}


def build_end(outcome: Outcome, verdicts: list[str], events: list[Json]) -> Json:
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
    answer = _parse_object(line)
    if answer.get("type") != "ready":
        template = gettext_noop('expected {"type": "ready"} in answer to "hello", got %(line)s')
        raise MalformedAnswerError(message(template, line=quote_line(line)))
    return Ready(
        legal=answer.get("legal") is not False,
        view=answer.get("view") is not False,
        stateful=answer.get("stateful") is True,
    )


def parse_answer(line: bytes) -> Answer:
    """Return the answer to `turn`. Raises MalformedAnswerError."""
    answer = _parse_object(line)
    action = answer.get("action")
    if not isinstance(action, str):
        template = gettext_noop('%(line)s has no "action" with a string value; an answer looks like {"action": "pass"}')
        raise MalformedAnswerError(message(template, line=quote_line(line)))
    if len(action) > MAX_ACTION_LENGTH:
        template = gettext_noop('the "action" is longer than %(limit)s characters')
        raise MalformedAnswerError(message(template, limit=MAX_ACTION_LENGTH))
    if not action.isprintable():
        raise MalformedAnswerError(message(gettext_noop('the "action" contains unprintable characters')))
    if len(answer) == 1:
        return Answer(action)
    return Answer(action, _read_note(answer.get("note")), _read_eval(answer.get("eval")))


def _parse_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line. The longest line takes about a millisecond, whatever it contains."""
    if len(line) > MAX_LINE_BYTES:
        template = gettext_noop("the line is longer than %(limit)s")
        raise MalformedAnswerError(message(template, limit=format_binary(MAX_LINE_BYTES)))
    opened = line.count(b"{") + line.count(b"[")
    if opened + line.count(b",") > MAX_SEPARATORS:
        template = gettext_noop("the line has more than %(limit)s commas and brackets")
        raise MalformedAnswerError(message(template, limit=MAX_SEPARATORS))
    try:
        answer = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        answer = _parse_with_lone_surrogates(line, str(error))
    if not isinstance(answer, dict):
        template = gettext_noop('%(line)s isn\'t a JSON object; an answer looks like {"action": "pass"}')
        raise MalformedAnswerError(message(template, line=quote_line(line)))
    if opened > 1 or line.count(b":") != len(answer) or _has_inexact_number(answer):
        _check_depth(answer)
        _check_keys_and_integers(line)
    return answer


def _parse_with_lone_surrogates(line: bytes, problem: str) -> Any:
    """Return the value of a line that the fast parser refuses, if only lone surrogates are wrong with it.

    JavaScript writes them when it cuts an emoji in two. A note with one is ignored; an action with one is refused.
    """
    try:
        return LENIENT_DECODER.decode(line.decode())
    except (ValueError, RecursionError):
        template = gettext_noop("%(line)s isn't JSON (%(problem)s); print debug output to stderr")
        raise MalformedAnswerError(message(template, line=quote_line(line), problem=problem)) from None


def quote_line(line: bytes) -> str:
    """Return the beginning of a bot's line for a message."""
    return repr(line[:MAX_LINE_SHOWN].decode(errors="replace") + ("…" if len(line) > MAX_LINE_SHOWN else ""))


def format_binary(size: int) -> str:
    """Return a limit in bytes as the README has it, in KiB or MiB."""
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def _refuse_constant(name: str) -> None:
    template = gettext_noop("the line isn't JSON, which has no %(word)s; leave the key out or send null")
    raise MalformedAnswerError(message(template, word=name))


def _read_finite(digits: str) -> float:
    """Return the number; one that is too large for a float is refused as the fast parser does."""
    if math.isinf(value := float(digits)):
        raise ValueError(digits)
    return value


def _has_inexact_number(answer: dict[str, Any]) -> bool:
    return any(isinstance(value, float) and abs(value) >= MIN_INEXACT_NUMBER for value in answer.values())


def _check_depth(answer: dict[str, Any]) -> None:
    inside: list[Any] = [answer]
    for _ in range(MAX_NESTING_DEPTH):
        values = (value for outer in inside for value in (outer.values() if isinstance(outer, dict) else outer))
        inside = [value for value in values if isinstance(value, dict | list)]
        if not inside:
            return
    raise MalformedAnswerError(
        message(gettext_noop("the JSON is nested more than %(limit)s levels deep"), limit=MAX_NESTING_DEPTH)
    )


def _check_keys_and_integers(line: bytes) -> None:
    """Parse the line strictly, to find what the fast parser accepts: duplicate keys and rounded integers."""
    STRICT_DECODER.decode(line.decode())


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> None:
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise MalformedAnswerError(message(gettext_noop("duplicate key %(words)s"), words=repr(key[:40])))
        keys.add(key)


def _check_integer(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_INTEGER_DIGITS:
        raise MalformedAnswerError(
            message(gettext_noop("an integer has more than %(limit)s digits"), limit=MAX_INTEGER_DIGITS)
        )
    return int(digits)


STRICT_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_duplicate_keys, parse_int=_check_integer, parse_float=str)
"""Decoder that checks each key and integer."""
LENIENT_DECODER = json.JSONDecoder(parse_int=_check_integer, parse_float=_read_finite, parse_constant=_refuse_constant)
"""Decoder that takes lone surrogates, and says which of `NaN` and `Infinity` a line has."""


def _read_note(note: object) -> str | None:
    """Return the note if it can be shown, else None: a bad note is no reason to lose a leg."""
    return note if isinstance(note, str) and len(note) <= MAX_NOTE_LENGTH and note.isprintable() else None


def _read_eval(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
        return None
    return float(value)


# Describe the messages of the bot protocol as JSON Schema (draft 2020-12), for each game.
#
# The protocol's own messages are in `protocol_schema.json`, what a game tells in the file that `Game.schema_file`
# names, and its options come from `Game.rule_options`.

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MESSAGES_TO_BOT = ("hello", "turn", "refused", "end")
MESSAGES_FROM_BOT = ("ready", "answer")
MESSAGES = (*MESSAGES_TO_BOT, *MESSAGES_FROM_BOT)
PROTOCOL_FILE = Path(__file__).with_name("protocol_schema.json")
EXAMPLE_SALT = "0" * 32
EXAMPLE_ILLEGAL = "jump"
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


def read_vocabulary(game: Game) -> Json:
    """Return every decision and action of a game, and the words and cards of which they are made.

    Raises NoSchemaError.
    """
    own = {} if game.schema_file is None else json.loads(game.schema_file.read_text())
    if "vocabulary" not in own:
        raise NoSchemaError(game.key)
    found: Json = own["vocabulary"]
    return found


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
    """Return what a remote bot at seat 0 is told in a short random play, and what it answers, in order.

    Of the requests there is the first for each kind of decision. The first answer of all is refused.
    """
    rng = Random(EXAMPLE_SEED)
    seats = seats or game.seats[0]
    options = game.options(edition)
    deal = game.deal(options, seats, rng)
    state = game.start(options, seats, deal)
    limits = Limits()
    leg = LegInfo(game.key, edition, options, seats, deal_hash(deal, EXAMPLE_SALT), limits, (EXAMPLE_SEED,) * seats)
    messages: list[Json] = [build_hello(leg, 0), {"type": "ready"}]
    sent, shown = 0, set[str]()
    while state.to_act is not None:
        actions = state.actions()
        action = rng.choice(list(actions))
        if state.to_act == 0 and state.forced() is None:
            request = build_turn(state, 0, sent, legal=list(actions)) | {"bank_ms": limits.bank_ms}
            sent = state.log_length
            if not shown:
                messages += [request, {"action": EXAMPLE_ILLEGAL}]
                messages.append(build_refused(state.ply, f"{EXAMPLE_ILLEGAL} isn't legal here"))
            if request["view"]["decision"] not in shown:
                shown.add(request["view"]["decision"])
                messages += [request, {"action": action}]
        state.play(actions[action])
    assert state.outcome is not None
    return [*messages, build_end(state.outcome, ["ok"] * seats, state.events(0, sent))]


# Make output of untrusted programs safe to store and show.

POSSIBLY_INVISIBLE = re.compile(r"[^ -~\n\t]")


def make_visible(text: str) -> str:
    """Return the text with invisible characters escaped: controls, escape sequences and direction marks.

    Newlines and tabs are kept.
    """
    return POSSIBLY_INVISIBLE.sub(_escape, text.replace("\r\n", "\n"))


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return char if char.isprintable() else char.encode("unicode_escape").decode()
