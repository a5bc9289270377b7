"""The suits that tell the players apart, and cards as they are drawn and named."""

from collections.abc import Iterable
from functools import cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from arena.pages.games.cards import Face, draw_token

SUITS = (
    ("S", "spade", gettext_lazy("Spades")),
    ("H", "heart", gettext_lazy("Hearts")),
    ("D", "pip", gettext_lazy("Diamonds")),
    ("C", "club", gettext_lazy("Clubs")),
)
"""By seat: letter, shape and name. A player is called by its suit, as others are called White and Black."""
ORDER = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
HIDDEN = "?"


def name_seat(seat: int) -> str:
    return str(SUITS[seat][2])


def name_card(seat: int, card: str) -> str:
    return _("%(card)s of %(suit)s") % {"card": card, "suit": name_seat(seat).lower()}


def face_of(seat: int, card: str, is_new: bool = False) -> Face:
    """How a card of a seat looks; "?" face down."""
    letter, shape, _name = SUITS[seat]
    if card == HIDDEN:
        return Face("troop", "", "", _("face down"), "", is_new=is_new, is_back=True)
    return Face(letter, shape, card, name_card(seat, card), "", is_new=is_new)


def token(seat: int, card: str) -> SafeString:
    """The card within a sentence; read aloud it is its name."""
    return draw(seat, card, get_language())


def tokens(seat: int, cards: Iterable[str]) -> SafeString:
    return format_html_join(mark_safe(" "), "{}", ((token(seat, card),) for card in cards))


def in_order(cards: Iterable[str]) -> list[str]:
    """From the ace down, hidden ones last."""
    return sorted(cards, key=lambda card: ORDER.index(card) if card in ORDER else len(ORDER))


def hidden() -> SafeString:
    """Cards that may not be seen."""
    return format_html('<span class="token hidden-card" aria-hidden="true"></span> {}', _("face down"))


@cache
def draw(seat: int, card: str, language: str | None) -> SafeString:
    """A page of moves shows hundreds of them."""
    letter, shape, name = SUITS[seat]
    return draw_token(letter, shape, str(name), card)
