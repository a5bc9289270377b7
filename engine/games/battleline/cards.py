"""Cards as small numbers, sets of cards as integers, and their public names.

A troop is `10 * colour + value - 1`. The four morale cards follow, so that everything that can lie in a slot fits 64
bits; then the tactics that never do. A set of slot cards is an integer with two banks of 64 bits: the first says
"there", the second "there twice", which only a doubled deck needs.
"""

from collections.abc import Sequence
from typing import Final

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


class Names:
    """The public names of the cards of one set of colours, both ways."""

    def __init__(self, colours: str) -> None:
        troops = {10 * c + v - 1: f"{letter}{v}" for c, letter in enumerate(colours) for v in range(1, 11)}
        self.of: dict[int, str] = {**troops, **TACTIC_NAMES}
        self.card: dict[str, int] = {name: card for card, name in self.of.items()}


CARD_NAMES_BY_COLOURS: Final = {colours: Names(colours) for colours in ("ROYGBP", "SHDC")}
"""Names by the `colours` option."""
