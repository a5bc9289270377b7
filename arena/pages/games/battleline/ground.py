"""Describe the ground of a flag, and find the card of a side that it leaves out. Reads flags as views show them."""

from collections.abc import Sequence

from arena.pages.games.battleline.cards import Tag
from arena.pages.games.battleline.wording import Wording
from engine.core import Json
from engine.games.battleline.cards import Names
from engine.games.battleline.formations import GROUND_IGNORES_HIGHEST, GROUND_LOW_SUM_WINS, GROUND_SUM_ONLY
from engine.games.battleline.tiles import DEFENDING_SEAT_BY_TILE, HILLS, WOODLAND
from engine.games.battleline.wild_cards import drop_ignored_card


def read_ground_flags(flag: Json, seat: int) -> int:
    """Return what the ground does to a side, as the engine's flags."""
    sums = GROUND_SUM_ONLY if flag["fog"] or flag["tile"] == WOODLAND else 0
    low = GROUND_LOW_SUM_WINS if flag["tile"] == HILLS else 0
    spare = GROUND_IGNORES_HIGHEST if DEFENDING_SEAT_BY_TILE.get(flag["tile"]) == seat else 0
    return sums | low | spare


def find_ignored_card(cards: Sequence[str], flag: Json, seat: int, names: Names) -> int | None:
    """Return the place of the card that does not count in a complete side (BL-60)."""
    ground = read_ground_flags(flag, seat)
    if not ground & GROUND_IGNORES_HIGHEST:
        return None
    held = [names.card[card] for card in cards]
    rest = drop_ignored_card(held, ground)
    return next(place for place in range(len(held)) if [*held[:place], *held[place + 1 :]] == rest)


def list_tags(flag: Json, wording: Wording) -> list[Tag]:
    """Return the labels of tile, Fog and Mud at a flag."""
    tile = [wording.tile(flag["tile"])] if flag["tile"] else []
    return tile + [wording.weather(card) for card in ("fog", "mud") if flag[card]]
