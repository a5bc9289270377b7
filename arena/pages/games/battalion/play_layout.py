"""The screen on which a formation is laid out: a deployment, or a reforming, with the choice so far in the address."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.pages.games.battalion.army import describe_cell
from arena.pages.games.battalion.cards import CARD_NAMES_HIGH_TO_LOW, build_card_part, find_face, name_card
from arena.pages.games.battalion.layout import (
    GUARD_CELL,
    MIN_GRID_TRACKS,
    Layout,
    Spot,
    lay_out_formation,
)
from arena.pages.games.battalion.play_checks import Check, list_cards_left, list_checks, list_formation_cards
from arena.pages.games.battalion.play_draft import (
    DEPLOY,
    HAND,
    REFORM,
    Draft,
    is_drawable,
    list_cards_to_fill,
    name_cell,
    read_draft,
    start_draft,
)
from arena.pages.games.battalion.play_field import FieldCell, Line, Placement, draw_connections, put_guard_in_middle
from arena.pages.games.battalion.play_turn import Turn, build_url
from arena.pages.games.battalion.play_words import name_place
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.play.parts import Bar, Option, Stage
from arena.pages.play.table import Choice
from engine.games.battalion.cards import CARDS_BY_NAME, can_guard
from engine.games.battalion.formations import FORMATIONS, find_named, format_formation_index
from engine.games.battalion.geometry import MAX_CELLS_PER_ROW, MAX_FORMATION_ROWS, BadShape
from engine.games.battalion.reform import MAX_REFORMED_ROWS

FIRST_SHAPE = ((0, 2, 4),)
"""What a formation of one's own starts from."""


@dataclass(frozen=True, slots=True)
class CardToLay:
    """One of the cards that may be laid, with its place."""

    face: Face
    label: str
    place: str
    is_laid: bool
    is_held: bool
    url: str


@dataclass(frozen=True, slots=True)
class Template:
    """A formation of the library, drawn small, or the start of one's own."""

    name: str
    index: str
    url: str
    is_current: bool
    cells: tuple[tuple[int, int], ...]
    """Left and upper edge of each cell in the drawing; the guard's is the last one."""


@dataclass(frozen=True, slots=True)
class RowControl:
    """Links that change the shape of one row; empty where it can't be changed so."""

    number: int
    longer: str
    shorter: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class LayoutScreen:
    """All of the screen."""

    draft: str
    """The draft as text, for the script."""
    name: str
    index: str
    tracks: int
    ranks: int
    height: int
    lines: tuple[Line, ...]
    cells: tuple[FieldCell, ...]
    keep: str
    """Classes of the place of the guard."""
    cards: tuple[CardToLay, ...]
    checks: tuple[Check, ...]
    left_over: str
    """How many cards stay in the hand, in words."""
    templates: tuple[Template, ...]
    rows: tuple[RowControl, ...]
    own_row: str
    """The link that adds a row in front; empty where there is no room."""
    is_deployment: bool


def build_layout_screen(turn: Turn) -> tuple[LayoutScreen, Bar]:
    """Return the screen and the bar below it, for the draft that is chosen."""
    verb = DEPLOY if turn.view["decision"] == "deploy" else REFORM
    cards = list(CARD_NAMES_HIGH_TO_LOW) if verb == DEPLOY else list_formation_cards(turn.seen.sides[turn.near])
    draft = read_draft(" ".join(turn.table.chosen)) or start_reform(turn, verb)
    if draft is not None and draft.verb != verb:
        draft = None
    checks = tuple(list_checks(draft, turn.near, turn.seen.sides[turn.near])) if draft else ()
    screen = build_screen(turn, verb, draft, cards, checks)
    return screen, build_bar(turn, draft, cards, all(check.is_met for check in checks))


def start_reform(turn: Turn, verb: str) -> Draft | None:
    """Return what a reforming starts from: the engine's first example. A deployment starts from nothing."""
    example = next((action for action in turn.table.legal if action.startswith(REFORM)), "")
    return read_draft(example) if verb == REFORM else None


def link(draft: Draft) -> str:
    """Return the address of the table with this draft chosen."""
    return build_url(str(draft).split(" "), None, 0)


