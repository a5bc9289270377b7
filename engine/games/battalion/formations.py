"""The cards of a seat, the text of a laid out formation, and a library of named formations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, Final

from engine.core import MalformedAction
from engine.games.battalion.geometry import COLUMN_LETTERS, MAX_CELLS_PER_ROW, Rows
from engine.message import Message, Value, gettext_noop, message, quote

# The cards of one seat: 2 to 10 are their own numbers, then Jack, Queen, King and Ace. 0 is no card.
#
# A set of cards is an integer with the bit `1 << card` for each.

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


# The text of a laid out formation: `0=A,2=10/1=7 guard=5`, rows front to back.

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
        raise unknown_card(card, gettext_noop("%(key)s=CARD: no card %(card)s; cards are %(cards)s"), key=key)
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
                "%(cell)s in row %(row)s should read x=CARD, where x is a whole number from -99 to 99; "
                "separate cells with ',' and rows with '/'"
            )
            raise MalformedAction(message(template, cell=quote(cell), row=number))
        if card not in CARDS_BY_NAME:
            raise unknown_card(card, gettext_noop("row %(row)s: no card %(card)s; cards are %(cards)s"), row=number)
        yield int(x), CARDS_BY_NAME[card]


def read_card(name: str) -> int:
    """Return the card with this name. Raises MalformedAction."""
    if name not in CARDS_BY_NAME:
        raise unknown_card(name, gettext_noop("no card %(card)s; cards are %(cards)s"))
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


# A library of named formations with cards laid out in them, and the shapes that the actions of a leg lay out.

EXAMPLE_CARDS: Final = "10 A 8 Q 7 J 6 5 K 4 3 2"
"""Fill the cells of a formation without a name, front to back: strong cards first, as a King strikes from any cell."""
EXAMPLE_GUARD: Final = "9"


def format_formation_index(lengths: Sequence[int]) -> str:
    """Return the number of cells in each of three rows, from the front."""
    return "-".join(str(length) for length in [*lengths, 0, 0][:3])


@dataclass(frozen=True)
class Formation:
    """A shape by name. `cards` fills its cells front to back, left to right; the rest is the hand."""

    name: str
    rows: Rows
    cards: str
    guard: str

    @property
    def index(self) -> str:
        """Return the number of cells in each of three rows, from the front."""
        return format_formation_index([len(row) for row in self.rows])

    @property
    def picture(self) -> str:
        """Return the cells drawn as text, one line a row, the front first."""
        lines = []
        for row in self.rows:
            line = ""
            for x in row:
                line = line.ljust(2 * x) + "[ ]"
            lines.append(line)
        return "\n".join(lines)

    @cached_property
    def action(self) -> str:
        """Return the deployment as an action string."""
        cards = iter(self.cards.split())
        rows: tuple[Cells, ...] = tuple(tuple((x, CARDS_BY_NAME[next(cards)]) for x in row) for row in self.rows)
        return f"deploy {format_rows(rows)} guard={self.guard}"


FORMATIONS: Final = (
    Formation("Phalanx", ((0, 2, 4, 6), (0, 2, 4, 6), (1, 3, 5)), "10 A 8 7 5 Q J 6 4 K 3", "9"),
    Formation("Square", ((0, 2, 4), (0, 2, 4), (0, 2, 4)), "8 A 10 7 J 6 4 Q K", "9"),
    Formation("Shield", ((1, 3, 5), (0, 2, 4, 6), (1, 3, 5)), "A 9 10 7 J Q 8 5 K 6", "4"),
    Formation("Wedge", ((2,), (1, 3), (0, 2, 4)), "10 J A Q K 8", "9"),
    Formation("Funnel", ((0, 2, 4, 6), (1, 3, 5), (2, 4)), "9 A 7 10 J 6 Q K 5", "8"),
    Formation("Arrow", ((0, 2, 4), (1, 3), (2,)), "10 A 8 Q J K", "9"),
    Formation("Hexagon", ((1, 3), (0, 2, 4), (1, 3)), "A 10 8 Q J 7 K", "9"),
    Formation("Cross", ((2,), (0, 2, 4), (2,)), "10 9 A J Q", "8"),
    Formation("Hourglass", ((0, 2, 4), (2,), (0, 2, 4)), "8 A 10 J 7 Q 6", "9"),
    Formation("Horns", ((0, 2, 6, 8), (1, 3, 5, 7)), "10 8 7 A 6 Q J 9", "5"),
    Formation("Bridge", ((0, 2, 4, 6), (0, 6)), "A 8 7 10 Q J", "9"),
    Formation("Box", ((0, 2), (0, 2)), "A 10 Q J", "8"),
    Formation("Column", ((0,), (0,), (0,)), "10 J Q", "9"),
    Formation("Line", ((0, 2, 4, 6),), "10 A 9 Q", "8"),
)
"""Full ones first, then such with a larger hand."""
LIBRARY: Final = {formation.rows: formation for formation in FORMATIONS}
"""By shape, as `canonical` gives it."""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A shape that a seat has laid out."""

    seat: int
    verb: str
    """`deploy` or `reform`."""
    rows: Rows


def canonical(rows: Sequence[Sequence[int]]) -> Rows:
    """Return a shape with its smallest half-column at 0, and the same for its mirror image.

    The rules know no left or right (BT-3, BT-4): a shape and its mirror image are the same formation.
    """
    columns = [x for row in rows for x in row]
    left, right = min(columns), max(columns)
    shifted = tuple(tuple(sorted(x - left for x in row)) for row in rows)
    mirrored = tuple(tuple(sorted(right - x for x in row)) for row in rows)
    return min(shifted, mirrored)


def find_named(rows: Sequence[Sequence[int]]) -> Formation | None:
    """Return the formation of the library with this shape, or None."""
    return LIBRARY.get(canonical(rows))


def print_shape(rows: Rows) -> str:
    """Return a shape as text: the half-columns of each row, front to back, as in "0,2,4/1,3"."""
    return "/".join(",".join(map(str, row)) for row in rows)


def read_shape(text: str) -> Rows:
    """Return the shape that `print_shape` wrote."""
    return tuple(tuple(int(x) for x in row.split(",")) for row in text.split("/"))


def count_hand(rows: Rows) -> int:
    """Return how many cards stay in the hand when this shape is deployed."""
    return len(CARDS_HIGH_TO_LOW) - 1 - sum(len(row) for row in rows)


def example_of(rows: Rows) -> str:
    """Return an action that deploys this shape."""
    named = find_named(rows)
    example = named or Formation("", rows, EXAMPLE_CARDS, EXAMPLE_GUARD)
    return example.action


def list_laid_out(actions: Iterable[Mapping[str, Any]]) -> Iterator[LaidOut]:
    """Yield the shape of each deployment and each reforming among the actions of a record, in their order."""
    for entry in actions:
        verb = entry["action"].partition(" ")[0]
        if verb in PLACES_BESIDE_FORMATION:
            yield LaidOut(entry["seat"], verb, canonical(read_layout(entry["action"]).columns))
