"""The nine terrain tiles (BL-60 to BL-70)."""

from typing import Final

CASTLE, MARSHES, RIVER, WATCHTOWER, TOWN, FIELDS, FORTRESS, HILLS, WOODLAND = TILES = (
    "castle",
    "marshes",
    "river",
    "watchtower",
    "town",
    "fields",
    "fortress",
    "hills",
    "woodland",
)

DEFENDING_SEAT_BY_TILE: Final = {CASTLE: 0, FORTRESS: 1}
"""The seat that defends a tile (BL-60)."""

FIELDS_DRAW_COUNT: Final = 3
TOWN_FLAG_COUNT: Final = 2
