"""One player's side of the table: its formation, its guard, and what lies beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.games.battalion.cards import face_of, hidden, in_order, tokens
from arena.pages.games.battalion.layout import GUARD, Layout, Spot, Thread, lay_out
from arena.pages.games.cards import Face
from engine.core import Json

DEAD, WOUNDED = "dead", "wounded"


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


@dataclass(frozen=True, slots=True)
class Ground:
    """A formation as it is drawn."""

    tracks: int
    ranks: int
    height: int
    is_broad: bool
    cells: list[Cell]
    threads: list[Thread]
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
    entry: int | None = None
    """The track above which an attack comes in."""
    raider: SafeString | str = ""
    """Who comes in there."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What is drawn of one seat."""

    seat: int
    view: Json
    """The seat's own part of a view."""
    rows: list[Json] = field(default_factory=list)
    guard: Json | None = None
    marks: Mapping[str, Mark] = field(default_factory=dict)
    arrived: frozenset[str] = frozenset()
    """Cells into which a card came in this step."""
    walked: tuple[str, ...] = ()
    """Cells of this formation along which the attack went, in order."""
    walker: int | None = None
    """The seat that attacked."""
    is_fallen: bool = False


def draw_ground(sight: Sight) -> Ground | None:
    if not sight.rows:
        return None
    layout = lay_out([[cell["x"] for cell in row] for row in sight.rows])
    cells = [draw_cell(sight, layout, cell["cell"], cell) for row in sight.rows for cell in row]
    if sight.guard is not None:
        cells.append(draw_cell(sight, layout, GUARD, sight.guard))
    return Ground(
        tracks=layout.tracks,
        ranks=layout.ranks,
        height=layout.height,
        is_broad=layout.is_broad,
        cells=cells,
        threads=[*layout.threads, *layout.walk(sight.walked, sight.walker)],
        keep=layout.keep,
        emperor=layout.emperor,
        is_fallen=sight.is_fallen,
    )


def draw_cell(sight: Sight, layout: Layout, name: str, cell: Json) -> Cell:
    mark = sight.marks.get(name, NO_MARK)
    card = cell["card"] or mark.left
    face = face_of(sight.seat, card, is_new=name in sight.arrived) if card else None
    fate = mark.fate if not cell["card"] else ""
    return Cell(
        name=name,
        spot=layout.spots[name],
        face=face,
        is_shown=bool(cell["shown"] and cell["card"]),
        mark=mark if fate or not mark.left else Mark(mark.number, mark.is_skipped, is_end=mark.is_end),
        label=tell_cell(name, face, cell, fate),
    )


def tell_cell(name: str, face: Face | None, cell: Json, fate: str) -> str:
    place = _("guard") if name == GUARD else name
    words = {"cell": place, "card": face.name if face else ""}
    if face is None:
        return _("%(cell)s: empty") % words
    if fate:
        died, wounded = _("%(cell)s: empty, %(card)s died here"), _("%(cell)s: empty, %(card)s was wounded here")
        return (died if fate == DEAD else wounded) % words
    return (_("%(cell)s: %(card)s, shown to all") if cell["shown"] else _("%(cell)s: %(card)s")) % words


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
