"""The suits that tell the players apart, and cards as they are drawn and named."""

from collections.abc import Iterable
from functools import cache

from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from arena.pages.games.cards import Face, Suit
from arena.pages.games.sentence import Part, Sentence, join_parts

SUITS_BY_SEAT = (
    Suit("S", "spade", gettext_lazy("Spades")),
    Suit("H", "heart", gettext_lazy("Hearts")),
    Suit("D", "pip", gettext_lazy("Diamonds")),
    Suit("C", "club", gettext_lazy("Clubs")),
)
"""By seat. A player is called by its suit, as others are called White and Black."""
CARD_NAMES_HIGH_TO_LOW = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
"""From the strongest to the weakest."""
HIDDEN_CARD = "?"


def name_seat(seat: int) -> str:
    """Return the name of a seat, which is that of its suit."""
    return str(SUITS_BY_SEAT[seat].name)


def name_card(seat: int, card: str) -> str:
    """Return the name of a card in full."""
    return _("%(card)s of %(suit)s") % {"card": card, "suit": name_seat(seat).lower()}


def find_face(seat: int, card: str, is_new: bool = False) -> Face:
    """Return how a card of a seat looks; "?" face down."""
    return build_face(seat, card, is_new, get_language())


@cache
def build_face(seat: int, card: str, is_new: bool, language: str | None) -> Face:
    """Return how a card looks. Kept by language: the same card lies in dozens of scenes."""
    suit = SUITS_BY_SEAT[seat]
    if card == HIDDEN_CARD:
        return Face("troop", "", "", _("face down"), "", is_new=is_new, is_back=True)
    return Face(suit.letter, suit.icon, card, name_card(seat, card), "", is_new=is_new, key=f"{suit.letter}{card}")


def build_card_part(seat: int, card: str) -> Part:
    """Return the card within a sentence; read aloud it is its name."""
    suit = SUITS_BY_SEAT[seat]
    return Part(card, suit.icon, suit.letter, str(suit.name))


def build_card_parts(seat: int, cards: Iterable[str]) -> Sentence:
    """Return cards of a seat side by side."""
    return join_parts(build_card_part(seat, card) for card in cards)


def sort_cards(cards: Iterable[str]) -> list[str]:
    """Return the cards from the ace down, hidden ones last."""
    return sorted(
        cards,
        key=lambda card: (
            CARD_NAMES_HIGH_TO_LOW.index(card) if card in CARD_NAMES_HIGH_TO_LOW else len(CARD_NAMES_HIGH_TO_LOW)
        ),
    )
