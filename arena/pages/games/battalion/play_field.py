"""The field of a table: two armies in full, front to front, and the way of an attack between them.

Both stand in one grid. Its columns are the tracks of the wider army; its rows are the far army's, the guard above, a
gap, and the near army's, the guard below. Lines are drawn in tracks and half rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from arena.pages.games.battalion.army import DEAD, WOUNDED, LaidCell, describe_cell
from arena.pages.games.battalion.board import find_entered_cells, split_cell_address
from arena.pages.games.battalion.cards import find_face
from arena.pages.games.battalion.forecast import Forecast
from arena.pages.games.battalion.layout import GUARD_CELL, Layout, Spot, lay_out_formation
from arena.pages.games.battalion.play_turn import ATTACK, Turn
from arena.pages.games.battalion.play_words import (
    Pill,
    describe_idle_card,
    describe_move,
    describe_pill,
    describe_target,
    format_final_values,
    format_value,
    name_place,
)
from arena.pages.games.cards import Face

GAP = 1
"""Half rows between the fronts."""
DETOUR = 2
"""Tracks by which the line of an attack passes beside a card that it skips: half the way to the next one."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line between the middles of two connected cells."""

    x1: int
    y1: int
    x2: int
    y2: int


@dataclass(frozen=True, slots=True)
class FieldCell:
    """A cell with what lies in it and what can be done there."""

    key: str
    """Its address, as "1:2b"."""
    note: str
    """What is written on it: its name, or from where its card came."""
    classes: str
    face: Face | None
    is_shown: bool
    label: str
    url: str = ""
    """Where choosing it leads; empty where nothing can be chosen."""
    action: str = ""
    """What is sent when it is chosen."""
    is_pressed: bool = False
    is_target: bool = False
    """It is where a chosen card can go, not a card to choose."""
    ghost: str = ""
    """What is written into an empty cell."""
    reason: str = ""
    """Why nothing can be done with a card of the reader's own."""
    pill: Pill | None = None
    fallen: Face | None = None
    """The card that fell in this empty cell in the step that is shown."""
    fate: str = ""
    """The fate of the card, `dead` or `wounded`, or nothing."""

    @property
    def id(self) -> str:
        """Return its address as a part of an element's id."""
        return self.key.replace(":", "-")

    @property
    def is_draggable(self) -> bool:
        """Return whether its card can be chosen."""
        return bool(self.face and self.url and not self.is_target)


@dataclass(frozen=True, slots=True)
class FieldArmy:
    """One of the two armies."""

    seat: int
    label: str
    cells: tuple[FieldCell, ...]
    keep: str
    """Classes of the place of the guard, beside whom the emperor stands."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A step of an attack: where it is, and what the attacker counts there."""

    kind: str
    classes: str
    value: str
    label: str
    """The step in words."""


