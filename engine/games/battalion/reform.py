"""Reform: lay the formation out anew, nearer to the emperor (BT-35)."""

from engine.core import Refusal, refuse
from engine.games.battalion.cards import NAMES, spread
from engine.games.battalion.geometry import COLUMNS, LETTERS, BadShape, shape_of
from engine.games.battalion.knowledge import Laid
from engine.games.battalion.layout import Cells, Layout, print_rows, read_layout
from engine.games.battalion.position import Side
from engine.message import gettext_noop

MAX_ROWS = 2
MAX_CARDS = MAX_ROWS * COLUMNS + 1
"""With more in the formation, even one taken back leaves too many for two rows."""
HOLD, ONE_ROW, TAKE_BACK = range(3)
"""The examples: as far in front as before where there is room; all in one row; the lowest card into the hand."""


def can_reform(side: Side) -> bool:
    """Return whether any reforming of the formation is possible."""
    return not side.reformed and 1 <= side.occupied.bit_count() <= MAX_CARDS


def list_examples(side: Side) -> list[int]:
    """Return examples that differ from each other; at least one wherever a reforming is possible."""
    count = side.occupied.bit_count()
    found = [HOLD] if count < MAX_CARDS else []
    if count <= COLUMNS and side.occupied & ~side.graph.back and side.occupied & side.graph.back:
        found.append(ONE_ROW)
    if count > 1:
        found.append(TAKE_BACK)
    return found


def example(side: Side, number: int) -> str:
    """Return the action string of an example."""
    cards = [card for _, card in side.laid_out()]
    taken = min(cards) if number == TAKE_BACK else 0
    before = [card for spot, card in side.laid_out() if distance(side, spot) and card != taken]
    behind = [card for spot, card in side.laid_out() if not distance(side, spot) and card != taken]
    kept = 0 if number == ONE_ROW else COLUMNS
    rows = [before[:kept], before[kept:] + behind]
    cells: tuple[Cells, ...] = tuple(
        tuple((2 * column, card) for column, card in enumerate(row)) for row in rows if row
    )
    hand = f" hand={NAMES[taken]}" if taken else ""
    return f"reform {print_rows(cells)}{hand}"


def distance(side: Side, spot: int) -> int:
    """Return the number of rows between a cell and the back row."""
    assert side.shape is not None
    return len(side.shape.rows) - 1 - spot // COLUMNS


def refuse_layout(side: Side, layout: Layout) -> Refusal | None:
    """Return why the formation can't be laid out like this, or None where it can."""
    if len(layout.rows) > MAX_ROWS:
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
            card=NAMES[layout.cards[twice[0]]],
            first_place=first,
            second_place=second,
        )
    laid = [card for _, card in side.laid_out()]
    for number, card in enumerate(layout.cards):
        if card not in laid:
            template = gettext_noop("%(card)s %(place)s is not a card of the formation")
            return refuse(template, "BT-35", card=NAMES[card], place=layout.describe_place(number))
    for spot, card in side.laid_out():
        if card not in layout.cards:
            return refuse(
                gettext_noop(
                    "%(card)s from cell %(cell)s is left out; all cards of the formation are laid out, except for one "
                    "that may be taken into the hand"
                ),
                "BT-35",
                card=NAMES[card],
                cell=f"{spot // COLUMNS + 1}{LETTERS[spot % COLUMNS]}",
            )
    return None


def refuse_distances(side: Side, layout: Layout) -> Refusal | None:
    """Return which card would come nearer to the front, counted from the back row, or None where none does."""
    for number, row in enumerate(layout.rows):
        rows_behind = len(layout.rows) - 1 - number
        for column, (_, card) in enumerate(row):
            if distance(side, side.spot_of(card)) < rows_behind:
                return refuse(
                    gettext_noop("%(card)s at cell %(cell)s would be farther from the back row than before"),
                    "BT-35",
                    card=NAMES[card],
                    cell=f"{number + 1}{LETTERS[column]}",
                )
    return None


def refuse_shape(layout: Layout) -> Refusal | None:
    """Return why the rows are not a formation, or None where they are."""
    try:
        shape_of(layout.columns)
    except BadShape as error:
        return refuse(
            gettext_noop("%(problem)s; a formation laid out anew keeps these limits too"),
            *error.refusal.rulings,
            "BT-35",
            problem=error.refusal.reason,
        )
    return None


def reform(side: Side, text: str) -> None:
    """Lay the formation out anew by this action string, which has been checked."""
    layout = read_layout(text)
    taken = layout.beside
    shape = shape_of(layout.columns)
    cards = tuple(card for row in layout.rows for _, card in row)
    hidden = [spot for spot, card in zip(shape.spots, cards, strict=True) if not side.shown >> card & 1]
    back = COLUMNS * (len(shape.rows) - 1)
    laid = Laid(
        {card: distance(side, spot) for spot, card in side.laid_out() if not side.shown >> card & 1},
        taken,
        tuple(spot for spot in hidden if spot < back),
        tuple(spot for spot in hidden if spot >= back),
    )
    side.knowledge = side.knowledge.lay_anew(laid, spread(side.hand))
    side.lay_out(shape, cards)
    if taken:
        side.hand |= 1 << taken
        side.shown &= ~(1 << taken)
    side.reformed = True
