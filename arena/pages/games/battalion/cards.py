"""The suits that tell the players apart, and cards as they are drawn and named."""

from collections.abc import Iterable
from functools import cache, lru_cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from arena.pages.games.cards import Face, draw_legend, draw_token

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
    return draw_face(seat, card, is_new, get_language())


@cache
def draw_face(seat: int, card: str, is_new: bool, language: str | None) -> Face:
    letter, shape, _name = SUITS[seat]
    if card == HIDDEN:
        return Face("troop", "", "", _("face down"), "", is_new=is_new, is_back=True)
    return Face(letter, shape, card, name_card(seat, card), "", is_new=is_new, key=f"{letter}{card}")


def token(seat: int, card: str) -> SafeString:
    """The card within a sentence; read aloud it is its name."""
    return draw(seat, card, get_language())


def tokens(seat: int, cards: Iterable[str]) -> SafeString:
    return join(seat, tuple(cards), get_language())


@lru_cache(maxsize=512)
def join(seat: int, cards: tuple[str, ...], language: str | None) -> SafeString:
    """Piles stay as they are for many turns."""
    return format_html_join(mark_safe(" "), "{}", ((token(seat, card),) for card in cards))


def legend(players: int) -> SafeString:
    """The suits of the players, for those who don't know them yet."""
    return draw_legend(tuple((letter, shape, str(name)) for letter, shape, name in SUITS[:players]))


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
