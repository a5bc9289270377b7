"""A formation that is being laid out, as text: a `deploy` or `reform` action of which cards are still missing.

`deploy 0=A,2=,4=/1=7 guard= card=K`: the cells after `=` may be empty, and so may the guard; `card=` is the one chosen
to be laid next. With `cell=` beside it that card is laid there, which saves a script the arithmetic: such a text is
read as the draft after it. What a reforming takes into the hand is what is left over, so it isn't written.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from arena.pages.games.battalion.cards import CARD_NAMES_HIGH_TO_LOW
from arena.pages.games.battalion.layout import GUARD_CELL
from engine.games.battalion.cards import CARDS_BY_NAME, can_guard
from engine.games.battalion.formations import EXAMPLE_CARDS, EXAMPLE_GUARD, find_named
from engine.games.battalion.geometry import COLUMN_LETTERS, MAX_CELLS_PER_ROW, MAX_FORMATION_ROWS

DEPLOY, REFORM = "deploy", "reform"
HAND = "hand"
"""The place of cards that are not laid out."""
CELL_PATTERN = re.compile(r"(-?\d{1,2})=(A|K|Q|J|10|[2-9])?")
MAX_DRAWN_WIDTH = 18
"""Half-columns from the first to the last cell: no formation is wider than the widest drawing."""

DraftRow = tuple[tuple[int, str], ...]
"""Half-column and card of each cell, from left to right; an empty text where no card lies yet."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What has been laid out so far."""

    verb: str
    rows: tuple[DraftRow, ...]
    guard: str = ""
    """Empty with `reform`, which leaves the guard where it is."""
    held: str = ""
    """The card chosen to be laid next."""

    def __str__(self) -> str:
        words = [self.verb, self.shape, *([f"guard={self.guard}"] if self.verb == DEPLOY else [])]
        return " ".join([*words, *([f"card={self.held}"] if self.held else [])])

    @property
    def shape(self) -> str:
        """Return the rows as they are written."""
        return "/".join(",".join(f"{x}={card}" for x, card in row) for row in self.rows)

    def complete(self, cards: Sequence[str]) -> str:
        """Return the action as it would be sent, legal or not; `cards` are all that may be laid."""
        if self.verb == DEPLOY:
            return str(replace(self, held=""))
        left = [card for card in cards if card not in self.laid_cards]
        return " ".join([self.verb, self.shape, *(f"hand={card}" for card in left)])

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Return the half-columns of each row."""
        return tuple(tuple(x for x, _card in row) for row in self.rows)

    @property
    def cells(self) -> dict[str, str]:
        """Return the cards by the names of their cells, front to back; the guard's is the last one of a deployment."""
        cells = {name_cell(row, column): card for row, column, card in self.iterate_cells()}
        return {**cells, GUARD_CELL: self.guard} if self.verb == DEPLOY else cells

    def iterate_cells(self) -> Iterator[tuple[int, int, str]]:
        """Yield row, column and card of each cell, both counted from 0."""
        for number, row in enumerate(self.rows):
            for column, (_x, card) in enumerate(row):
                yield number, column, card

    def find_place(self, card: str) -> str:
        """Return the cell of a card, or HAND."""
        return next((cell for cell, laid in self.cells.items() if laid == card), HAND)

    @property
    def laid_cards(self) -> list[str]:
        """Return the cards that lie somewhere."""
        return [card for card in self.cells.values() if card]

    @property
    def empty_cells(self) -> list[str]:
        """Return the cells where no card lies yet, the guard's cell among them."""
        return [cell for cell, card in self.cells.items() if not card]

    def put(self, cell: str, card: str) -> "Draft":
        """Return the draft with this card in this cell, or none, whatever lay there before."""
        if cell == GUARD_CELL:
            return replace(self, guard=card)
        rows = tuple(
            tuple((x, card if name_cell(number, column) == cell else laid) for column, (x, laid) in enumerate(row))
            for number, row in enumerate(self.rows)
        )
        return replace(self, rows=rows)

    def lay(self, card: str, cell: str) -> "Draft":
        """Return the draft with a card laid in a cell; what lay there goes where the card came from."""
        before, replaced = self.find_place(card), self.cells[cell]
        draft = self.put(before, replaced) if before != HAND else self
        return replace(draft.put(cell, card), held="")

    def take_back(self, card: str) -> "Draft":
        """Return the draft without this card."""
        place = self.find_place(card)
        return replace(self.put(place, "") if place != HAND else self, held="")

    def with_columns(self, columns: Sequence[Sequence[int]]) -> "Draft":
        """Return the draft in another shape: the cards keep their order, and those without a cell are taken back."""
        cards = iter([card for _row, _column, card in self.iterate_cells() if card])
        rows = tuple(tuple((x, next(cards, "")) for x in row) for row in columns)
        return replace(self, rows=rows, held="")

    def fill(self, cards: Sequence[str]) -> "Draft":
        """Return the draft with its empty cells filled from these cards, in this order, without those laid already."""
        draft = self
        left = [card for card in cards if card not in self.laid_cards]
        if GUARD_CELL in draft.empty_cells:
            guard = next((card for card in left if can_guard(CARDS_BY_NAME[card])), "")
            left = [card for card in left if card != guard]
            draft = draft.put(GUARD_CELL, guard)
        for cell, card in zip(draft.empty_cells, left, strict=False):
            draft = draft.put(cell, card)
        return replace(draft, held="")


