"""The screen on which a formation of Battalion is laid out: a deployment or a reforming, and what it still lacks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from arena.core.messages import gettext as _
from arena.core.messages import ngettext, pgettext, render_message
from arena.pages.games.battalion.board import (
    CARD_NAMES_HIGH_TO_LOW,
    GUARD_CELL,
    MIN_GRID_TRACKS,
    CardSpot,
    FormationLayout,
    build_card_part,
    build_card_parts,
    describe_cell,
    find_face,
    lay_out_formation,
    name_card,
)
from arena.pages.games.battalion.play_field import (
    ArmyPlacement,
    FieldCell,
    FieldLine,
    draw_connections,
    put_guard_in_middle,
)
from arena.pages.games.battalion.play_turn import (
    CARD_HELP,
    DEPLOY_VERB,
    IN_HAND,
    REFORM_VERB,
    FormationDraft,
    Turn,
    build_url,
    is_drawable,
    list_cards_to_fill,
    name_draft_cell,
    name_place,
    read_draft,
    start_draft,
)
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Part, Sentence, format_sentence
from arena.pages.play.parts import Bar, Option, Stage
from arena.pages.play.table import Choice
from engine.core import Refusal
from engine.games.battalion.formations import (
    CARDS_BY_NAME,
    FORMATIONS,
    can_guard,
    find_named,
    format_formation_index,
    read_layout,
)
from engine.games.battalion.geometry import MAX_CELLS_PER_ROW, MAX_FORMATION_ROWS, BadShape, build_shape, check_rows
from engine.games.battalion.moves import MAX_REFORMED_ROWS, refuse_cards, refuse_distances
from engine.games.battalion.position import Army

# What a formation that is being laid out still lacks, as sentences that are ticked or open.


@dataclass(frozen=True, slots=True)
class FormationCheck:
    """A sentence about a formation, with the rulings it follows from."""

    is_met: bool
    text: Sentence
    rulings: tuple[str, ...]
    about: str = ""
    """What it depends on beside the shape: `guard`, `cells` or nothing."""


def write_check(template: str, **values: object) -> Sentence:
    """Return the sentence of a translated template."""
    return format_sentence(template, **values)


def build_refused(refusal: Refusal) -> FormationCheck:
    """Return the open check of the engine's refusal."""
    return FormationCheck(False, Sentence((Part(render_message(refusal.reason)),)), refusal.rulings)


def list_checks(draft: FormationDraft, seat: int, side: Army) -> list[FormationCheck]:
    """Return every condition of a deployment or a reforming, met or not; `side` is the seat's as it lies now."""
    shape = [check_row_lengths(draft), check_connections(draft)]
    if draft.verb == DEPLOY_VERB:
        return [*shape, check_guard(draft, seat), check_empty_cells(draft)]
    return [*shape, check_empty_cells(draft), check_cards_left(draft, seat, side), check_distances(draft, side)]


def check_row_lengths(draft: FormationDraft) -> FormationCheck:
    """Check rows and cells against their limits, and the distances in a row."""
    limit = "BT-2" if draft.verb == DEPLOY_VERB else "BT-35"
    if draft.verb != DEPLOY_VERB and len(draft.rows) > MAX_REFORMED_ROWS:
        return FormationCheck(False, write_check(_("At most two rows")), (limit,))
    try:
        check_rows(draft.columns)
    except BadShape as error:
        return build_refused(error.refusal)
    rows = len(draft.rows)
    template = ngettext("{count} row of at most four cells", "{count} rows of at most four cells", rows)
    return FormationCheck(True, write_check(template, count=rows), (limit,))


def check_connections(draft: FormationDraft) -> FormationCheck:
    """Check that every cell can be reached from every other one."""
    try:
        build_shape(draft.columns)
    except BadShape as error:
        is_known = "BT-2" in error.refusal.rulings
        return (
            FormationCheck(False, write_check(_("All cells connected")), ("BT-3",))
            if is_known
            else build_refused(error.refusal)
        )
    return FormationCheck(True, write_check(_("All cells connected")), ("BT-3",))


