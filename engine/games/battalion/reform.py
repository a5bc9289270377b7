"""Reform: lay the formation out anew, nearer to the emperor (BT-35)."""

from typing import Final

from engine.core import Refusal, refuse
from engine.games.battalion.cards import CARD_NAMES, list_cards
from engine.games.battalion.geometry import COLUMN_LETTERS, MAX_CELLS_PER_ROW, BadShape, build_shape
from engine.games.battalion.knowledge import Laid
from engine.games.battalion.layout import Cells, Layout, format_rows, read_layout
from engine.games.battalion.position import Side
from engine.message import gettext_noop

MAX_REFORMED_ROWS: Final = 2
MAX_REFORMED_CARDS: Final = MAX_REFORMED_ROWS * MAX_CELLS_PER_ROW + 1
"""With more in the formation, even one taken back leaves too many for two rows."""
EXAMPLE_FRONT_HELD: Final = 0
EXAMPLE_ONE_ROW: Final = 1
EXAMPLE_CARD_TO_HAND: Final = 2
"""The examples: as far in front as before where there is room; all in one row; the lowest card into the hand."""


def can_reform(side: Side) -> bool:
    """Return whether any reforming of the formation is possible."""
    return not side.reformed and 1 <= side.occupied.bit_count() <= MAX_REFORMED_CARDS


def list_example_reformings(side: Side) -> list[int]:
    """Return examples that differ from each other; at least one wherever a reforming is possible."""
    count = side.occupied.bit_count()
    found = [EXAMPLE_FRONT_HELD] if count < MAX_REFORMED_CARDS else []
    if count <= MAX_CELLS_PER_ROW and side.occupied & ~side.graph.back and side.occupied & side.graph.back:
        found.append(EXAMPLE_ONE_ROW)
    if count > 1:
        found.append(EXAMPLE_CARD_TO_HAND)
    return found


def build_example_reforming(side: Side, number: int) -> str:
    """Return the action string of an example."""
    cards = [card for _, card in side.laid_out()]
    taken = min(cards) if number == EXAMPLE_CARD_TO_HAND else 0
    before = [card for spot, card in side.laid_out() if count_rows_to_back(side, spot) and card != taken]
    behind = [card for spot, card in side.laid_out() if not count_rows_to_back(side, spot) and card != taken]
    kept = 0 if number == EXAMPLE_ONE_ROW else MAX_CELLS_PER_ROW
    rows = [before[:kept], before[kept:] + behind]
    cells: tuple[Cells, ...] = tuple(
        tuple((2 * column, card) for column, card in enumerate(row)) for row in rows if row
    )
    hand = f" hand={CARD_NAMES[taken]}" if taken else ""
    return f"reform {format_rows(cells)}{hand}"


def count_rows_to_back(side: Side, spot: int) -> int:
    """Return the number of rows between a cell and the back row."""
    assert side.shape is not None
    return len(side.shape.rows) - 1 - spot // MAX_CELLS_PER_ROW


def refuse_layout(side: Side, layout: Layout) -> Refusal | None:
    """Return why the formation can't be laid out like this, or None where it can."""
    if len(layout.rows) > MAX_REFORMED_ROWS:
        template = gettext_noop("a formation is laid out anew in at most two rows, not %(rows)s")
        return refuse(template, "BT-35", rows=len(layout.rows))
    return refuse_cards(side, layout) or refuse_shape(layout) or refuse_distances(side, layout)


def refuse_cards(side: Side, layout: Layout) -> Refusal | None:
    """Return why these are not the cards of the formation, or None where they are."""
    twice = layout.find_twice()
    if twice:
        first, second = (layout.describe_place(number) for number in twice)
        return refuse(
            gettext_noop("%(card)s lies %(first_place)s and %(second_place)s, but there is only one of it"),
            "BT-1",
            "BT-35",
            card=CARD_NAMES[layout.cards[twice[0]]],
            first_place=first,
            second_place=second,
        )
    laid = [card for _, card in side.laid_out()]
    for number, card in enumerate(layout.cards):
        if card not in laid:
            template = gettext_noop("%(card)s %(place)s is not a card of the formation")
            return refuse(template, "BT-35", card=CARD_NAMES[card], place=layout.describe_place(number))
    for spot, card in side.laid_out():
        if card not in layout.cards:
            return refuse(
                gettext_noop(
                    "%(card)s from cell %(cell)s is left out; all cards of the formation are laid out, except for one "
                    "that may be taken into the hand"
                ),
                "BT-35",
                card=CARD_NAMES[card],
                cell=f"{spot // MAX_CELLS_PER_ROW + 1}{COLUMN_LETTERS[spot % MAX_CELLS_PER_ROW]}",
            )
    return None


def refuse_distances(side: Side, layout: Layout) -> Refusal | None:
    """Return which card would come nearer to the front, counted from the back row, or None where none does."""
    for number, row in enumerate(layout.rows):
        rows_behind = len(layout.rows) - 1 - number
        for column, (_, card) in enumerate(row):
            if count_rows_to_back(side, side.spot_of(card)) < rows_behind:
                return refuse(
                    gettext_noop("%(card)s at cell %(cell)s would be farther from the back row than before"),
                    "BT-35",
                    card=CARD_NAMES[card],
                    cell=f"{number + 1}{COLUMN_LETTERS[column]}",
                )
    return None


def refuse_shape(layout: Layout) -> Refusal | None:
    """Return why the rows are not a formation, or None where they are."""
    try:
        build_shape(layout.columns)
    except BadShape as error:
        return refuse(
            gettext_noop("%(problem)s; a formation laid out anew keeps these limits too"),
            *error.refusal.rulings,
            "BT-35",
            problem=error.refusal.reason,
        )
    return None


def reform_formation(side: Side, text: str) -> None:
    """Lay the formation out anew by this action string, which has been checked."""
    layout = read_layout(text)
    taken = layout.beside
    shape = build_shape(layout.columns)
    cards = tuple(card for row in layout.rows for _, card in row)
    hidden = [spot for spot, card in zip(shape.spots, cards, strict=True) if not side.shown >> card & 1]
    back = MAX_CELLS_PER_ROW * (len(shape.rows) - 1)
    laid = Laid(
        {card: count_rows_to_back(side, spot) for spot, card in side.laid_out() if not side.shown >> card & 1},
        taken,
        tuple(spot for spot in hidden if spot < back),
        tuple(spot for spot in hidden if spot >= back),
    )
    side.knowledge = side.knowledge.lay_anew(laid, list_cards(side.hand))
    side.lay_out(shape, cards)
    if taken:
        side.hand |= 1 << taken
        side.shown &= ~(1 << taken)
    side.reformed = True
