"""The record of a leg: what happened, so that anyone can play it again and check that it went by the rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.core import BadDeal, CloseCall, Game, IllegalAction, Json, MalformedAction, Outcome, State
from engine.deal import deal_hash
from engine.options import BadOptions
from engine.record_hash import record_hash
from engine.record_shape import FORMAT as FORMAT
from engine.record_shape import MAX_NAME_LENGTH, PERSON, check_shape, shorten
from engine.record_shape import BadRecord as BadRecord
from engine.registry import UnknownGame, find_game


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

    `seats` are `{"name", "version"}`, perhaps with `kind` and `seed`; `actions` are all decisions, forfeits included;
    `arena` is the version of the arena. Options that are another edition's make it a record of that one.
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
    """Check that the play is over and that its result is the recorded one. Raises BadRecord."""
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
