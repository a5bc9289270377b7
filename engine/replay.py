"""The record of a leg: what happened, so that anyone can play it again and check that it went by the rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.core import (
    BadDeal,
    BadOptions,
    Game,
    IllegalAction,
    Json,
    MalformedAction,
    Outcome,
    State,
)
from engine.deal import deal_hash
from engine.registry import UnknownGame, find_game

FORMAT = "arena-replay/1"

FIELDS: dict[str, type | tuple[type, ...]] = {
    "format": str,
    "game": str,
    "edition": str,
    "options": dict,
    "rules_version": int,
    "seats": list,
    "deal": dict,
    "salt": str,
    "deal_hash": str,
    "actions": list,
    "result": dict,
}


class BadRecord(ValueError):
    """The rules don't turn the record's deal and actions into what it claims. The message says where."""


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
) -> Json:
    """Return the record of a finished leg.

    `seats` are `{"name", "version"}`; `actions` are all decisions, forfeits included.
    """
    return {
        "format": FORMAT,
        "game": game.key,
        "edition": edition,
        "options": options,
        "rules_version": game.rules_version,
        "seats": [dict(seat) for seat in seats],
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


def take(state: State, entry: Json) -> None:
    """Play one entry of a record."""
    if entry["action"] == "forfeit":
        state.forfeit(entry["seat"], entry["verdict"])
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
            check_entry(state, entry, number)
            take(state, entry)
        except (IllegalAction, MalformedAction) as error:
            raise BadRecord(f"action {number}, {entry['action']!r} of seat {entry['seat']}: {error}") from error
        if entry["action"] == "forfeit":
            forfeits[entry["seat"]] = entry["verdict"]
    check_result(state, record, forfeits)


def check_shape(record: Any) -> None:
    """Raise BadRecord where fields are missing or of the wrong type."""
    if not isinstance(record, dict):
        raise BadRecord("a record is a JSON object")
    for name, kind in FIELDS.items():
        if name not in record:
            raise BadRecord(f"field {name!r} is missing")
        if not isinstance(record[name], kind) or isinstance(record[name], bool):
            raise BadRecord(f"field {name!r} is not of the right type")
    if record["format"] != FORMAT:
        raise BadRecord(f"format is {record['format']!r}, not {FORMAT!r}")
    for number, entry in enumerate(record["actions"]):
        words = isinstance(entry, dict) and isinstance(entry.get("action"), str)
        if not words or type(entry.get("seat")) is not int:
            raise BadRecord(f"action {number} is not an object with a seat and an action")


def check_header(record: Json) -> Game:
    """Check game, edition, options, rules and the hash of the deal, and return the game. Raises BadRecord."""
    try:
        game = find_game(record["game"])
        expected = game.options(record["edition"], **record["options"])
    except (UnknownGame, BadOptions, TypeError) as error:
        raise BadRecord(str(error)) from error
    if expected != record["options"]:
        raise BadRecord("options don't name every option of the edition")
    if record["rules_version"] != game.rules_version:
        raise BadRecord(f"rules version is {record['rules_version']}; this is version {game.rules_version}")
    if len(record["seats"]) not in game.seats:
        raise BadRecord(f"{game.title} is not played by {len(record['seats'])}")
    try:
        found = deal_hash(record["deal"], record["salt"])
    except UnicodeEncodeError as error:
        raise BadRecord("the salt is no Unicode text") from error
    if found != record["deal_hash"]:
        raise BadRecord("deal and salt don't give the deal hash")
    return game


def check_entry(state: State, entry: Json, number: int) -> None:
    """Check who acts and whether there was a choice. Raises BadRecord."""
    seat, action = entry["seat"], entry["action"]
    if state.to_act is None:
        raise BadRecord(f"action {number} comes after the end of the play")
    failed_start = is_failed_start(state, entry, number)
    if seat != state.to_act and not failed_start:
        raise BadRecord(f"action {number} is seat {seat}'s, where seat {state.to_act} is to act")
    if action == "forfeit" and (not isinstance(entry.get("verdict"), str) or entry["verdict"] == "ok"):
        raise BadRecord(f"action {number} is a forfeit without a verdict")
    forced = state.forced() is not None
    if action == "forfeit" and forced and not failed_start:
        raise BadRecord(f"action {number} is a forfeit where there was no choice, so no seat had to act")
    forced = forced and action != "forfeit"
    if entry.get("auto", False) is not forced:
        raise BadRecord(f"action {number} was {'not a choice' if forced else 'a choice'}, and is marked otherwise")


def is_failed_start(state: State, entry: Json, number: int) -> bool:
    """Return whether a seat loses because it failed to start.

    With more than two seats it goes out on its first decision.
    """
    failed = number == 0 and entry["action"] == "forfeit" and entry.get("verdict") == "start"
    return failed and state.seats == 2 and entry["seat"] in range(2)


def check_result(state: State, record: Json, forfeits: Mapping[int, str]) -> None:
    """Check that the play is over and that its result is the recorded one. Raises BadRecord."""
    if state.outcome is None:
        raise BadRecord(f"the play is not over after the last action; seat {state.to_act} is to act")
    verdicts = [forfeits.get(seat, "ok") for seat in range(state.seats)]
    expected = describe(state.outcome) | {"verdicts": verdicts}
    for name, value in expected.items():
        if record["result"].get(name) != value:
            raise BadRecord(f"{name} should be {value}, and is {record['result'].get(name)}")