@dataclass(frozen=True, slots=True)
class Way:
    """The way of an attack over the field."""

    path: str
    """As path data."""
    is_strike: bool
    paces: tuple[Pace, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """All of the field."""

    tracks: int
    far_ranks: int
    near_ranks: int
    height: int
    lines: tuple[Line, ...]
    armies: tuple[FieldArmy, ...]
    """The near one, then the far one."""
    way: Way | None


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an army lies in the grid of the field."""

    layout: Layout
    left: int
    """Tracks to the left of it."""
    top: int
    """Rows above its first row, the gap counted as one; 0 where it lies at the top."""
    is_far: bool

    def locate(self, spot: Spot) -> tuple[int, int]:
        """Return track and row in the grid of the field, from 1."""
        row = self.layout.ranks + 1 - spot.rank if self.is_far else self.top + spot.rank
        return self.left + spot.track, row

    def classes(self, spot: Spot) -> str:
        """Return track and row as classes of the style."""
        track, row = self.locate(spot)
        return f"tens-{track // 10} ones-{track % 10} line-{row}"

    def point(self, spot: Spot) -> tuple[int, int]:
        """Return the middle of a card in the units of lines."""
        track, row = self.locate(spot)
        return track + 1, 2 * row - 1 - (GAP if self.top else 0)


def build_field(turn: Turn) -> Field:
    """Return the field with the near army and the one it faces."""
    seats = [seat for seat in (turn.near, turn.facing) if seat is not None and turn.view["seats"][seat]["rows"]]
    layouts = {seat: lay_out_seat(turn, seat) for seat in seats}
    tracks = max((layout.tracks for layout in layouts.values()), default=0)
    far = layouts.get(turn.facing) if turn.facing is not None else None
    far_ranks = far.ranks if far else 0
    near_ranks = layouts[turn.near].ranks if turn.near in layouts else 0
    placements = {
        seat: Placement(
            layout, (tracks - layout.tracks) // 2, 0 if seat == turn.facing else far_ranks + 1, seat == turn.facing
        )
        for seat, layout in layouts.items()
    }
    aimed = turn.forecast(turn.action) if turn.target else None
    return Field(
        tracks=tracks,
        far_ranks=far_ranks,
        near_ranks=near_ranks,
        height=2 * (far_ranks + near_ranks) + GAP,
        lines=tuple(line for placement in placements.values() for line in draw_connections(placement)),
        armies=tuple(build_army(turn, seat, placement, aimed) for seat, placement in placements.items()),
        way=draw_way(aimed, placements) if aimed else None,
    )


def lay_out_seat(turn: Turn, seat: int) -> Layout:
    """Return the drawing of a seat's formation by itself."""
    rows, _guard = turn.read_side(seat)
    return put_guard_in_middle(lay_out_formation([cell.x for cell in row] for row in rows))


def put_guard_in_middle(layout: Layout) -> Layout:
    """Return the same drawing with the guard in the middle: the emperor stands beside it without a place of its own."""
    before, guard = layout.spots[GUARD_CELL], Spot(layout.ranks, layout.tracks // 2 - 1)
    connections = (replace(line, end=guard) if line.end == before else line for line in layout.connections)
    return replace(layout, spots={**layout.spots, GUARD_CELL: guard}, connections=tuple(connections))


def draw_connections(placement: Placement) -> Iterator[Line]:
    """Yield the lines between connected cells."""
    for connection in placement.layout.connections:
        yield Line(*placement.point(connection.start), *placement.point(connection.end))


def build_army(turn: Turn, seat: int, placement: Placement, aimed: Forecast | None) -> FieldArmy:
    """Return an army with what can be chosen in it."""
    rows, guard = turn.read_side(seat)
    cells = [*(cell for row in rows for cell in row), *([guard] if guard else [])]
    is_own = seat == turn.table.seat
    build = build_own_cell if is_own else build_other_cell
    name = turn.table.players[seat].name
    return FieldArmy(
        seat=seat,
        label=_("Your army, front to back") if is_own else _("Army of %(name)s, front to back") % {"name": name},
        cells=tuple(build(turn, seat, cell, placement.classes(placement.layout.spots[cell.name])) for cell in cells),
        keep=placement.classes(placement.layout.spots[GUARD_CELL]),
    )


def find_cell_face(seat: int, cell: LaidCell) -> Face | None:
    """Return the card of a cell as it looks."""
    return find_face(seat, cell.card) if cell.card else None


def build_other_cell(turn: Turn, seat: int, cell: LaidCell, place: str) -> FieldCell:
    """Return a cell of another's army, which may be a target."""
    face, key = find_cell_face(seat, cell), f"{seat}:{cell.name}"
    fallen, fate = find_fallen_card(turn, seat, cell)
    action = turn.targets.get((seat, cell.name), "")
    is_aimed = turn.target == (seat, cell.name)
    forecast = turn.forecast(action) if action else None
    states = ["target" * bool(action), "aimed" * is_aimed, "void" * (not cell.card), *list_changes(turn, seat, cell)]
    return FieldCell(
        key=key,
        note=name_place(cell.name),
        classes=" ".join([place, *filter(None, states)]),
        face=face,
        is_shown=bool(cell.shown and cell.card),
        label=describe_target(forecast) if forecast else describe_cell(cell.name, face or fallen, cell.shown, fate),
        url=turn.build_url(ATTACK, turn.cell, *([] if is_aimed else [key])) if forecast else "",
        is_pressed=is_aimed,
        is_target=True,
        pill=describe_pill(forecast) if forecast and not is_aimed else None,
        fallen=fallen,
        fate=fate,
    )


def build_own_cell(turn: Turn, seat: int, cell: LaidCell, place: str) -> FieldCell:
    """Return a cell of the reader's own army: a card to choose, or where the chosen one can go."""
    face = find_cell_face(seat, cell)
    is_chosen = bool(cell.card) and cell.name == turn.cell
    action = turn.goals.get(cell.name, "")
    is_goal = turn.goal == cell.name
    is_choosing = bool(turn.cell or turn.card)
    states = [
        "chosen" * is_chosen,
        "goal" * bool(action),
        "aimed" * is_goal,
        "void" * (not cell.card),
        "faded" * (bool(cell.card) and is_choosing and not is_chosen),
        *list_changes(turn, seat, cell),
    ]
    url = turn.choose_cell(cell.name) if cell.card and turn.table.is_own_turn else ""
    fallen, fate = find_fallen_card(turn, seat, cell)
    name = describe_cell(cell.name, face or fallen, cell.shown, fate)
    return FieldCell(
        key=f"{seat}:{cell.name}",
        note=find_origin(turn, cell.name) or name_place(cell.name),
        classes=" ".join([place, *filter(None, states)]),
        face=face,
        is_shown=bool(cell.shown and cell.card),
        label=describe_move(turn, cell.name) if action else name,
        url=turn.build_url("reinforce", turn.card, cell.name) if action and turn.card else url,
        action=action if turn.cell else "",
        is_pressed=is_chosen or is_goal,
        is_target=bool(action),
        reason=describe_idle_card(turn, cell.name) if cell.card and turn.table.is_own_turn and not url else "",
        fallen=fallen,
        fate=fate,
    )


def list_changes(turn: Turn, seat: int, cell: LaidCell) -> list[str]:
    """Return as states of a cell what the step that is shown did there."""
    return ["entered"] if cell.card and cell.name in find_entered_cells(turn.table.scene, seat) else []


def find_fallen_card(turn: Turn, seat: int, cell: LaidCell) -> tuple[Face | None, str]:
    """Return the card that fell in an empty cell in the step that is shown, and what became of it."""
    for event in turn.table.scene.step.events if not cell.card else ():
        verb, *words = event.get("action", "").split(" ")
        if verb != ATTACK:
            continue
        fought = {(event["seat"], words[0]): event["attacker"], split_cell_address(words[1]): event["target"]}
        card = fought.get((seat, cell.name))
        if card and (fate := find_fate(turn, seat, card)):
            return find_face(seat, card), fate
    return None, ""


def find_fate(turn: Turn, seat: int, card: str) -> str:
    """Return what became of a card in the step that is shown: dead, wounded or nothing."""
    before, after = turn.table.scene.before[turn.near]["seats"][seat], turn.view["seats"][seat]
    return next((fate for fate in (DEAD, WOUNDED) if card in after[fate] and card not in before[fate]), "")


def find_origin(turn: Turn, cell: str) -> str:
    """Return from where the card of a cell came in this turn, as "2b → 1b"; empty where it has not moved."""
    if cell not in turn.view["moved"]:
        return ""
    moves = [entry.action.split(" ") for entry in turn.table.scene.step.entries if entry.action.startswith("move ")]
    start = next((words[1] for words in reversed(moves) if words[2] == cell), "")
    return f"{name_place(start)} → {name_place(cell)}" if start else ""


def draw_way(forecast: Forecast, placements: dict[int, Placement]) -> Way:
    """Return the way of an attack that is aimed."""
    ends = [(forecast.seat, forecast.cell), (forecast.other, forecast.goal)]
    steps = list(forecast.path) or ends
    points = []
    for step in steps:
        x, y = placements[step[0]].point(placements[step[0]].layout.spots[step[1]])
        points.append((x - DETOUR if step == forecast.skipped else x, y))
    return Way(
        path="M" + "L".join(f"{x} {y}" for x, y in points),
        is_strike=not forecast.path,
        paces=tuple(build_paces(forecast, steps, placements)),
    )


def build_paces(
    forecast: Forecast, steps: Sequence[tuple[int, str]], placements: dict[int, Placement]
) -> Iterator[Pace]:
    """Yield the steps of the way with the value so far."""
    has_skipped = False
    for number, step in enumerate(steps):
        seat, cell = step
        has_skipped = has_skipped or step == forecast.skipped
        is_last = number == len(steps) - 1
        kind = "end" if is_last else "first" if not number else "over" if step == forecast.skipped else "along"
        value = format_final_values(forecast) if is_last else format_value(forecast, has_skipped, kind != "along")
        words = {"cell": name_place(cell), "value": value}
        yield Pace(
            kind=kind,
            classes=placements[seat].classes(placements[seat].layout.spots[cell]),
            value=value,
            label=(_("%(cell)s: %(value)s") % words if value else name_place(cell)),
        )