def build_screen(
    turn: Turn, verb: str, draft: Draft | None, cards: Sequence[str], checks: tuple[Check, ...]
) -> LayoutScreen:
    """Return the screen of a draft, or of none."""
    placement = Placement(lay_out_draft(draft), 0, 0, is_far=False) if draft else None
    named = find_named(draft.columns) if draft else None
    return LayoutScreen(
        draft=str(replace(draft, held="")) if draft else "",
        name=pgettext("named formation", named.name) if named else _("Your own") if draft else "",
        index=format_formation_index([len(row) for row in draft.rows]) if draft else "",
        tracks=placement.layout.tracks if placement else 0,
        ranks=placement.layout.ranks if placement else 0,
        height=placement.layout.height if placement else 0,
        lines=tuple(draw_connections(placement)) if placement else (),
        cells=tuple(build_cells(turn, draft, placement)) if draft and placement else (),
        keep=placement.classes(placement.layout.spots[GUARD_CELL]) if placement else "",
        cards=tuple(build_card(turn, draft, card) for card in cards),
        checks=checks,
        left_over=describe_left_over(draft, cards) if draft and verb == DEPLOY else "",
        templates=tuple(list_templates(draft)) if verb == DEPLOY else (),
        rows=tuple(list_row_controls(draft)) if draft else (),
        own_row=link(draft.with_columns((FIRST_SHAPE[0], *draft.columns))) if draft and has_room(draft) else "",
        is_deployment=verb == DEPLOY,
    )


def has_room(draft: Draft) -> bool:
    """Return whether the formation may have another row."""
    return len(draft.rows) < (MAX_FORMATION_ROWS if draft.verb == DEPLOY else MAX_REFORMED_ROWS)