def check_guard(draft: FormationDraft, seat: int) -> FormationCheck:
    """Check the card in the guard cell."""
    if not draft.guard or not can_guard(CARDS_BY_NAME[draft.guard]):
        return FormationCheck(False, write_check(_("The guard must be a card from 2 to 10.")), ("BT-2",), "guard")
    template = _("Guard: {card}, a card from 2 to 10")
    return FormationCheck(True, write_check(template, card=build_card_part(seat, draft.guard)), ("BT-2",), "guard")


def check_empty_cells(draft: FormationDraft) -> FormationCheck:
    """Check that a card lies in every cell of the rows."""
    empty = [name_place(cell) for cell in draft.empty_cells if cell != GUARD_CELL]
    if not empty:
        return FormationCheck(True, write_check(_("A card in every cell")), ("BT-2",), "cells")
    template = count_empty_cells(len(empty))
    return FormationCheck(False, write_check(template, count=len(empty), cells=", ".join(empty)), ("BT-2",), "cells")


def count_empty_cells(count: int) -> str:
    """Return the template of the sentence about so many empty cells."""
    return ngettext("{count} cell is still empty: {cells}", "{count} cells are still empty: {cells}", count)


def list_cards_left(draft: FormationDraft, cards: Sequence[str]) -> list[str]:
    """Return the cards that lie nowhere yet."""
    return [card for card in cards if card not in draft.laid_cards]


def check_cards_left(draft: FormationDraft, seat: int, side: Army) -> FormationCheck:
    """Check that all cards of the formation are laid out anew, but for one at most."""
    left = list_cards_left(draft, list_formation_cards(side))
    if len(left) > 1:
        template = _("All cards laid out, except at most one: {cards} left")
        return FormationCheck(False, write_check(template, cards=build_card_parts(seat, left)), ("BT-35",))
    if left:
        return FormationCheck(
            True, write_check(_("{card} goes to your hand"), card=build_card_part(seat, left[0])), ("BT-35",)
        )
    refused = refuse_cards(side, read_layout(draft.complete([]))) if not draft.empty_cells else None
    return build_refused(refused) if refused else FormationCheck(True, write_check(_("All cards laid out")), ("BT-35",))


def check_distances(draft: FormationDraft, side: Army) -> FormationCheck:
    """Check that no card comes nearer to the front."""
    laid = [[(x, CARDS_BY_NAME[card]) for x, card in row if card] for row in draft.rows]
    known = set(list_formation_cards(side))
    if any(card not in known for card in draft.laid_cards):
        return FormationCheck(False, write_check(_("Only the formation's cards")), ("BT-35",))
    refused = refuse_distances(side, read_layout(draft.complete([]))) if all(laid) and not draft.empty_cells else None
    if refused:
        return build_refused(refused)
    return FormationCheck(
        not draft.empty_cells, write_check(_("No card farther from the back row than before")), ("BT-35",)
    )


def list_formation_cards(side: Army) -> list[str]:
    """Return the names of the cards laid out, in the order of their cells."""
    names = {card: name for name, card in CARDS_BY_NAME.items()}
    return [names[card] for _spot, card in side.laid_out()]


# The screen on which a formation is laid out: a deployment, or a reforming, with the choice so far in the address.

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
class FormationTemplate:
    """A formation of the library, drawn small, or the start of one's own."""

    name: str
    index: str
    url: str
    shape: str
    """Its shape without any card, for the script."""
    is_current: bool
    cells: tuple[tuple[int, int], ...]
    """Left and upper edge of each cell in the drawing; the guard's is the last one."""


@dataclass(frozen=True, slots=True)
class RowControl:
    """Links that change the shape of one row, by what they do; empty where it can't be changed so."""

    number: int
    links: tuple[tuple[str, str, str, str], ...]
    """What each does in the script's word, its address, its sign and its name."""


