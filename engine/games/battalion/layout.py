"""The words of a laid out formation: `0=A,2=10/1=7 guard=5`, rows front to back."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.core import MalformedAction
from engine.games.battalion.cards import BY_NAME, NAMES
from engine.games.battalion.geometry import COLUMNS, LETTERS

NUMBER = re.compile(r"0|-?[1-9][0-9]?")
HIDDEN = re.compile(r"=[^,/ ]+")
LONGEST = 400
"""Characters of the longest text that is read at all."""

Cells = tuple[tuple[int, int], ...]
"""The half-column and the card of each cell of a row, left to right as the half-columns are."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows as they were asked for, in order and not checked; and the card beside them (0: none)."""

    rows: tuple[Cells, ...]
    beside: int
    where: str
    """What `beside` is, in words."""

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(x for x, _ in row) for row in self.rows)

    @property
    def cards(self) -> tuple[int, ...]:
        """Those of the rows, then the one beside them."""
        laid = tuple(card for row in self.rows for _, card in row)
        return laid + (self.beside,) if self.beside else laid

    def find_twice(self) -> tuple[int, int] | None:
        """The numbers in `cards` of two that are the same; None where all differ."""
        for second, card in enumerate(self.cards):
            if card in self.cards[:second]:
                return self.cards.index(card), second
        return None

    def name_place(self, number: int) -> str:
        """Where a card of `cards` is laid, in words."""
        for row, cells in enumerate(self.rows, 1):
            if number < len(cells):
                return f"in cell {row}{LETTERS[number]}" if number < COLUMNS else f"in row {row}"
            number -= len(cells)
        return self.where


@lru_cache(maxsize=1024)
def read_layout(text: str) -> Layout:
    """From `deploy ROWS guard=CARD`, `reform ROWS` or `reform ROWS hand=CARD`. Raises MalformedAction."""
    if len(text) > LONGEST:
        raise MalformedAction(f"{shorten(text)} is longer than any formation")
    verb, *words = text.split(" ")
    name, where = ("guard", "in the guard cell") if verb == "deploy" else ("hand", "in the hand")
    if len(words) not in ((2,) if verb == "deploy" else (1, 2)):
        raise MalformedAction(f"{shorten(text)} should read {FORMS[verb]}")
    rows = tuple(tuple(sorted(read_row(row, number))) for number, row in enumerate(words[0].split("/"), 1))
    if len(words) == 1:
        return Layout(rows, 0, where)
    key, equals, card = words[1].partition("=")
    if key != name or not equals:
        raise MalformedAction(f"{shorten(words[1])} should read {name}=CARD")
    return Layout(rows, read_card(card, f" in {name}=CARD"), where)


FORMS = {"deploy": "'deploy ROWS guard=CARD'", "reform": "'reform ROWS' or 'reform ROWS hand=CARD'"}


def read_row(text: str, number: int) -> Iterator[tuple[int, int]]:
    for cell in text.split(","):
        x, equals, card = cell.partition("=")
        if not equals or not NUMBER.fullmatch(x):
            raise MalformedAction(
                f"{shorten(cell)} in row {number} should read x=CARD with a whole number x from -99 to 99, "
                "cells separated by ',' and rows by '/'"
            )
        yield int(x), read_card(card, f" in row {number}")


def read_card(name: str, where: str = "") -> int:
    if name not in BY_NAME:
        raise MalformedAction(f"there is no card {shorten(name)}{where}; cards are {' '.join(BY_NAME)}")
    return BY_NAME[name]


def print_rows(rows: tuple[Cells, ...]) -> str:
    return "/".join(",".join(f"{x}={NAMES[card]}" for x, card in row) for row in rows)


def hide(text: str) -> str:
    """The same layout with every card `?`."""
    return HIDDEN.sub("=?", text)


def pack(text: str) -> int:
    """A layout's text as a move: its bytes as one number, larger than any other move."""
    return int.from_bytes(text.encode("ascii"), "big")


def unpack(move: int) -> str:
    return move.to_bytes((move.bit_length() + 7) // 8, "big").decode("ascii")


def shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
