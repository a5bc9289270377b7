"""Cards as small numbers, sets of cards as integers, and the names of cards, formations and seats in each edition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# Cards as small numbers, sets of cards as integers, and their public names.
#
# A troop is `10 * colour + value - 1`. The four morale cards follow, so that everything that can lie in a slot fits 64
# bits; then the tactics that never do. A set of slot cards is an integer with two banks of 64 bits: the first says
# "there", the second "there twice", which only a doubled deck needs.

LEADER_1: Final = 60
LEADER_2: Final = 61
CAVALRY: Final = 62
SHIELD: Final = 63
FOG: Final = 64
MUD: Final = 65
SCOUT: Final = 66
REDEPLOY: Final = 67
DESERTER: Final = 68
TRAITOR: Final = 69
FIRST_TACTIC: Final = LEADER_1

TACTIC_NAMES: Final = {
    LEADER_1: "leader-1",
    LEADER_2: "leader-2",
    CAVALRY: "cavalry",
    SHIELD: "shield",
    FOG: "fog",
    MUD: "mud",
    SCOUT: "scout",
    REDEPLOY: "redeploy",
    DESERTER: "deserter",
    TRAITOR: "traitor",
}
TEN_TACTICS: Final = tuple(TACTIC_NAMES)
TWELVE_TACTICS: Final = (*TEN_TACTICS, CAVALRY, SHIELD)

TROOP_DECK: Final = 0
TACTIC_DECK: Final = 1
DECK_NAMES: Final = ("troop", "tactic")

SECOND_COPY_SHIFT_BITS: Final = 64
FIRST_COPIES: Final = (1 << SECOND_COPY_SHIFT_BITS) - 1
"""The bank of a card set that says "there"."""
TROOP_SETS_BY_VALUE: Final = [
    sum(1 << 10 * colour + value - 1 for colour in range(6)) * (1 | 1 << SECOND_COPY_SHIFT_BITS) if value else 0
    for value in range(11)
]
"""The troops of each value as card sets, all copies."""


def is_troop(card: int) -> bool:
    """Return whether the card is a troop."""
    return card < FIRST_TACTIC


def is_leader(card: int) -> bool:
    """Return whether the card is a leader."""
    return card in (LEADER_1, LEADER_2)


def add_card(cards: int, card: int) -> int:
    """Return the set with one more copy of the card."""
    bit = 1 << card
    return cards | bit << SECOND_COPY_SHIFT_BITS if cards & bit else cards | bit


def remove_card(cards: int, card: int) -> int:
    """Return the set with one copy less of a card it holds."""
    second = 1 << card + SECOND_COPY_SHIFT_BITS
    return cards ^ second if cards & second else cards & ~(1 << card)


def remove_cards(cards: int, gone: int) -> int:
    """Return the set with as many copies less of each card as the set `gone`, a part of it, has."""
    second, second_gone = cards >> SECOND_COPY_SHIFT_BITS, gone >> SECOND_COPY_SHIFT_BITS
    once = cards & FIRST_COPIES & ~gone | second & ~second_gone
    return once | (second & ~gone) << SECOND_COPY_SHIFT_BITS


def count_copies(cards: int, card: int) -> int:
    """Return how many copies of the card are in the set."""
    return (cards >> card & 1) + (cards >> card + SECOND_COPY_SHIFT_BITS & 1)


def card_set(cards: Sequence[int]) -> int:
    """Return the set of these cards."""
    found = 0
    for card in cards:
        found = add_card(found, card)
    return found


def list_cards(cards: int) -> list[int]:
    """Return the cards of a set, lowest number first, copies side by side."""
    both = cards >> SECOND_COPY_SHIFT_BITS
    found = []
    for card in range(FIRST_TACTIC + 4):
        if cards >> card & 1:
            found.append(card)
            if both >> card & 1:
                found.append(card)
    return found


class CardNames:
    """The public names of the cards of one set of colours, both ways."""

    def __init__(self, colours: str) -> None:
        troops = {10 * c + v - 1: f"{letter}{v}" for c, letter in enumerate(colours) for v in range(1, 11)}
        self.of: dict[int, str] = {**troops, **TACTIC_NAMES}
        self.card: dict[str, int] = {name: card for card, name in self.of.items()}


CARD_NAMES_BY_COLOURS: Final = {colours: CardNames(colours) for colours in ("ROYGBP", "SHDC")}
"""Names by the `colours` option."""


# The names of formations, tactics, suits and seats in each edition. The ids on the wire are the same everywhere.


@dataclass(frozen=True, slots=True)
class EditionNames:
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

ANCIENT_NAMES: Final = EditionNames(
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
MEDIEVAL_NAMES: Final = EditionNames(
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
POKER_FORMATION_NAMES: Final = {
    "wedge": "Straight flush",
    "phalanx": "Three of a kind",
    "battalion": "Flush",
    "skirmish": "Straight",
    "host": "Sum",
}
PLAYING_CARD_NAMES: Final = EditionNames(
    formations=POKER_FORMATION_NAMES,
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

HIGHLAND_NAMES: Final = EditionNames(
    formations=POKER_FORMATION_NAMES,
    tactics=TACTIC_DISPLAY_NAMES,
    suits=SUIT_DISPLAY_NAMES,
    seats=("South", "North"),
)

NAMES_BY_EDITION: Final[Mapping[str, EditionNames]] = {
    "standard": ANCIENT_NAMES,
    "advanced": ANCIENT_NAMES,
    "short": PLAYING_CARD_NAMES,
    "long": PLAYING_CARD_NAMES,
    "medieval": MEDIEVAL_NAMES,
    "terrain": MEDIEVAL_NAMES,
    "hundred-years": MEDIEVAL_NAMES,
    "highlands": HIGHLAND_NAMES,
}

TILE_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    "castle": ("Castle", "%(seat_0)s needs one extra card; the highest is ignored"),
    "marshes": ("Marshes", "the other side loses a troop"),
    "river": ("River", "four cards"),
    "watchtower": ("Watchtower", "removes an adjacent troop"),
    "town": ("Town", "counts as two flags, adjacent to none"),
    "fields": ("Fields", "three troops drawn"),
    "fortress": ("Fortress", "%(seat_1)s needs one extra card; the highest is ignored"),
    "hills": ("Hills", "the lower sum wins"),
    "woodland": ("Woodland", "total only"),
}
"""Name and effect of each tile, in a few words, as templates with the names of the seats."""
