"""The armies of Battalion laid out in a picture of 1200 by 630."""

from dataclasses import dataclass

from arena.pages.games.battalion.army import Army, Cell, Ground
from arena.pages.games.battalion.board import Board
from arena.pages.games.battalion.layout import Spot
from arena.pages.games.cards import SEAT_INKS, Placed

WIDTH, TOP, BOTTOM = 1200, 196, 612
"""Where the front rows begin and the emperors end."""
GAP, WIDEST = 10, 74
SHAPE = 1.32
"""Height of a card by its width."""


@dataclass(frozen=True, slots=True)
class Stand:
    """A cell and what happened there."""

    cell: Cell
    x: float
    y: float
    width: float
    height: float
    card: Placed | None

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Line:
    start: tuple[float, float]
    end: tuple[float, float]
    ink: str
    """Empty where nobody went along it."""


@dataclass(frozen=True, slots=True)
class Field:
    army: Army
    x: float
    width: float
    ink: str
    lines: list[Line]
    stands: list[Stand]
    keep: tuple[float, float, float, float] | None
    """Left, top, width and height of the frame around guard and emperor."""
    emperor: tuple[float, float, float] | None
    """Left, top and size."""


@dataclass(frozen=True, slots=True)
class Plate:
    fields: list[Field]
    arc: str
    """Where an attack goes from army to army, as path data."""
    arc_ink: str


@dataclass(frozen=True, slots=True)
class Grid:
    """From the tracks and ranks of a layout to the picture."""

    left: float
    track: float
    card: float
    pitch: float

    @property
    def height(self) -> float:
        return round(self.card * SHAPE, 1)

    def middle(self, spot: Spot) -> tuple[float, float]:
        return round(self.left + self.track * spot.x, 1), round(TOP + self.pitch * (spot.rank - 1) + self.height / 2, 1)

    def corner(self, spot: Spot) -> tuple[float, float]:
        x, y = self.middle(spot)
        return round(x - self.card / 2, 1), round(y - self.height / 2, 1)


def lay_plate(board: Board) -> Plate:
    armies = [army for row in board.rows for army in row.armies]
    width = WIDTH / len(armies)
    fields = [lay_field(army, place * width, width) for place, army in enumerate(armies)]
    return Plate(fields, *lay_arc(fields))


def lay_field(army: Army, left: float, width: float) -> Field:
    ink, ground = SEAT_INKS[army.seat], army.ground
    if ground is None:
        return Field(army, left, width, ink, [], [], None, None)
    grid = lay_grid(ground, left, width)
    stands = [lay_stand(grid, cell) for cell in ground.cells]
    lines = [
        Line(
            grid.middle(thread.start),
            grid.middle(thread.end),
            "" if thread.walker is None else SEAT_INKS[thread.walker],
        )
        for thread in ground.threads
    ]
    x, y = grid.corner(ground.keep)
    end, _y = grid.corner(ground.emperor)
    keep = (x - 8, y - 6, end + grid.card - x + 16, grid.height + 12)
    return Field(army, left, width, ink, lines, stands, keep, (*grid.corner(ground.emperor), grid.card))


def lay_grid(ground: Ground, left: float, width: float) -> Grid:
    room = (BOTTOM - TOP) / ground.ranks
    track = width / ground.tracks
    card = round(min(WIDEST, 4 * track - GAP, (room - GAP) / SHAPE), 1)
    track = min(track, (card + 3 * GAP) / 4)
    return Grid(left + (width - track * ground.tracks) / 2, track, card, min(room, card * SHAPE + 22))


def lay_stand(grid: Grid, cell: Cell) -> Stand:
    x, y = grid.corner(cell.spot)
    band = round(grid.card * 0.42, 1)
    card = Placed(cell.face, x, y, grid.card, grid.height, band) if cell.face else None
    return Stand(cell, x, y, grid.card, grid.height, card)


def lay_arc(fields: list[Field]) -> tuple[str, str]:
    """From the attacker to the cell that the attack enters or strikes."""
    ends = {field.army.part: field for field in fields if field.army.part}
    if len(ends) != 2 or not all(field.stands for field in ends.values()):
        return "", ""
    attacker, target = ends["attacks"], ends["attacked"]
    start, end = (find_end(field) for field in (attacker, target))
    if start is None or end is None:
        return "", ""
    rise = 158
    path = f"M{start.x + start.width / 2} {start.y - 4}C{start.x + start.width / 2} {rise}"
    return f"{path} {end.x + end.width / 2} {rise} {end.x + end.width / 2} {end.y - 14}", attacker.ink


def find_end(field: Field) -> Stand | None:
    """The front cell of the way, or where there is none the cell that takes part."""
    walked = [stand for stand in field.stands if stand.cell.mark.number or stand.cell.mark.is_end]
    return min(walked, key=lambda stand: stand.y, default=None)
