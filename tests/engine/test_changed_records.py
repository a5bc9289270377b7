"""No part of a record can be changed unnoticed by who knows its hash, and nothing that matters by anybody.

Fifty records of all kinds are changed in one place at a time: every value, every key removed or added, items of lists
swapped or dropped. By default some places of each record are tried, with `--full` all of them against the hash, and
more of them against the rules.
"""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from engine.core import Json
from engine.registry import GAMES
from engine.replay import BadRecord, check_hash, record_hash, verify
from tests.engine.facts import find_facts
from tests.engine.plays import EVERY_EDITION, random_record
from tests.full import is_full_run

Path = tuple[str | int, ...]
HASHED, PLAYED = 25, 5
"""Places tried in each record by default: against the hash, which is quick, and against the rules."""
PLAYED_IN_FULL = 150

VARIANTS = [(key, edition, changes) for key in GAMES for edition, changes in find_facts(key).variants]
OF_MORE_SEATS = [(game.key, next(iter(game.editions))) for game in GAMES.values() if len(game.seats) > 1]
KINDS: list[tuple[str, str, int, str, Json]] = [
    *((game.key, edition, seed, "ok", {}) for game, edition in EVERY_EDITION for seed in range(3)),
    *((game.key, edition, seed, "timeout", {}) for seed, (game, edition) in enumerate(EVERY_EDITION)),
    *((*game, seed, verdict, {}) for game in OF_MORE_SEATS for seed in range(3) for verdict in ("crash", "resigned")),
    *((game, edition, seed, "ok", changes) for game, edition, changes in VARIANTS for seed in (1, 2)),
]
"""Game, edition, seed (which decides the number of seats, too), how it ends, and what is changed of the edition."""


@cache
def make(number: int) -> Json:
    game, edition, seed, verdict, changes = KINDS[number]
    record = random_record(GAMES[game], edition, seed, verdict=verdict, **changes)
    record["arena"] = "0.1.0"
    of_bot = {"kind": "bot", "level": "ladder"} if "version" in record["seats"][0] else {}
    record["seats"][0] |= {"seed": 7} | of_bot
    chosen = [entry for entry in record["actions"] if "ms" in entry]
    for entry in chosen[:2]:
        entry |= {"note": "toward a run", "eval": 0.25, "late_ms": 12}
    return record


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def changes_at(value: Any) -> Iterator[Any]:
    """Other values in the place of this one: near it, and of other types."""
    if isinstance(value, bool):
        yield from (not value, int(value), None)
    elif isinstance(value, int | float):
        yield from (value + 1, -value - 1, str(value), value + 0.5)
        if value in (0, 1):
            yield bool(value)
    elif isinstance(value, str):
        yield from (f"{value}x", value[:-1], value.swapcase(), None)
    elif isinstance(value, list):
        yield from (value[:-1], value[::-1], [*value, *value[:1]], value[1:2] + value[:1] + value[2:])
    elif isinstance(value, dict):
        yield value | {"extra": 1}
        yield from ({name: part for name, part in value.items() if name != left_out} for left_out in value)


def changed_records(record: Json, count: int | None, rng: Random) -> Iterator[tuple[Path, Json]]:
    """The record with one change, at this many random places, where everything but the actions is one; None: at all."""
    found = list(places(record))
    if count is not None:
        rest = [path for path in found if path[:1] not in (("actions",), ("deal",)) or len(path) < 2]
        many = [path for path in found if path not in set(rest)]
        found = rng.sample(rest, min(len(rest), count)) + rng.sample(many, min(len(many), count))
    for path in found:
        changes = list(changes_at(value_at(record, path)))
        for change in changes if count is None else rng.sample(changes, min(len(changes), 1)):
            changed = replace_at(record, path, change)
            if not is_same(changed, record):
                yield path, changed


def is_same(record: Json, other: Json) -> bool:
    """Of the same values and types: 1 and true, which are equal to Python, are not the same."""
    return record == other and repr(record) == repr(other)


def value_at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def replace_at(record: Json, path: Path, change: Any) -> Json:
    if not path:
        return dict(change)
    changed = dict(record)
    part: Any = changed
    for key in path[:-1]:
        part[key] = part[key].copy()
        part = part[key]
    part[path[-1]] = change
    return changed


def without_free_parts(record: Json) -> Json:
    """The record without names, levels and notes."""
    seats = [{key: value for key, value in seat.items() if key not in ("name", "level")} for seat in record["seats"]]
    actions = [{key: value for key, value in entry.items() if key != "note"} for entry in record["actions"]]
    return record | {"seats": seats, "actions": actions}


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_every_change_is_refused_by_the_hash_except_names_levels_and_notes(number: int) -> None:
    record, rng = make(number), Random(number)
    verify(record)
    known = record_hash(record)
    tried = 0
    bound = without_free_parts(record)
    for _, changed in changed_records(record, None if is_full_run() else HASHED, rng):
        tried += 1
        if not is_hashable(changed):
            with pytest.raises(BadRecord):
                verify(changed)
        elif is_same(without_free_parts(changed), bound):
            check_hash(changed, known)
        else:
            with pytest.raises(BadRecord, match="it was changed"):
                check_hash(changed, known)
    assert tried > HASHED


def is_hashable(record: Json) -> bool:
    """The hash is asked for once a record has the right shape."""
    lists = isinstance(record.get("seats"), list) and isinstance(record.get("actions"), list)
    return lists and all(isinstance(part, dict) for part in record["seats"] + record["actions"])


def what_matters(record: Json) -> Json:
    """Rules, deal and result, without the values of the options that are told to differ from the edition's.

    Where a play comes near neither of two limits, it is one of both rules.
    """
    options = GAMES[record["game"]].complete_options(record["options"])
    unchanged = {key: value for key, value in options.items() if key not in record.get("changed_options", ())}
    names = ("format", "game", "edition", "changed_options", "rules_version", "deal", "salt", "deal_hash", "result")
    return {name: record.get(name) for name in names} | {"options": unchanged}


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_without_the_hash_nothing_changes_rules_deal_or_result(number: int) -> None:
    record, rng = make(number), Random(number)
    refused = 0
    for path, changed in changed_records(record, PLAYED_IN_FULL if is_full_run() else PLAYED, rng):
        try:
            verify(changed)
        except BadRecord as refusal:
            refused += 1
            assert str(refusal)
        else:
            assert what_matters(changed) == what_matters(record), path
    assert refused


def test_there_are_fifty_records_of_all_kinds() -> None:
    assert len(KINDS) >= 50
    records = [make(number) for number in range(len(KINDS))]
    assert {(record["game"], record["edition"]) for record in records} == {
        (game.key, edition) for game, edition in EVERY_EDITION
    }
    for key, game in GAMES.items():
        assert {len(record["seats"]) for record in records if record["game"] == key} == set(game.seats)
    assert sum("changed_options" in record for record in records) == 2 * len(VARIANTS)
