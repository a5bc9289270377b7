"""Whatever stands in a record, checking it ends with a sentence and never otherwise."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import Json
from engine.registry import GAMES
from engine.replay import BadRecord, verify
from tests.engine.battleline.tamperings import rehash
from tests.engine.plays import random_record
from tests.full import examples

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
SMALL = random_record(GAMES["battleline"], "standard", 7, verdict="timeout")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything in a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


PATHS = list(places(SMALL))[1:]


def replaced(record: Json, path: tuple[Any, ...], value: object, hashed: bool) -> Json:
    record = deepcopy(record)
    part: Any = record
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    if hashed and isinstance(record["deal"], dict) and isinstance(record["salt"], str):
        try:
            rehash(record)
        except ValueError:
            pass
    return record


@examples(200, 1_500)
@given(
    path=st.sampled_from(PATHS) | st.sampled_from([path for path in PATHS if len(path) <= 2]),
    value=JSON_VALUES,
    hashed=st.booleans(),
)
def test_hostile_values_are_refused_and_nothing_else_happens(
    path: tuple[Any, ...], value: object, hashed: bool
) -> None:
    try:
        verify(replaced(SMALL, path, value, hashed))
    except BadRecord as refusal:
        assert str(refusal)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("salt",), "\ud800"),
        (("deal", "troops"), ["\ud800"]),
        (("actions", 0, "action"), "draw" + " troop" * 500_000),
        (("actions", 0, "action"), "\ud800"),
        (("actions", 0, "action"), "forfeit"),
        (("actions", 0, "seat"), -1),
        (("actions", 0, "seat"), 10**30),
        (("options",), {"self": 1}),
        (("options",), {"changes": 1}),
        (("seats",), []),
        (("seats",), [None] * 2_000),
        (("deal",), {"troops": [[]] * 60, "tactics": [], "tiles": []}),
        (("result",), {}),
    ],
)
@pytest.mark.parametrize("hashed", [False, True])
def test_values_chosen_to_hurt_are_refused_in_words(path: tuple[Any, ...], value: object, hashed: bool) -> None:
    with pytest.raises(BadRecord):
        verify(replaced(SMALL, path, value, hashed))


def test_a_record_nested_very_deeply_is_refused() -> None:
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    with pytest.raises(BadRecord):
        verify(replaced(SMALL, ("deal", "troops"), deep, False))


def test_random_values_all_over_a_record_change_nothing_unnoticed_that_matters() -> None:
    """Only what a record says beside the play may change: names, times, notes."""
    rng = Random(6)
    free = {"name", "version", "ms", "cpu_ms"}
    for path in rng.sample(PATHS, 150):
        changed = replaced(SMALL, path, "something else", False)
        if path[-1] in free or path == ("seats", 0) or path == ("seats", 1):
            continue
        with pytest.raises(BadRecord):
            verify(changed)
