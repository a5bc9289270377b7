"""One player's side of the table: its formation, its guard, and what lies beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.games.battalion.cards import build_card_parts, find_face, sort_cards
from arena.pages.games.battalion.layout import GUARD_CELL, Connection, Layout, Spot, lay_out_formation
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence
from engine.core import Json

DEAD, WOUNDED = "dead", "wounded"
SIDES = ("field-left", "field-right")
SMALL = "field-small"
UNDER_ATTACK_TONE = "warn"
"""The tone of the chip of who is attacked."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The effect at a cell of the attack in a step."""

    number: int | None = None
    """Its place on the attack's path, from 1; None where the attack began, or where there was no path."""
    is_skipped: bool = False
    left: str = ""
    """The card that left the cell."""
    fate: str = ""
    """The fate of the card, `dead` or `wounded`, or nothing."""
    is_end: bool = False
    """The attacker's cell or the target's."""


NO_MARK = Mark()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a formation as it is drawn."""

    name: str
    spot: Spot
    face: Face | None
    is_shown: bool
    mark: Mark
    label: str
    """The cell and its card in words, to be read aloud."""

    @property
    def classes(self) -> str:
        """Return where it lies and what happened there, as classes of the style."""
        mark = self.mark
        happened = [mark.fate, "end" * mark.is_end, "skipped" * mark.is_skipped, "walked" * bool(mark.number)]
        return " ".join([self.spot.position_classes, *filter(None, happened)])


@dataclass(frozen=True, slots=True)
class Ground:
    """A formation as it is drawn."""

    tracks: int
    ranks: int
    height: int
    is_broad: bool
    cells: tuple[Cell, ...]
    connections: tuple[Connection, ...]
    keep: Spot
    emperor: Spot
    is_fallen: bool = False
    """The emperor is dead."""


@dataclass(frozen=True, slots=True)
class Pile:
    """Cards that lie beside a formation."""

    name: str
    count: int
    cards: Sentence | None
    """None where they may not be seen."""


@dataclass(frozen=True, slots=True)
class Army:
    """A player's side of the table."""

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
    chip_tone: str
    is_out: bool
    shape: str
    """What is laid out, in words: "Phalanx 4-4-3"."""
    entry: Spot | None = None
    """The track above which an attack comes in."""
    raider: Sentence | None = None
    """The card that comes in there."""
    place: str = SIDES[0]
    """Where it is drawn: in full at the left or at the right, or small below them."""

    @property
    def part(self) -> str:
        """Return what it does in an attack of this step: `attacks`, `attacked` or nothing."""
        marks = [cell.mark for cell in self.ground.cells if cell.mark.is_end] if self.ground else []
        return "" if not marks else "attacked" if self.is_target else "attacks"

    @property
    def is_target(self) -> bool:
        """Return whether it is attacked in this step."""
        return self.chip_tone == UNDER_ATTACK_TONE

    @property
    def field(self) -> tuple[object, ...]:
        """Return all that is drawn of the formation."""
        return self.ground, self.absence, self.is_out, self.entry, self.raider, self.is_target, self.place


@dataclass(frozen=True, slots=True)
class LaidCell:
    """A cell with what lies there, as a view shows it."""

    name: str
    x: int
    card: str | None
    shown: bool


@dataclass(frozen=True, slots=True)
class FormationView:
    """The formation of one seat as the onlooker sees it."""

    seat: int
    rows: tuple[tuple[LaidCell, ...], ...] = ()
    guard: LaidCell | None = None
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
        """Return the half-columns of each row."""
        return [[cell.x for cell in row] for row in self.rows]

    @property
    def layout(self) -> Layout:
        """Return where the cells lie in the drawing."""
        return lay_out_formation(self.columns)


