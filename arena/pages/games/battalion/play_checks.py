"""What a formation that is being laid out still lacks, as sentences that are ticked or open."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.messages import render_message
from arena.pages.games.battalion.cards import build_card_part, build_card_parts
from arena.pages.games.battalion.layout import GUARD_CELL
from arena.pages.games.battalion.play_draft import DEPLOY, Draft
from arena.pages.games.battalion.play_words import name_place
from arena.pages.games.sentence import Part, Sentence, format_sentence
from engine.core import Refusal
from engine.games.battalion.cards import CARDS_BY_NAME, can_guard
from engine.games.battalion.geometry import BadShape, build_shape, check_rows
from engine.games.battalion.layout import read_layout
from engine.games.battalion.position import Side
from engine.games.battalion.reform import MAX_REFORMED_ROWS, refuse_cards, refuse_distances


@dataclass(frozen=True, slots=True)
class Check:
    """A sentence about a formation, with the rulings it follows from."""

    is_met: bool
    text: Sentence
    rulings: tuple[str, ...]


def write(template: str, **values: object) -> Sentence:
    """Return the sentence of a translated template."""
    return format_sentence(template, **values)


def build_refused(refusal: Refusal) -> Check:
    """Return the open check of the engine's refusal."""
    return Check(False, Sentence((Part(render_message(refusal.reason)),)), refusal.rulings)


def list_checks(draft: Draft, seat: int, side: Side) -> list[Check]:
    """Return every condition of a deployment or a reforming, met or not; `side` is the seat's as it lies now."""
    shape = [check_row_lengths(draft), check_connections(draft)]
    if draft.verb == DEPLOY:
        return [*shape, check_guard(draft, seat), check_empty_cells(draft)]
    return [*shape, check_empty_cells(draft), check_cards_left(draft, seat, side), check_distances(draft, side)]


def check_row_lengths(draft: Draft) -> Check:
    """Check rows and cells against their limits, and the distances in a row."""
    limit = "BT-2" if draft.verb == DEPLOY else "BT-35"
    if draft.verb != DEPLOY and len(draft.rows) > MAX_REFORMED_ROWS:
        return Check(False, write(_("At most two rows")), (limit,))
    try:
        check_rows(draft.columns)
    except BadShape as error:
        return build_refused(error.refusal)
    rows = len(draft.rows)
    template = ngettext(
        "{count} row, with at most four cells in a row", "{count} rows, with at most four cells in a row", rows
    )
    return Check(True, write(template, count=rows), (limit,))


def check_connections(draft: Draft) -> Check:
    """Check that every cell can be reached from every other one."""
    try:
        build_shape(draft.columns)
    except BadShape as error:
        is_known = "BT-2" in error.refusal.rulings
        return Check(False, write(_("All cells connected")), ("BT-3",)) if is_known else build_refused(error.refusal)
    return Check(True, write(_("All cells connected")), ("BT-3",))


def check_guard(draft: Draft, seat: int) -> Check:
    """Check the card in the guard cell."""
    if not draft.guard or not can_guard(CARDS_BY_NAME[draft.guard]):
        return Check(False, write(_("The guard must be a 2 to 10.")), ("BT-2",))
    template = _("Guard: {card}, a card from 2 to 10")
    return Check(True, write(template, card=build_card_part(seat, draft.guard)), ("BT-2",))


def check_empty_cells(draft: Draft) -> Check:
    """Check that a card lies in every cell of the rows."""
    empty = [name_place(cell) for cell in draft.empty_cells if cell != GUARD_CELL]
    if not empty:
        return Check(True, write(_("A card in every cell")), ("BT-2",))
    template = ngettext("{count} cell is still empty: {cells}", "{count} cells are still empty: {cells}", len(empty))
    return Check(False, write(template, count=len(empty), cells=", ".join(empty)), ("BT-2",))


def list_cards_left(draft: Draft, cards: Sequence[str]) -> list[str]:
    """Return the cards that lie nowhere yet."""
    return [card for card in cards if card not in draft.laid_cards]


def check_cards_left(draft: Draft, seat: int, side: Side) -> Check:
    """Check that all cards of the formation are laid out anew, but for one at most."""
    left = list_cards_left(draft, list_formation_cards(side))
    if len(left) > 1:
        template = _("All cards laid out, except for one at most: {cards} are left")
        return Check(False, write(template, cards=build_card_parts(seat, left)), ("BT-35",))
    if left:
        return Check(True, write(_("{card} goes into the hand"), card=build_card_part(seat, left[0])), ("BT-35",))
    refused = refuse_cards(side, read_layout(draft.complete([]))) if not draft.empty_cells else None
    return build_refused(refused) if refused else Check(True, write(_("All cards laid out")), ("BT-35",))


def check_distances(draft: Draft, side: Side) -> Check:
    """Check that no card comes nearer to the front."""
    laid = [[(x, CARDS_BY_NAME[card]) for x, card in row if card] for row in draft.rows]
    known = set(list_formation_cards(side))
    if any(card not in known for card in draft.laid_cards):
        return Check(False, write(_("Only cards of the formation")), ("BT-35",))
    refused = refuse_distances(side, read_layout(draft.complete([]))) if all(laid) and not draft.empty_cells else None
    if refused:
        return build_refused(refused)
    return Check(not draft.empty_cells, write(_("No card farther from the back row than before")), ("BT-35",))


def list_formation_cards(side: Side) -> list[str]:
    """Return the names of the cards laid out, in the order of their cells."""
    names = {card: name for name, card in CARDS_BY_NAME.items()}
    return [names[card] for _spot, card in side.laid_out()]
