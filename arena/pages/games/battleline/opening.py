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
    """The tiles that a seat picks from, and those it has picked and not laid yet."""

    seat: int
    name: str
    is_known: bool
    choices: list[Tag]
    kept: list[Tag]


@dataclass(frozen=True, slots=True)
class Opening:
    """The state of the draft."""

    seats: list[Tiles]
    row: list[Place]


def build_opening(wording: Wording, scene: Scene) -> Opening | None:
    """Return the draft as the onlooker sees it; None once the tiles lie, or where none are drafted."""
    views = [view for seat, view in enumerate(scene.after) if scene.sees(seat)] or [hide_tiles(scene.after[0])]
    if "draft" not in views[0]:
        return None
    places = len(views[0]["flags"])
    return Opening(
        seats=[build_tiles(wording, scene, seat) for seat in range(len(scene.after))],
        row=[build_place(wording, number, [view["row"] for view in views]) for number in range(places)],
    )


def hide_tiles(view: Json) -> Json:
    """Return a view with the row as everybody sees it."""
    row = view.get("row", [])
    return {**view, "row": [place if place["up"] else {**place, "tile": None} for place in row]}


def build_tiles(wording: Wording, scene: Scene, seat: int) -> Tiles:
    """Return what a seat picks from and has picked, as far as the onlooker knows."""
    is_known = scene.sees(seat)
    draft = scene.after[seat]["draft"] if is_known else {"choices": [], "tiles": []}
    choices, kept = ([wording.tile(tile) for tile in draft[name]] for name in ("choices", "tiles"))
    return Tiles(seat, wording.seat(seat), is_known, choices, kept)


def build_place(wording: Wording, number: int, rows: Sequence[Sequence[Json]]) -> Place:
    """Return a place as the onlooker knows it, who sees with the eyes of one seat or of both."""
    laid = [row[number] for row in rows if number < len(row)]
    tile = next((place["tile"] for place in laid if place["tile"]), None)
    return Place(number + 1, wording.tile(tile) if tile else None, bool(laid), bool(laid) and laid[0]["up"])