@dataclass(frozen=True, slots=True)
class LayoutWords:
    """What the script says of cells and cards, each with places for both."""

    guards: str
    """The cards that can be the guard."""
    empty: str
    laid: str
    put: str
    in_hand: str
    placed: str
    hand: str
    guard: str
    guard_met: str
    guard_open: str
    cells_met: str
    cells_one: str
    cells_many: str


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
    lines: tuple[FieldLine, ...]
    cells: tuple[FieldCell, ...]
    keep: str
    """Classes of the place of the guard."""
    cards: tuple[CardToLay, ...]
    checks: tuple[FormationCheck, ...]
    left_over: str
    """How many cards stay in the hand, in words."""
    templates: tuple[FormationTemplate, ...]
    rows: tuple[RowControl, ...]
    own_row: str
    """The link that adds a row in front; empty where there is no room."""
    is_deployment: bool
    ready: tuple[int, ...]
    """The seats that are known to have deployed."""
    shape: str
    """The shape without any card."""
    order: str
    """The cards in the order in which they fill empty cells."""
    sketches: tuple["LayoutScreen", ...] = ()
    """Without any card: the shapes that the page has at hand."""
    captions: tuple[tuple[str, Sentence], ...] = ()
    """What the caption says while each card is held, by the card, and while none is, by nothing and by `ready`."""
    words: LayoutWords | None = None


def build_layout_screen(turn: Turn) -> tuple[LayoutScreen, Bar]:
    """Return the screen and the bar below it, for the draft that is chosen."""
    verb = DEPLOY_VERB if turn.view["decision"] == "deploy" else REFORM_VERB
    cards = list(CARD_NAMES_HIGH_TO_LOW) if verb == DEPLOY_VERB else list_formation_cards(turn.seen.sides[turn.near])
    draft = read_draft(" ".join(turn.table.chosen)) or start_reform(turn, verb)
    if draft is not None and draft.verb != verb:
        draft = None
    checks = tuple(list_checks(draft, turn.near, turn.seen.sides[turn.near])) if draft else ()
    screen = build_screen_of_draft(turn, verb, draft, cards, checks)
    if verb == DEPLOY_VERB:
        screen = replace(screen, sketches=tuple(list_sketches(turn, draft, cards)), captions=tuple(list_captions(turn)))
        screen = replace(screen, words=build_layout_words())
    return screen, build_layout_bar(turn, draft, cards, all(check.is_met for check in checks))


def list_sketches(turn: Turn, draft: FormationDraft | None, cards: Sequence[str]) -> Iterator[LayoutScreen]:
    """Yield the screen without any card in each shape of the library, in the free one, and in the draft's own."""
    shapes = [formation.rows for formation in FORMATIONS] + [FIRST_SHAPE] + ([draft.columns] if draft else [])
    for rows in dict.fromkeys(tuple(tuple(row) for row in shape) for shape in shapes):
        sketch = start_draft(DEPLOY_VERB, rows)
        checks = tuple(list_checks(sketch, turn.near, turn.seen.sides[turn.near]))
        screen = build_screen_of_draft(turn, DEPLOY_VERB, sketch, cards, checks)
        yield replace(screen, cells=tuple(replace(cell, url="?") for cell in screen.cells))


def list_captions(turn: Turn) -> Iterator[tuple[str, Sentence]]:
    """Yield what the caption says of a deployment, whatever is laid out."""
    sketch = start_draft(DEPLOY_VERB, FIRST_SHAPE)
    yield "", write_layout_caption(turn, sketch, is_ready=False)
    yield "ready", write_layout_caption(turn, sketch, is_ready=True)
    for card in CARD_NAMES_HIGH_TO_LOW:
        yield card, write_layout_caption(turn, replace(sketch, held=card), is_ready=False)


