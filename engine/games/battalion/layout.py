"""The text of a laid out formation: `0=A,2=10/1=7 guard=5`, rows front to back."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.core import MalformedAction
from engine.games.battalion.cards import CARD_NAMES, CARDS_BY_NAME
from engine.games.battalion.geometry import COLUMN_LETTERS, MAX_CELLS_PER_ROW
from engine.message import Message, Value, gettext_noop, message, quote

HALF_COLUMN_PATTERN: Final = re.compile(r"0|-?[1-9][0-9]?")
CARD_IN_CELL_PATTERN: Final = re.compile(r"=[^,/ ]+")
MAX_LAYOUT_LENGTH: Final = 400
"""Longer texts, in characters, are refused before they are read."""

Cells = tuple[tuple[int, int], ...]
"""The half-column and the card of each cell of a row, left to right as the half-columns are."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows as they were given, in order and not checked, and the card beside them (0: none)."""

    rows: tuple[Cells, ...]
    beside: int
    place_beside: Message
    """Where `beside` goes."""

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Return the half-columns of each row."""
        return tuple(tuple(x for x, _ in row) for row in self.rows)

    @property
    def cards(self) -> tuple[int, ...]:
        """Return the cards of the rows, then the one beside them."""
        laid = tuple(card for row in self.rows for _, card in row)
        return laid + (self.beside,) if self.beside else laid

    def find_twice(self) -> tuple[int, int] | None:
        """Return the positions in `cards` of two equal ones, or None where all differ."""
        for second, card in enumerate(self.cards):
            if card in self.cards[:second]:
                return self.cards.index(card), second
        return None

    def describe_place(self, number: int) -> Message:
        """Return where a card of `cards` is laid."""
        for row, cells in enumerate(self.rows, 1):
            if number < MAX_CELLS_PER_ROW and number < len(cells):
                return message(gettext_noop("in cell %(cell)s"), cell=f"{row}{COLUMN_LETTERS[number]}")
            if number < len(cells):
                return message(gettext_noop("in row %(row)s"), row=row)
            number -= len(cells)
        return self.place_beside


@lru_cache(maxsize=1024)
def read_layout(text: str) -> Layout:
    """Read `deploy ROWS guard=CARD`, `reform ROWS` or `reform ROWS hand=CARD`. Raises MalformedAction."""
    if len(text) > MAX_LAYOUT_LENGTH:
        raise MalformedAction(message(gettext_noop("%(action)s is longer than any formation"), action=quote(text)))
    verb, *words = text.split(" ")
    key, place = PLACES_BESIDE_FORMATION[verb]
    if len(words) not in ((2,) if verb == "deploy" else (1, 2)):
        raise MalformedAction(message(LAYOUT_FORM_TEXTS[verb], action=quote(text)))
    rows = tuple(tuple(sorted(read_row(row, number))) for number, row in enumerate(words[0].split("/"), 1))
    if len(words) == 1:
        return Layout(rows, 0, place)
    found, equals, card = words[1].partition("=")
    if found != key or not equals:
        raise MalformedAction(message(gettext_noop("%(word)s should read %(key)s=CARD"), word=quote(words[1]), key=key))
    if card not in CARDS_BY_NAME:
        raise unknown_card(
            card, gettext_noop("there is no card %(card)s in %(key)s=CARD; cards are %(cards)s"), key=key
        )
    return Layout(rows, CARDS_BY_NAME[card], place)


LAYOUT_FORM_TEXTS: Final = {
    "deploy": gettext_noop("%(action)s should read 'deploy ROWS guard=CARD'"),
    "reform": gettext_noop("%(action)s should read 'reform ROWS' or 'reform ROWS hand=CARD'"),
}
PLACES_BESIDE_FORMATION: Final = {
    "deploy": ("guard", message(gettext_noop("in the guard cell"))),
    "reform": ("hand", message(gettext_noop("in the hand"))),
}
"""By verb: the key of the card beside the rows, and where it goes."""


def read_row(text: str, number: int) -> Iterator[tuple[int, int]]:
    """Yield the half-column and card of each cell of a row. Raises MalformedAction."""
    for cell in text.split(","):
        x, equals, card = cell.partition("=")
        if not equals or not HALF_COLUMN_PATTERN.fullmatch(x):
            template = gettext_noop(
                "%(cell)s in row %(row)s should read x=CARD with a whole number x from -99 to 99, cells separated by "
                "',' and rows by '/'"
            )
            raise MalformedAction(message(template, cell=quote(cell), row=number))
        if card not in CARDS_BY_NAME:
            raise unknown_card(
                card, gettext_noop("there is no card %(card)s in row %(row)s; cards are %(cards)s"), row=number
            )
        yield int(x), CARDS_BY_NAME[card]


def read_card(name: str) -> int:
    """Return the card with this name. Raises MalformedAction."""
    if name not in CARDS_BY_NAME:
        raise unknown_card(name, gettext_noop("there is no card %(card)s; cards are %(cards)s"))
    return CARDS_BY_NAME[name]


def unknown_card(name: str, template: str, **values: Value) -> MalformedAction:
    """Return the error for a name that no card has."""
    return MalformedAction(message(template, card=quote(name), cards=" ".join(CARDS_BY_NAME), **values))


def format_rows(rows: tuple[Cells, ...]) -> str:
    """Return rows as text."""
    return "/".join(",".join(f"{x}={CARD_NAMES[card]}" for x, card in row) for row in rows)


def hide_cards(text: str) -> str:
    """Return the same layout with every card `?`."""
    return CARD_IN_CELL_PATTERN.sub("=?", text)


def pack_layout(text: str) -> int:
    """Return a layout's text as a move: its bytes as one number, larger than any other move."""
    return int.from_bytes(text.encode("ascii"), "big")


def unpack_layout(move: int) -> str:
    """Return the text that `pack_layout` made this move of."""
    return move.to_bytes((move.bit_length() + 7) // 8, "big").decode("ascii")