def lay_out_draft(draft: Draft) -> Layout:
    """Return the drawing of a draft; without lines where its rows are no formation yet."""
    try:
        return put_guard_in_middle(lay_out_formation(draft.columns))
    except BadShape:
        left = min(x for row in draft.columns for x in row)
        width = 2 * (max(x for row in draft.columns for x in row) - left + 2)
        tracks = max(MIN_GRID_TRACKS, width)
        spots = {
            name_cell(number, column): Spot(number + 1, (tracks - width) // 2 + 2 * (x - left) + 1)
            for number, row in enumerate(draft.columns)
            for column, x in enumerate(row)
        }
        ranks = len(draft.rows) + 1
        return put_guard_in_middle(Layout(tracks, ranks, {**spots, GUARD_CELL: Spot(ranks, 1)}, ()))


def build_cells(turn: Turn, draft: Draft, placement: Placement) -> Iterator[FieldCell]:
    """Yield the cells, and the guard's at the end; without a link where nothing can be done."""
    cells = {**draft.cells, GUARD_CELL: draft.guard or turn.find_card(turn.near, GUARD_CELL)}
    for cell, card in cells.items():
        face = find_face(turn.near, card) if card else None
        is_fixed = cell == GUARD_CELL and draft.verb == REFORM
        is_refused = cell == GUARD_CELL and bool(draft.held) and not can_guard(CARDS_BY_NAME[draft.held])
        is_held = bool(card) and card == draft.held
        is_open = bool(draft.held) and not (is_fixed or is_refused or is_held)
        states = ["void" * (not card), "open" * is_open, "chosen" * is_held, "faded" * is_refused, "kept" * is_fixed]
        label = describe_cell(cell, face, False, "")
        words = {"card": name_card(turn.near, draft.held) if draft.held else "", "cell": label}
        yield FieldCell(
            key=cell,
            note=name_place(cell),
            classes=" ".join([placement.classes(placement.layout.spots[cell]), *filter(None, states)]),
            face=face,
            is_shown=False,
            label=_("Lay %(card)s there; %(cell)s") % words if is_open else label,
            url="" if is_fixed or is_refused else link_cell(draft, cell, card, is_open),
            is_pressed=is_held,
            is_target=is_open,
            ghost=f"{draft.held}?" if is_open and not card else "",
            reason=_("The guard must be a 2 to 10.") if is_refused else "",
        )


def link_cell(draft: Draft, cell: str, card: str, is_open: bool) -> str:
    """Return where a cell leads: it takes the held card, or its own card is held or let go."""
    if is_open:
        return link(draft.lay(draft.held, cell))
    return link(replace(draft, held="" if card == draft.held else card)) if card else ""


def build_card(turn: Turn, draft: Draft | None, card: str) -> CardToLay:
    """Return a card with its place."""
    place = draft.find_place(card) if draft else HAND
    is_held = draft is not None and draft.held == card
    shown = _("hand") if place == HAND else name_place(place)
    words = {"card": name_card(turn.near, card), "place": shown}
    return CardToLay(
        face=find_face(turn.near, card),
        label=(_("%(card)s, in your hand") if place == HAND else _("%(card)s, laid on %(place)s")) % words,
        place=shown,
        is_laid=place != HAND,
        is_held=is_held,
        url=link(replace(draft, held="" if is_held else card)) if draft else "",
    )


def describe_left_over(draft: Draft, cards: Sequence[str]) -> str:
    """Return how many cards stay in the hand."""
    count = len(cards) - len(draft.cells)
    return _("Cards that stay in your hand: %(count)s. You can reinforce with them.") % {"count": count}


def list_templates(draft: Draft | None) -> Iterator[Template]:
    """Yield the formations of the library, and the start of one's own."""
    named = find_named(draft.columns) if draft else None
    for formation in FORMATIONS:
        shape = draft.with_columns(formation.rows) if draft else start_draft(DEPLOY, formation.rows)
        yield Template(
            name=pgettext("named formation", formation.name),
            index=formation.index.replace("-0", ""),
            url=link(shape),
            is_current=formation is named,
            cells=tuple(draw_small(formation.rows)),
        )
    own = draft.with_columns(FIRST_SHAPE) if draft else start_draft(DEPLOY, FIRST_SHAPE)
    yield Template(_("Your own"), pgettext("formation", "free"), link(own), bool(draft and not named), ())


def draw_small(rows: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield the left and upper edges of the cells in a drawing 70 wide, and of the guard's."""
    middle = (max(map(max, rows)) + min(map(min, rows))) / 2
    top = 1 + 13 * (MAX_FORMATION_ROWS - len(rows)) // 2
    for number, row in enumerate(rows):
        for x in row:
            yield round(29 + 7 * (x - middle)), top + 13 * number
    yield 29, top + 13 * len(rows)


def list_row_controls(draft: Draft) -> Iterator[RowControl]:
    """Yield what can be changed in the shape of each row."""
    for number, row in enumerate(draft.columns):
        yield RowControl(
            number=number + 1,
            longer=link_row(draft, number, (*row, row[-1] + 2)) if len(row) < MAX_CELLS_PER_ROW else "",
            shorter=link_row(draft, number, row[:-1]) if len(row) + len(draft.rows) > 2 else "",
            left=link_row(draft, number, [x - 1 for x in row]),
            right=link_row(draft, number, [x + 1 for x in row]),
        )


def link_row(draft: Draft, number: int, row: Sequence[int]) -> str:
    """Return the address with another row in place of this one; without it where it is empty."""
    columns = [*draft.columns[:number], *([row] if row else []), *draft.columns[number + 1 :]]
    return link(draft.with_columns(columns)) if is_drawable(columns) else ""


def build_bar(turn: Turn, draft: Draft | None, cards: Sequence[str], is_ready: bool) -> Bar:
    """Return the bar: what to do next, laying the rest, taking back, and the button that ends it."""
    stages = (Stage(_("Formation"), is_now=draft is None), Stage(_("Cards"), is_now=draft is not None))
    if draft is None:
        return Bar(_("Choose a formation, or start one of your own."), stages)
    options = []
    if draft.empty_cells and list_cards_left(draft, cards):
        order = list_cards_to_fill(draft) if draft.verb == DEPLOY else cards
        options.append(Option(choose(draft.fill(order)), _("Lay the rest"), "l"))
    if draft.held and draft.find_place(draft.held) != HAND:
        options.append(Option(choose(draft.take_back(draft.held)), _("Take back"), "delete"))
    if is_ready:
        label = _("Deploy") if draft.verb == DEPLOY else _("Reform")
        options.append(Option(Choice(tuple(draft.complete(cards).split(" ")), True, False), label))
    return Bar(
        caption=write_caption(turn, draft, is_ready),
        stages=stages if draft.verb == DEPLOY else (),
        options=options,
        back=link(replace(draft, held="")) if draft.held else None if draft.verb == DEPLOY else "",
    )


def choose(draft: Draft) -> Choice:
    """Return the choice of a draft, which is a link."""
    return Choice(tuple(str(draft).split(" ")), False, True)


def write_caption(turn: Turn, draft: Draft, is_ready: bool) -> Sentence:
    """Return what to do next with a draft."""
    if draft.held:
        is_warned = draft.verb == DEPLOY and not can_guard(CARDS_BY_NAME[draft.held])
        guard = _(" It can’t be the guard.") if is_warned else ""
        return format_sentence(_("Choose a cell for {card}.") + guard, card=build_card_part(turn.near, draft.held))
    if is_ready:
        done = _("All is laid out. You can still change it.")
        return format_sentence(done if draft.verb == DEPLOY else _("Reform like this? Your turn ends."))
    return format_sentence(_("Choose a card, then its cell."))