def build_layout_words() -> LayoutWords:
    """Return what the script says of cells and cards."""
    words = {"cell": "{cell}", "card": "{card}", "place": "{place}"}
    return LayoutWords(
        guards=" ".join(card for card in CARD_NAMES_HIGH_TO_LOW if can_guard(CARDS_BY_NAME[card])),
        empty=_("%(cell)s: empty") % words,
        laid=_("%(cell)s: %(card)s") % words,
        put=_("Put %(card)s here; %(cell)s") % words,
        in_hand=_("%(card)s, in your hand") % words,
        placed=_("%(card)s, on %(place)s") % words,
        hand=_("hand"),
        guard=name_place(GUARD_CELL),
        guard_met=_("Guard: {card}, a card from 2 to 10"),
        guard_open=_("The guard must be a card from 2 to 10."),
        cells_met=_("A card in every cell"),
        cells_one=count_empty_cells(1),
        cells_many=count_empty_cells(2),
    )


def start_reform(turn: Turn, verb: str) -> FormationDraft | None:
    """Return what a reforming starts from: the engine's first example. A deployment starts from nothing."""
    example = next((action for action in turn.table.legal if action.startswith(REFORM_VERB)), "")
    return read_draft(example) if verb == REFORM_VERB else None


def link_draft(draft: FormationDraft) -> str:
    """Return the address of the table with this draft chosen."""
    return build_url(str(draft).split(" "), None, 0)


def build_screen_of_draft(
    turn: Turn, verb: str, draft: FormationDraft | None, cards: Sequence[str], checks: tuple[FormationCheck, ...]
) -> LayoutScreen:
    """Return the screen of a draft, or of none."""
    placement = ArmyPlacement(lay_out_draft(draft), 0, 0, is_far=False) if draft else None
    named = find_named(draft.columns) if draft else None
    return LayoutScreen(
        draft=str(replace(draft, held="")) if draft else "",
        name=pgettext("named formation", named.name) if named else _("Your own") if draft else "",
        index=format_formation_index([len(row) for row in draft.rows]) if draft else "",
        tracks=placement.layout.tracks if placement else 0,
        ranks=placement.layout.ranks if placement else 0,
        height=placement.layout.height if placement else 0,
        lines=tuple(draw_connections(placement)) if placement else (),
        cells=tuple(build_draft_cells(turn, draft, placement)) if draft and placement else (),
        keep=placement.classes(placement.layout.spots[GUARD_CELL]) if placement else "",
        cards=tuple(build_card_to_lay(turn, draft, card) for card in cards),
        checks=checks,
        left_over=describe_left_over(draft, cards) if draft and verb == DEPLOY_VERB else "",
        templates=tuple(list_templates(draft)) if verb == DEPLOY_VERB else (),
        rows=tuple(list_row_controls(draft)) if draft else (),
        own_row=link_draft(draft.with_columns((FIRST_SHAPE[0], *draft.columns))) if draft and has_room(draft) else "",
        is_deployment=verb == DEPLOY_VERB,
        ready=tuple(range(turn.view["to_move"])) if verb == DEPLOY_VERB else (),
        shape=draft.empty_shape if draft else "",
        order=" ".join(list_cards_to_fill(draft)) if draft and verb == DEPLOY_VERB else "",
    )


def has_room(draft: FormationDraft) -> bool:
    """Return whether the formation may have another row."""
    return len(draft.rows) < (MAX_FORMATION_ROWS if draft.verb == DEPLOY_VERB else MAX_REFORMED_ROWS)


