"""The form of a record, its hash, and how people leave a play."""

import hashlib
import json
from copy import deepcopy
from typing import Any

import pytest

from engine.core import Game, Json
from engine.registry import GAMES
from engine.replay import BadRecord, check_hash, record_hash, verify, write_canonical
from tests.engine.plays import EDITION_NAMES, EVERY_EDITION, random_record

BATTLE_LINE, BATTALION = GAMES["battleline"], GAMES["battalion"]
each_edition = pytest.mark.parametrize(("game", "edition"), EVERY_EDITION, ids=EDITION_NAMES)


@pytest.fixture
def good() -> Json:
    return random_record(BATTLE_LINE, "standard", 7)


def choice_in(record: Json) -> Json:
    entry: Json = next(entry for entry in record["actions"] if "auto" not in entry)
    return entry


@pytest.mark.parametrize(
    ("where", "changes"),
    [
        ("record", {"arena": "0.1.0"}),
        ("seat", {"kind": "bot", "seed": 2**53 - 1}),
        ("seat", {"kind": "person"}),
        ("seat", {"name": "x" * 200, "version": 0}),
        ("entry", {"ms": 10**9, "cpu_ms": 0, "late_ms": 12, "note": "", "eval": -1}),
        ("entry", {"note": "n" * 200, "eval": 0.25}),
    ],
)
def test_optional_fields_are_accepted(good: Json, where: str, changes: Json) -> None:
    {"record": good, "seat": good["seats"][1], "entry": choice_in(good)}[where].update(changes)
    verify(good)


@pytest.mark.parametrize(
    ("where", "changes", "sentence"),
    [
        ("record", {"comment": ""}, "there is no field 'comment' here"),
        ("record", {"arena": ""}, "field 'arena' should be a text of 1 to 40 characters"),
        ("record", {"arena": "x" * 41}, "field 'arena' should be a text of 1 to 40 characters"),
        ("record", {"rules_version": 0}, "rules version is 0; known are 1 to 1"),
        ("record", {"rules_version": 1.0}, "field 'rules_version' should be a whole number"),
        ("seat", {"name": ""}, "seat 1: field 'name' should be a text of 1 to 200 characters"),
        ("seat", {"name": "x" * 201}, "seat 1: field 'name' should be"),
        ("seat", {"version": "1"}, "seat 1: field 'version' should be a whole number"),
        ("seat", {"kind": "dog"}, "seat 1: field 'kind' should be one of bot, person"),
        ("seat", {"seed": 2**53}, "seat 1: field 'seed' should be a whole number from 0 to 9007199254740991"),
        ("seat", {"owner": "eva"}, "seat 1: there is no field 'owner' here"),
        ("entry", {"ms": 1.5}, "field 'ms' should be a whole number from 0 to 1000000000"),
        ("entry", {"cpu_ms": -1}, "field 'cpu_ms' should be a whole number"),
        ("entry", {"late_ms": 10**9 + 1}, "field 'late_ms' should be a whole number"),
        ("entry", {"late_ms": True}, "field 'late_ms' should be a whole number"),
        ("entry", {"note": "n" * 201}, "field 'note' should be a text of 0 to 200 characters"),
        ("entry", {"eval": 1.01}, "field 'eval' should be a number from -1 to 1"),
        ("entry", {"eval": float("nan")}, "field 'eval' should be a number from -1 to 1"),
        ("entry", {"eval": True}, "field 'eval' should be a number from -1 to 1"),
        ("entry", {"auto": False}, "field 'auto' should be true"),
        ("entry", {"reason": "resigned"}, "there is no field 'reason' here"),
        ("result", {"winner": 0}, "result: there is no field 'winner' here"),
        ("result", {"places": [True, 2]}, "places should be"),
    ],
)
def test_everything_else_is_refused_with_a_sentence(good: Json, where: str, changes: Json, sentence: str) -> None:
    parts = {"record": good, "seat": good["seats"][1], "entry": choice_in(good), "result": good["result"]}
    if "auto" in changes:
        parts["entry"].pop("ms"), parts["entry"].pop("cpu_ms")
    parts[where].update(changes)
    with pytest.raises(BadRecord) as caught:
        verify(good)
    assert sentence in str(caught.value)


def test_an_automatic_decision_has_no_times_and_a_bot_has_a_version(good: Json) -> None:
    automatic = next(entry for entry in good["actions"] if "auto" in entry)
    automatic["ms"] = 1
    with pytest.raises(BadRecord, match="there is no field 'ms' here"):
        verify(good)
    del automatic["ms"], good["seats"][0]["version"]
    with pytest.raises(BadRecord, match="seat 0: field 'version' is missing"):
        verify(good)


