"""One player's side of the table: its formation, its guard, and what lies beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.games.battalion.cards import face_of, hidden, in_order, tokens
from arena.pages.games.battalion.layout import GUARD, Layout, Spot, Thread, lay_out
from arena.pages.games.cards import Face, draw_card
from arena.pages.svg.icons import icon
from engine.core import Json

DEAD, WOUNDED = "dead", "wounded"
UNDER_ATTACK = "warn"
"""The look of the chip of who is attacked."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the attack of the step did at a cell."""

    number: int | None = None
    """Its place on the attack's path, from 1; None where the attack began, or where there was no path."""
    is_skipped: bool = False
    left: str = ""
    """The card that left the cell."""
    fate: str = ""
    """What became of it: `dead` or `wounded`."""
    is_end: bool = False
    """The attacker's cell or the target's."""


NO_MARK = Mark()


@dataclass(frozen=True, slots=True)
class Cell:
    name: str
    spot: Spot
    face: Face | None
    is_shown: bool
    mark: Mark
    label: str
    """The whole of it for those who are read it to."""

    @property
    def kinds(self) -> str:
        """Where it lies and what happened there, as classes."""
        mark = self.mark
        happened = [mark.fate, "end" * mark.is_end, "skipped" * mark.is_skipped, "walked" * bool(mark.number)]
        return " ".join([self.spot.place, *filter(None, happened)])


@dataclass(frozen=True, slots=True)
class Ground:
    """A formation as it is drawn."""

    tracks: int
    ranks: int
    height: int
    is_broad: bool
    cells: tuple[Cell, ...]
    items: SafeString
    """The cells as list items."""
    threads: tuple[Thread, ...]
    net: SafeString
    """The lines between cells, as SVG."""
    keep: Spot
    emperor: Spot
    is_fallen: bool = False
    """The emperor is dead."""


@dataclass(frozen=True, slots=True)
class Pile:
    name: str
    count: int
    cards: SafeString


@dataclass(frozen=True, slots=True)
class Army:
    seat: int
    name: str
    ground: Ground | None
    """None where nothing is laid out, or nobody may see it."""
    absence: str
    """Why there is nothing to draw."""
    piles: list[Pile]
    facts: list[str]
    chip: str
    """What it does or suffers in this step, in one or two words."""
    chip_kind: str
    is_out: bool
    shape: str
    """What is laid out, in words: "Phalanx 4-4-3"."""
    entry: Spot | None = None
    """The track above which an attack comes in."""
    raider: SafeString | str = ""
    """Who comes in there."""

    @property
    def part(self) -> str:
        """What it does in an attack of this step: `attacks`, `attacked` or nothing."""
        marks = [cell.mark for cell in self.ground.cells if cell.mark.is_end] if self.ground else []
        return "" if not marks else "attacked" if self.is_target else "attacks"

    @property
    def is_target(self) -> bool:
        return self.chip_kind == UNDER_ATTACK

    @property
    def field(self) -> tuple[object, ...]:
        """All that is drawn of the formation."""
        return self.ground, self.absence, self.is_out, self.entry, self.raider, self.is_target


@dataclass(frozen=True, slots=True)
class Laid:
    """A cell with what lies there, as a view shows it."""

    name: str
    x: int
    card: str | None
    shown: bool


@dataclass(frozen=True, slots=True)
class Sight:
    """What is drawn of the formation of one seat."""

    seat: int
    rows: tuple[tuple[Laid, ...], ...] = ()
    guard: Laid | None = None
    marks: tuple[tuple[str, Mark], ...] = ()
    """By name of the cell."""
    arrived: frozenset[str] = frozenset()
    """Cells into which a card came in this step."""
    walked: tuple[str, ...] = ()
    """Cells of this formation along which the attack went, in order."""
    walker: int | None = None
    """The seat that attacked."""
    is_fallen: bool = False

    @property
    def columns(self) -> list[list[int]]:
        return [[cell.x for cell in row] for row in self.rows]

    @property
    def layout(self) -> Layout:
        return lay_out(self.columns)


def lay_cells(rows: Sequence[Sequence[Json]]) -> tuple[tuple[Laid, ...], ...]:
    return tuple(tuple(Laid(cell["cell"], cell["x"], cell["card"], cell["shown"]) for cell in row) for row in rows)


def lay_guard(guard: Json | None) -> Laid | None:
    return Laid(GUARD, 0, guard["card"], guard["shown"]) if guard is not None else None