def lay_out_draft(draft: FormationDraft) -> FormationLayout:
    """Return the drawing of a draft; without lines where its rows are no formation yet."""
    try:
        return put_guard_in_middle(lay_out_formation(draft.columns))
    except BadShape:
        left = min(x for row in draft.columns for x in row)
        width = 2 * (max(x for row in draft.columns for x in row) - left + 2)
        tracks = max(MIN_GRID_TRACKS, width)
        spots = {
            name_draft_cell(number, column): CardSpot(number + 1, (tracks - width) // 2 + 2 * (x - left) + 1)
            for number, row in enumerate(draft.columns)
            for column, x in enumerate(row)
        }
        ranks = len(draft.rows) + 1
        return put_guard_in_middle(FormationLayout(tracks, ranks, {**spots, GUARD_CELL: CardSpot(ranks, 1)}, ()))


def build_draft_cells(turn: Turn, draft: FormationDraft, placement: ArmyPlacement) -> Iterator[FieldCell]:
    """Yield the cells, and the guard's at the end; without a link where nothing can be done."""
    cells = {**draft.cells, GUARD_CELL: draft.guard or turn.find_card(turn.near, GUARD_CELL)}
    for cell, card in cells.items():
        face = find_face(turn.near, card) if card else None
        is_fixed = cell == GUARD_CELL and draft.verb == REFORM_VERB
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
            label=_("Put %(card)s here; %(cell)s") % words if is_open else label,
            url="" if is_fixed or is_refused else link_cell(draft, cell, card, is_open),
            is_pressed=is_held,
            is_target=is_open,
            ghost=f"{draft.held}?" if is_open and not card else "",
            reason=_("The guard must be a card from 2 to 10.") if is_refused else "",
        )


def link_cell(draft: FormationDraft, cell: str, card: str, is_open: bool) -> str:
    """Return where a cell leads: it takes the held card, or its own card is held or let go."""
    if is_open:
        return link_draft(draft.lay(draft.held, cell))
    return link_draft(replace(draft, held="" if card == draft.held else card)) if card else ""


def build_card_to_lay(turn: Turn, draft: FormationDraft | None, card: str) -> CardToLay:
    """Return a card with its place."""
    place = draft.find_place(card) if draft else IN_HAND
    is_held = draft is not None and draft.held == card
    shown = _("hand") if place == IN_HAND else name_place(place)
    words = {"card": name_card(turn.near, card), "place": shown}
    return CardToLay(
        face=find_face(turn.near, card),
        label=(_("%(card)s, in your hand") if place == IN_HAND else _("%(card)s, on %(place)s")) % words,
        place=shown,
        is_laid=place != IN_HAND,
        is_held=is_held,
        url=link_draft(replace(draft or start_draft(DEPLOY_VERB, FIRST_SHAPE), held="" if is_held else card)),
    )


def describe_left_over(draft: FormationDraft, cards: Sequence[str]) -> str:
    """Return how many cards stay in the hand."""
    count = len(cards) - len(draft.cells)
    return _("Cards left in hand: %(count)s. You can reinforce with them.") % {"count": count}


def list_templates(draft: FormationDraft | None) -> Iterator[FormationTemplate]:
    """Yield the formations of the library, and the start of one's own."""
    named = find_named(draft.columns) if draft else None
    for formation in FORMATIONS:
        shape = draft.with_columns(formation.rows) if draft else start_draft(DEPLOY_VERB, formation.rows)
        yield FormationTemplate(
            name=pgettext("named formation", formation.name),
            index=formation.index.replace("-0", ""),
            url=link_draft(shape),
            shape=shape.empty_shape,
            is_current=formation is named,
            cells=tuple(draw_template(formation.rows)),
        )
    own = draft.with_columns(FIRST_SHAPE) if draft else start_draft(DEPLOY_VERB, FIRST_SHAPE)
    free = pgettext("formation", "free")
    yield FormationTemplate(_("Your own"), free, link_draft(own), own.empty_shape, bool(draft and not named), ())