@each_edition
@pytest.mark.parametrize("reason", ["resigned", "abandoned"])
def test_a_person_leaves_while_another_seat_is_to_act_and_has_no_fault(game: Game, edition: str, reason: str) -> None:
    for seed in range(6):
        record = random_record(game, edition, seed, verdict=reason)
        number = next(n for n, entry in enumerate(record["actions"]) if entry["action"] == "forfeit")
        entry = record["actions"][number]
        assert entry == {"seat": entry["seat"], "action": "forfeit", "reason": reason}
        verify(record)
        result = record["result"]
        assert set(result["verdicts"]) == {"ok"}
        assert result["places"][entry["seat"]] == len(record["seats"])
        assert result["reason"] == reason or len(record["seats"]) > 2
        assert entry["seat"] not in {later["seat"] for later in record["actions"][number + 1 :]}
        del record["seats"][entry["seat"]]["kind"]
        record["seats"][entry["seat"]]["version"] = 1
        with pytest.raises(BadRecord, match=f"seat {entry['seat']} is no person's"):
            verify(record)


def test_nobody_leaves_twice() -> None:
    record = random_record(BATTALION, "standard", 1, verdict="resigned")
    number = next(n for n, entry in enumerate(record["actions"]) if entry["action"] == "forfeit")
    record["actions"].insert(number + 1, dict(record["actions"][number]))
    with pytest.raises(BadRecord, match="is a forfeit of seat .*, which is out"):
        verify(record)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_seat_can_leave_at_every_point(seats: int) -> None:
    record = random_record(BATTALION, "standard", seats - 2)
    for number in range(0, min(len(record["actions"]), 40), 3):
        for seat in range(seats):
            state = BATTALION.start(record["options"], seats, record["deal"])
            for entry in record["actions"][:number]:
                state.play(state.parse(entry["action"]))
            if state.is_out(seat):
                continue
            acting = state.to_act
            state.forfeit(seat, "abandoned")
            left = {"seat": seat, "action": "forfeit", "reason": "abandoned"}
            assert left in state.events(None) and state.is_out(seat) is (seats > 2)
            if state.outcome is None:
                assert state.to_act == acting or acting == seat
                assert state.moves()
            else:
                assert state.outcome.reason in ("abandoned", "last-standing", "quiet", "limit")


@each_edition
def test_the_hash_is_that_of_canonical_json_without_names_and_notes(game: Game, edition: str) -> None:
    record = random_record(game, edition, 2)
    choice_in(record).update(note="ő", eval=1.0)
    bound = deepcopy(record)
    for seat in bound["seats"]:
        del seat["name"]
    del choice_in(bound)["note"]
    choice_in(bound)["eval"] = 1
    bound["result"]["scores"] = [int(score) if score == int(score) else score for score in bound["result"]["scores"]]
    text = json.dumps(bound, sort_keys=True, separators=(",", ":"))
    assert record_hash(record) == hashlib.sha256(text.encode()).hexdigest()
    assert record_hash(json.loads(json.dumps(record))) == record_hash(record)
    check_hash(record, record_hash(record).upper())


def test_renaming_and_erasing_do_not_change_the_hash_and_everything_else_does(good: Json) -> None:
    known = record_hash(good)
    good["seats"][0]["name"] = "a deleted bot"
    choice_in(good)["note"] = "now there is a note"
    check_hash(good, known)
    verify(good)
    for part, name, value in [(good["seats"][0], "version", 2), (choice_in(good), "ms", 3), (good, "arena", "1.0")]:
        changed = deepcopy(good)
        before = part.get(name)
        part[name] = value
        with pytest.raises(BadRecord, match="its hash is .*: it was changed"):
            check_hash(good, known)
        verify(good)
        if before is None:
            del part[name]
        else:
            part[name] = before
        assert good == changed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (-0.3333, "-0.3333"),
        (0.0001, "0.0001"),
        (0.00001, "0.00001"),
        (-1.5e-06, "-0.0000015"),
        (1e-07, "1e-7"),
        (-1.25e-10, "-1.25e-10"),
        ({"b": [1, True, None], "a": "é\n\x7f\U0001f600"}, '{"a":"\\u00e9\\n\\u007f\\ud83d\\ude00","b":[1,true,null]}'),
    ],
)
def test_numbers_and_texts_are_written_as_javascript_writes_them(value: Any, text: str) -> None:
    assert write_canonical(value) == text
    with pytest.raises(ValueError, match="no number"):
        write_canonical(float("inf"))