@lru_cache(maxsize=1024)
def draw_ground(sight: Sight, language: str | None) -> Ground | None:
    """A formation stays as it is for many turns."""
    if not sight.rows:
        return None
    layout = sight.layout
    threads = (*layout.threads, *layout.walk(sight.walked, sight.walker))
    cells = [draw_cell(sight, layout, cell) for row in sight.rows for cell in row]
    if sight.guard is not None:
        cells.append(draw_cell(sight, layout, sight.guard))
    return Ground(
        tracks=layout.tracks,
        ranks=layout.ranks,
        height=layout.height,
        is_broad=layout.is_broad,
        cells=tuple(cells),
        items=format_html_join("", "{}", ((draw_item(cell, language),) for cell in cells)),
        threads=threads,
        net=format_html_join("", "{}", ((draw_thread(one),) for one in threads)),
        keep=layout.keep,
        emperor=layout.emperor,
        is_fallen=sight.is_fallen,
    )


@lru_cache(maxsize=2048)
def draw_item(cell: Cell, language: str | None) -> SafeString:
    """The same card lies in the same cell of many scenes."""
    mark = cell.mark
    fates = {DEAD: _("dead"), WOUNDED: _("wounded")}
    extras = [
        format_html('<span class="shown">{}</span>', icon("scout")) if cell.is_shown else "",
        format_html('<span class="fate">{}</span>', fates[mark.fate]) if mark.fate else "",
        format_html('<span class="pace">{}</span>', mark.number) if mark.number else "",
    ]
    return format_html(
        '<li class="cell {}" title="{}"><span class="hidden-text">{}</span>'
        '<span aria-hidden="true">{}{}{}{}</span></li>',
        *(cell.kinds, cell.name, cell.label),
        draw_card(cell.face, "span", language) if cell.face else SafeString('<span class="slot"></span>'),
        *extras,
    )


def draw_thread(thread: Thread) -> SafeString:
    walker = thread.walker
    return format_html(
        '<line{} x1="{}" y1="{}" x2="{}" y2="{}"></line>',
        "" if walker is None else format_html(' class="walked seat-{}"', walker),
        *(thread.start.x, thread.start.y, thread.end.x, thread.end.y),
    )


def draw_cell(sight: Sight, layout: Layout, cell: Laid) -> Cell:
    mark = dict(sight.marks).get(cell.name, NO_MARK)
    card = cell.card or mark.left
    face = face_of(sight.seat, card, is_new=cell.name in sight.arrived) if card else None
    fate = mark.fate if not cell.card else ""
    return Cell(
        name=cell.name,
        spot=layout.spots[cell.name],
        face=face,
        is_shown=bool(cell.shown and cell.card),
        mark=mark if fate or not mark.left else Mark(mark.number, mark.is_skipped, is_end=mark.is_end),
        label=tell_cell(cell.name, face, cell.shown, fate),
    )


def tell_cell(name: str, face: Face | None, is_shown: bool, fate: str) -> str:
    place = _("guard") if name == GUARD else name
    words = {"cell": place, "card": face.name if face else ""}
    if face is None:
        return _("%(cell)s: empty") % words
    if fate:
        died, wounded = _("%(cell)s: empty, %(card)s died here"), _("%(cell)s: empty, %(card)s was wounded here")
        return (died if fate == DEAD else wounded) % words
    return (_("%(cell)s: %(card)s, shown to all") if is_shown else _("%(cell)s: %(card)s")) % words


def list_piles(seat: int, view: Json) -> list[Pile]:
    """Hand, wounded and dead; a hand that may not be seen is face down."""
    hand = tokens(seat, in_order(view["hand"])) if "hand" in view else hidden()
    return [
        Pile(_("Hand"), view["hand_size"], hand),
        Pile(_("Wounded"), len(view["wounded"]), tokens(seat, view["wounded"])),
        Pile(_("Dead"), len(view["dead"]), tokens(seat, view["dead"])),
    ]


def list_facts(view: Json, is_out: bool) -> list[str]:
    kills = view["kills"]
    facts = [ngettext("%(count)s kill", "%(count)s kills", kills) % {"count": kills}]
    if not is_out:
        facts.append(tell_die(view["modification"], view["modification_left"]))
    if view["reformed"]:
        facts.append(_("has reformed"))
    return facts


def tell_die(modification: int | None, left: int) -> str:
    if modification is None:
        return _("die at rest")
    words = {"value": signed(modification), "count": left}
    return ngettext("%(value)s in combat, for %(count)s turn", "%(value)s in combat, for %(count)s turns", left) % words


def signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "±0"