def draw_template(rows: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield the left and upper edges of the cells in a drawing 70 wide, and of the guard's."""
    middle = (max(map(max, rows)) + min(map(min, rows))) / 2
    top = 1 + 13 * (MAX_FORMATION_ROWS - len(rows)) // 2
    for number, row in enumerate(rows):
        for x in row:
            yield round(29 + 7 * (x - middle)), top + 13 * number
    yield 29, top + 13 * len(rows)


def list_row_controls(draft: FormationDraft) -> Iterator[RowControl]:
    """Yield what can be changed in the shape of each row, of those that the draft doesn't have yet nothing."""
    most = MAX_FORMATION_ROWS if draft.verb == DEPLOY_VERB else MAX_REFORMED_ROWS
    for number in range(max(most, len(draft.rows))):
        row = draft.columns[number] if number < len(draft.rows) else ()
        words = {"number": number + 1}
        longer = link_row(draft, number, (*row, row[-1] + 2)) if row and len(row) < MAX_CELLS_PER_ROW else ""
        shorter = link_row(draft, number, row[:-1]) if row and len(row) + len(draft.rows) > 2 else ""
        left, right = (link_row(draft, number, [x + by for x in row]) if row else "" for by in (-1, 1))
        links = (
            ("shorter", shorter, "−", _("Row %(number)s: remove a cell") % words),
            ("longer", longer, "+", _("Row %(number)s: add a cell") % words),
            ("left", left, "←", _("Row %(number)s: move half a column left") % words),
            ("right", right, "→", _("Row %(number)s: move half a column right") % words),
        )
        yield RowControl(number + 1, links)


def link_row(draft: FormationDraft, number: int, row: Sequence[int]) -> str:
    """Return the link to the draft with another row in place of this one; without it where it is empty."""
    columns = [*draft.columns[:number], *([row] if row else []), *draft.columns[number + 1 :]]
    return link_draft(draft.with_columns(columns)) if is_drawable(columns) else ""


def build_layout_bar(turn: Turn, draft: FormationDraft | None, cards: Sequence[str], is_ready: bool) -> Bar:
    """Return the bar: what to do next, laying the rest, taking back, and the button that ends it."""
    stages = (Stage(_("Formation"), is_now=draft is None), Stage(_("Cards"), is_now=draft is not None))
    if draft is None:
        return Bar(_("Choose a formation or create your own."), stages)
    options = []
    if draft.empty_cells and list_cards_left(draft, cards):
        order = list_cards_to_fill(draft) if draft.verb == DEPLOY_VERB else cards
        options.append(Option(choose_draft(draft.fill(order)), _("Fill the rest"), "l"))
    if draft.held and draft.find_place(draft.held) != IN_HAND:
        options.append(Option(choose_draft(draft.take_back(draft.held)), _("Take back"), "delete"))
    if is_ready:
        label = _("Deploy") if draft.verb == DEPLOY_VERB else _("Reform")
        options.append(Option(Choice(tuple(draft.complete(cards).split(" ")), True, False), label))
    return Bar(
        caption=write_layout_caption(turn, draft, is_ready),
        stages=stages if draft.verb == DEPLOY_VERB else (),
        options=options,
        back=link_draft(replace(draft, held="")) if draft.held else None if draft.verb == DEPLOY_VERB else "",
    )


def choose_draft(draft: FormationDraft) -> Choice:
    """Return the choice of a draft, which is a link."""
    return Choice(tuple(str(draft).split(" ")), False, True)


def write_layout_caption(turn: Turn, draft: FormationDraft, is_ready: bool) -> Sentence:
    """Return what to do next with a draft."""
    if draft.held:
        is_warned = draft.verb == DEPLOY_VERB and not can_guard(CARDS_BY_NAME[draft.held])
        template = _("Choose a cell for {card}, not the guard's.") if is_warned else _("Choose a cell for {card}.")
        return format_sentence(
            f"{template} {CARD_HELP.get(draft.held, '')}".strip(), card=build_card_part(turn.near, draft.held)
        )
    if is_ready:
        done = _("Ready. You can still make changes.")
        return format_sentence(done if draft.verb == DEPLOY_VERB else _("Reform like this? It ends your turn."))
    return format_sentence(_("Choose a card, then its cell."))
