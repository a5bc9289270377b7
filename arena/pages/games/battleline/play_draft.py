"""The draft and the laying of tiles at a table at which one plays."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.pages.games.battleline.cards import Tag
from arena.pages.games.battleline.opening import Place, build_opening
from arena.pages.games.battleline.wording import Wording
from arena.pages.play.table import Choice, PlayTable


@dataclass(frozen=True, slots=True)
class HeldTile:
    """A tile that the reader can pick or lay, or has picked."""

    tag: Tag
    choice: Choice | None
    is_chosen: bool
    key: str


@dataclass(frozen=True, slots=True)
class Draft:
    """The row of tiles so far, and the reader's tiles."""

    row: Sequence[Place]
    tiles: Sequence[HeldTile]
    """Those of which one is chosen now."""
    kept: Sequence[Tag]
    """Those the reader has picked and not laid yet, while others are picked from."""


def build_draft(wording: Wording, table: PlayTable) -> Draft | None:
    """Return the draft as the reader sees it; None once the tiles lie, or where none are drafted."""
    opening = build_opening(wording, table.scene)
    if opening is None:
        return None
    if table.seat is None:
        return Draft(opening.row, (), ())
    draft = table.scene.after[table.seat]["draft"]
    verb, tiles = ("pick", draft["choices"]) if draft["choices"] else ("lay", draft["tiles"])
    shown = [
        HeldTile(
            tag=wording.tile(tile),
            choice=table.choose(verb, tile),
            is_chosen=table.chosen == (verb, tile),
            key="" if table.chosen else str(place),
        )
        for place, tile in enumerate(tiles, start=1)
    ]
    kept = [wording.tile(tile) for tile in draft["tiles"]] if verb == "pick" else []
    return Draft(opening.row, shown, kept)
