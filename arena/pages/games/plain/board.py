"""The table of any game after a step: what all see, what each seat has, and what only a seat sees itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.pages.games.plain.descriptions import name_seat
from arena.pages.games.plain.values import HIDDEN, Item, list_items, write_label
from arena.pages.games.presentation import Level
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Playback, Scene
from engine.core import Json

UNLISTED_KEYS = ("turn", "to_move", "decision")
"""Said elsewhere on the page, or by the sentence of the step."""
POINTS_KEYS = ("points", "scores", "score")
"""Keys of views under which games count, one number a seat."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, and whether it has changed in the step shown."""

    items: tuple[Item, ...]
    is_new: bool


@dataclass(frozen=True, slots=True)
class Row:
    """Something that each seat has."""

    label: str
    cells: list[Cell]
    """By seat."""


@dataclass(frozen=True, slots=True)
class Board:
    """The table, for `board.html`."""

    seats: list[tuple[int, str]]
    facts: list[tuple[str, Cell]]
    """Labels and values of what is the same for all seats."""
    rows: list[Row]


def build_board(scene: Scene) -> Board:
    """Return the table as the scene's onlooker sees it."""
    seats = range(len(scene.after))
    before, after = select_common(scene, scene.before), select_common(scene, scene.after)
    facts, rows = [], []
    for key, value in after.items():
        if is_by_seat(value, len(seats)) and is_by_seat(before.get(key, value), len(seats)):
            known: list[Any] = before.get(key) or [None] * len(seats)
            cells = [Cell(list_items(value[seat]), value[seat] != known[seat]) for seat in seats]
            rows.append(Row(write_label(key), cells))
        else:
            facts.append((write_label(key), Cell(list_items(value), value != before.get(key))))
    return Board([(seat, name_seat(seat)) for seat in seats], facts, rows + build_own_rows(scene, after))


def is_by_seat(value: Any, seats: int) -> bool:
    """Return whether a value of a view has one element for each seat."""
    return isinstance(value, list) and len(value) == seats


def select_common(scene: Scene, views: Sequence[Json]) -> Json:
    """Return of the views what the onlooker sees for sure: its own view as a seat, else what all seats see alike."""
    if scene.onlooker is not None and scene.onlooker != PUBLIC_ONLOOKER:
        chosen = views[scene.onlooker]
    else:
        chosen = {key: value for key, value in views[0].items() if all(view.get(key) == value for view in views)}
    return {key: value for key, value in chosen.items() if key not in UNLISTED_KEYS}


def build_own_rows(scene: Scene, common: Json) -> list[Row]:
    """Return what the views of the seats differ in, of each seat its own, where the onlooker may see all of them."""
    if scene.onlooker is not None:
        return []
    rows = []
    for key in scene.after[0]:
        if key not in common and key not in UNLISTED_KEYS:
            before, after = select_own(scene.before, key), select_own(scene.after, key)
            cells = [Cell(list_items(value), value != known) for known, value in zip(before, after, strict=True)]
            rows.append(Row(write_label(key), cells))
    return rows


def select_own(views: Sequence[Json], key: str) -> list[Any]:
    """Return by seat what its view has under a key: all of it, or its own element where there is one for each seat."""
    values: list[Any] = [view.get(key) for view in views]
    if all(is_by_seat(value, len(views)) for value in values):
        own = [value[seat] for seat, value in enumerate(values)]
        if all(is_same_or_hidden(told, known) for value in values for told, known in zip(value, own, strict=True)):
            return own
    return values


def is_same_or_hidden(told: Any, known: Any) -> bool:
    """Return whether others are told of a value nothing but the truth: it, parts of it, its length, or nothing."""
    if isinstance(told, list) and isinstance(known, list):
        return len(told) == len(known) and all(map(is_same_or_hidden, told, known))
    if isinstance(told, int) and isinstance(known, list):
        return told == len(known)
    return told in (known, HIDDEN, None)


def measure_points(playback: Playback) -> list[Level]:
    """Return the points of each seat after each step, where the views count them."""
    views = [playback.views[number][0] for number in range(playback.last + 1)]
    key = next((key for key in POINTS_KEYS if is_by_seat(views[0].get(key), len(playback.record["seats"]))), None)
    if key is None or not all(isinstance(value, int | float) for view in views for value in view[key]):
        return []
    return [Level(seat, values) for seat, values in enumerate(zip(*(view[key] for view in views), strict=True))]
