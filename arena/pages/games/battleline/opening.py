"""The draft and the laying of the tiles, before the first turn: packets, picks, and the row so far."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.pages.games.battleline.cards import Tag
from arena.pages.games.battleline.wording import Wording
from arena.pages.matches.replay import Scene
from engine.core import Json


@dataclass(frozen=True, slots=True)
class Place:
    """One of the nine places of the row."""

    number: int
    tag: Tag | None
    """None where the onlooker can't know the tile, or none lies there yet."""
    is_laid: bool
    is_up: bool


@dataclass(frozen=True, slots=True)
class Tiles:
    """What a seat picks from, and what it has picked and not laid yet."""

    seat: int
    name: str
    is_known: bool
    choices: list[Tag]
    kept: list[Tag]


@dataclass(frozen=True, slots=True)
class Opening:
    seats: list[Tiles]
    row: list[Place]


def draw_opening(wording: Wording, scene: Scene) -> Opening | None:
    """None once the tiles lie, or where none are drafted."""
    views = [view for seat, view in enumerate(scene.after) if scene.sees(seat)] or [cover(scene.after[0])]
    if "draft" not in views[0]:
        return None
    places = len(views[0]["flags"])
    return Opening(
        seats=[draw_tiles(wording, scene, seat) for seat in range(len(scene.after))],
        row=[draw_place(wording, number, [view["row"] for view in views]) for number in range(places)],
    )


def cover(view: Json) -> Json:
    """The row as everybody sees it."""
    row = view.get("row", [])
    return {**view, "row": [place if place["up"] else {**place, "tile": None} for place in row]}


def draw_tiles(wording: Wording, scene: Scene, seat: int) -> Tiles:
    is_known = scene.sees(seat)
    draft = scene.after[seat]["draft"] if is_known else {"choices": [], "tiles": []}
    choices, kept = ([wording.tile(tile) for tile in draft[name]] for name in ("choices", "tiles"))
    return Tiles(seat, wording.seat(seat), is_known, choices, kept)


def draw_place(wording: Wording, number: int, rows: Sequence[Sequence[Json]]) -> Place:
    """A place as the onlooker knows it, who sees with the eyes of one seat or of both."""
    laid = [row[number] for row in rows if number < len(row)]
    tile = next((place["tile"] for place in laid if place["tile"]), None)
    return Place(number + 1, wording.tile(tile) if tile else None, bool(laid), bool(laid) and laid[0]["up"])
