"""The nine terrain tiles (BL-60 to BL-70)."""

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

DEFENDER = {CASTLE: 0, FORTRESS: 1}
"""The seat that defends a tile (BL-60)."""

FIELDS_CARDS = 3
TOWN_FLAGS = 2
