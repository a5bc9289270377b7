"""The names of formations, tactics, suits and seats in each edition. The ids on the wire are the same everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Names:
    """Display names by public id, in English."""

    formations: Mapping[str, str]
    tactics: Mapping[str, str]
    suits: Mapping[str, str]
    seats: tuple[str, str]


TACTIC_DISPLAY_NAMES: Final = {
    "leader-1": "Alexander",
    "leader-2": "Darius",
    "cavalry": "Companion Cavalry",
    "shield": "Shield Bearers",
    "fog": "Fog",
    "mud": "Mud",
    "scout": "Scout",
    "redeploy": "Redeploy",
    "deserter": "Deserter",
    "traitor": "Traitor",
}
SUIT_DISPLAY_NAMES: Final = {
    "R": "red",
    "O": "orange",
    "Y": "yellow",
    "G": "green",
    "B": "blue",
    "P": "purple",
    "S": "spades",
    "H": "hearts",
    "D": "diamonds",
    "C": "clubs",
}
"""Any edition may be played with six colours or with four suits."""

ANCIENT_NAMES: Final = Names(
    formations={
        "wedge": "Wedge",
        "phalanx": "Phalanx",
        "battalion": "Battalion",
        "skirmish": "Skirmish",
        "host": "Host",
    },
    tactics=TACTIC_DISPLAY_NAMES,
    suits=SUIT_DISPLAY_NAMES,
    seats=("South", "North"),
)
MEDIEVAL_NAMES: Final = Names(
    formations={
        "wedge": "Wedge",
        "phalanx": "Square",
        "battalion": "Column",
        "skirmish": "Skirmish",
        "host": "Fray",
    },
    tactics=TACTIC_DISPLAY_NAMES
    | {
        "leader-1": "King of England",
        "leader-2": "King of France",
        "cavalry": "Mercenary Cavalry",
        "shield": "Support Troops",
    },
    suits=SUIT_DISPLAY_NAMES,
    seats=("England", "France"),
)
PLAYING_CARD_NAMES: Final = Names(
    formations={
        "wedge": "Straight flush",
        "phalanx": "Three of a kind",
        "battalion": "Flush",
        "skirmish": "Straight",
        "host": "Sum",
    },
    tactics={
        "leader-1": "King (leader)",
        "leader-2": "King (leader)",
        "cavalry": "Queen (cavalry)",
        "shield": "Queen (shields)",
        "fog": "King (fog)",
        "mud": "King (mud)",
        "scout": "Jack (scout)",
        "redeploy": "Jack (redeploy)",
        "deserter": "Jack (deserter)",
        "traitor": "Jack (traitor)",
    },
    suits=SUIT_DISPLAY_NAMES,
    seats=("South", "North"),
)

NAMES_BY_EDITION: Final[Mapping[str, Names]] = {
    "standard": ANCIENT_NAMES,
    "advanced": ANCIENT_NAMES,
    "short": PLAYING_CARD_NAMES,
    "long": PLAYING_CARD_NAMES,
    "medieval": MEDIEVAL_NAMES,
    "terrain": MEDIEVAL_NAMES,
    "hundred-years": MEDIEVAL_NAMES,
}

TILE_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    "castle": ("Castle", "%(seat_0)s needs one card more, the highest is ignored"),
    "marshes": ("Marshes", "the other side loses a troop"),
    "river": ("River", "four cards"),
    "watchtower": ("Watchtower", "removes a troop beside it"),
    "town": ("Town", "two flags, beside none"),
    "fields": ("Fields", "three troops drawn"),
    "fortress": ("Fortress", "%(seat_1)s needs one card more, the highest is ignored"),
    "hills": ("Hills", "the lower sum wins"),
    "woodland": ("Woodland", "sum only"),
}
"""Name and effect of each tile, in a few words, as templates with the names of the seats."""
