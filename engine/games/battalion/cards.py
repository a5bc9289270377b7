"""The cards of one seat: 2 to 10 are their own numbers, then Jack, Queen, King and Ace. 0 is no card.

A set of cards is an integer with the bit `1 << card` for each.
"""

from functools import cache
from typing import Final

JACK: Final = 11
QUEEN: Final = 12
KING: Final = 13
ACE: Final = 14
CARDS_HIGH_TO_LOW: Final = tuple(range(ACE, 1, -1))
"""All thirteen, Ace first: the order of public lists."""
CARD_NAMES: Final = ("",) + tuple(str(card) for card in range(1, 11)) + ("J", "Q", "K", "A")
CARDS_BY_NAME: Final = {CARD_NAMES[card]: card for card in CARDS_HIGH_TO_LOW}
ALL_CARDS_SET: Final = sum(1 << card for card in CARDS_HIGH_TO_LOW)
HIGHEST_GUARD_CARD: Final = 10
"""The guard is a card from 2 up to this one (BT-2)."""
GUARD_CARDS_SET: Final = sum(1 << card for card in range(2, HIGHEST_GUARD_CARD + 1))
COMBAT_VALUES_BY_CARD: Final = (*range(11), 0, 10, 0, 11)
"""By card (BT-21). Jack and King are never compared."""
SKIPPING_QUEEN_VALUE: Final = 8
"""The value of a Queen that skips a cell (BT-22)."""


@cache
def list_cards(cards: int) -> tuple[int, ...]:
    """Return the cards of a set, Ace first."""
    return tuple(card for card in CARDS_HIGH_TO_LOW if cards >> card & 1)


def can_guard(card: int) -> bool:
    """Return whether the card can be the guard (BT-2)."""
    return 2 <= card <= HIGHEST_GUARD_CARD


def card_set(cards: tuple[int, ...]) -> int:
    """Return different cards as a set."""
    return sum(1 << card for card in cards)


def name_cards(cards: tuple[int, ...]) -> list[str]:
    """Return the names of these cards."""
    return [CARD_NAMES[card] for card in cards]