def read_rows(rows: Sequence[Sequence[Json]]) -> tuple[tuple[LaidCell, ...], ...]:
    """Return the cells of a view's rows."""
    return tuple(tuple(LaidCell(cell["cell"], cell["x"], cell["card"], cell["shown"]) for cell in row) for row in rows)


def read_guard(guard: Json | None) -> LaidCell | None:
    """Return the cell of a view's guard."""
    return LaidCell(GUARD_CELL, 0, guard["card"], guard["shown"]) if guard is not None else None


@lru_cache(maxsize=1024)
def build_ground(seen: FormationView, language: str | None) -> Ground | None:
    """Return a formation; None where nothing is laid out. Kept: it stays as it is for many turns."""
    if not seen.rows:
        return None
    layout = seen.layout
    connections = (*layout.connections, *layout.walk(seen.walked, seen.walker))
    cells = [build_cell(seen, layout, cell) for row in seen.rows for cell in row]
    if seen.guard is not None:
        cells.append(build_cell(seen, layout, seen.guard))
    return Ground(
        tracks=layout.tracks,
        ranks=layout.ranks,
        height=layout.height,
        is_broad=layout.is_broad,
        cells=tuple(cells),
        connections=connections,
        keep=layout.keep,
        emperor=layout.emperor,
        is_fallen=seen.is_fallen,
    )


def build_cell(seen: FormationView, layout: Layout, cell: LaidCell) -> Cell:
    """Return a cell with its card, or with what died or was wounded there."""
    mark = dict(seen.marks).get(cell.name, NO_MARK)
    card = cell.card or mark.left
    face = find_face(seen.seat, card, is_new=cell.name in seen.arrived) if card else None
    fate = mark.fate if not cell.card else ""
    return Cell(
        name=cell.name,
        spot=layout.spots[cell.name],
        face=face,
        is_shown=bool(cell.shown and cell.card),
        mark=mark if fate or not mark.left else Mark(mark.number, mark.is_skipped, is_end=mark.is_end),
        label=describe_cell(cell.name, face, cell.shown, fate),
    )


def describe_cell(name: str, face: Face | None, is_shown: bool, fate: str) -> str:
    """Return a cell and its card in words."""
    place = _("guard") if name == GUARD_CELL else name
    words = {"cell": place, "card": face.name if face else ""}
    if face is None:
        return _("%(cell)s: empty") % words
    if fate:
        died, wounded = _("%(cell)s: empty, %(card)s died here"), _("%(cell)s: empty, %(card)s was wounded here")
        return (died if fate == DEAD else wounded) % words
    return (_("%(cell)s: %(card)s, shown to all") if is_shown else _("%(cell)s: %(card)s")) % words


def list_piles(seat: int, view: Json) -> list[Pile]:
    """Return hand, wounded and dead."""
    hand = build_card_parts(seat, sort_cards(view["hand"])) if "hand" in view else None
    return [
        Pile(_("Hand"), view["hand_size"], hand),
        Pile(_("Wounded"), len(view["wounded"]), build_card_parts(seat, view["wounded"])),
        Pile(_("Dead"), len(view["dead"]), build_card_parts(seat, view["dead"])),
    ]


def list_facts(view: Json, is_out: bool) -> list[str]:
    """Return kills, die and reforming in words."""
    kills = view["kills"]
    facts = [ngettext("%(count)s kill", "%(count)s kills", kills) % {"count": kills}]
    if not is_out:
        facts.append(describe_die(view["modification"], view["modification_left"]))
    if view["reformed"]:
        facts.append(_("has reformed"))
    return facts


def describe_die(modification: int | None, left: int) -> str:
    """Return what the die does to values in combat. `left` is the number of turns for which it still holds."""
    if modification is None:
        return _("die free")
    words = {"value": format_modification(modification), "count": left}
    return ngettext("%(value)s in combat, for %(count)s turn", "%(value)s in combat, for %(count)s turns", left) % words


def format_modification(number: int) -> str:
    """Return what the die adds, with its sign."""
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "±0"