def name_cell(row: int, column: int) -> str:
    """Return the public name of a cell of a draft."""
    return f"{row + 1}{COLUMN_LETTERS[column]}"


def start_draft(verb: str, columns: Sequence[Sequence[int]]) -> Draft:
    """Return a draft of this shape without any card."""
    return Draft(verb, tuple(tuple((x, "") for x in row) for row in columns))


def read_draft(text: str) -> Draft | None:
    """Return the draft of a text, or None where it is not one: nobody but our own pages writes them."""
    verb, *words = text.split(" ")
    if verb not in (DEPLOY, REFORM) or not words:
        return None
    rows = read_rows(words[0])
    values = dict(word.partition("=")[::2] for word in words[1:])
    guard, held = values.get("guard", "") if verb == DEPLOY else "", values.get("card", "")
    if rows is None or any(card and card not in CARDS_BY_NAME for card in (guard, held)):
        return None
    draft = Draft(verb, rows, guard, held)
    if len(draft.laid_cards) != len(set(draft.laid_cards)):
        return None
    cell = values.get("cell", "")
    if held and cell == HAND:
        return draft.take_back(held)
    return draft.lay(held, cell) if held and cell in draft.cells else draft


def read_rows(text: str) -> tuple[DraftRow, ...] | None:
    """Return the rows of a draft; None where they can't be read or are more than any formation has."""
    rows = []
    for row in text.split("/"):
        found = [CELL_PATTERN.fullmatch(cell) for cell in row.split(",")]
        if not all(found) or len(found) > MAX_CELLS_PER_ROW:
            return None
        rows.append(tuple(sorted((int(cell[1]), cell[2] or "") for cell in found if cell)))
    columns = [[x for x, _card in row] for row in rows]
    return tuple(rows) if len(rows) <= MAX_FORMATION_ROWS and is_drawable(columns) else None


def is_drawable(columns: Sequence[Sequence[int]]) -> bool:
    """Return whether rows with these half-columns have room in a drawing."""
    found = [x for row in columns for x in row]
    return bool(found) and max(found) - min(found) <= MAX_DRAWN_WIDTH


def list_cards_to_fill(draft: Draft) -> list[str]:
    """Return the cards in the order in which they fill empty cells: the library's, where it has the shape."""
    named = find_named(draft.columns)
    cards, guard = (named.cards, named.guard) if named else (EXAMPLE_CARDS, EXAMPLE_GUARD)
    order = [guard, *cards.split()]
    return [*order, *(card for card in CARD_NAMES_HIGH_TO_LOW if card not in order)]
