"""The armies of Battalion laid out in a preview image of 1200 by 630."""

from dataclasses import dataclass

from arena.pages.games.battalion.army import Army, Cell, Ground
from arena.pages.games.battalion.board import Board
from arena.pages.games.battalion.layout import Spot
from arena.pages.svg.card import SEAT_COLOURS, PlacedCard

IMAGE_WIDTH, ARMIES_TOP, ARMIES_BOTTOM = 1200, 196, 612
"""Where the front rows begin and the emperors end."""
MIN_CARD_GAP, MAX_CARD_WIDTH = 10, 74
CARD_HEIGHT_TO_WIDTH = 1.32
"""Height of a card by its width."""


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell and what happened there."""

    cell: Cell
    x: float
    y: float
    width: float
    height: float
    card: PlacedCard | None

    @property
    def right(self) -> float:
        """Return the right end."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Return the lower end."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Line:
    """A line between two connected cells."""

    start: tuple[float, float]
    end: tuple[float, float]
    colour: str
    """Empty where nobody went along it."""


@dataclass(frozen=True, slots=True)
class Field:
    """An army's part of the image."""

    army: Army
    x: float
    width: float
    colour: str
    lines: list[Line]
    cells: list[PlacedCell]
    keep: tuple[float, float, float, float] | None
    """Left, top, width and height of the frame around guard and emperor."""
    emperor: tuple[float, float, float] | None
    """Left, top and size."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Values for the template of a leg's preview image."""

    fields: list[Field]
    arc: str
    """Where an attack goes from army to army, as path data."""
    arc_colour: str


@dataclass(frozen=True, slots=True)
class Grid:
    """Scale and origin that convert the tracks and ranks of a layout into pixels."""

    left: float
    track: float
    card: float
    pitch: float

    @property
    def height(self) -> float:
        """Return the height of a card."""
        return round(self.card * CARD_HEIGHT_TO_WIDTH, 1)

    def middle(self, spot: Spot) -> tuple[float, float]:
        """Return the middle of the card at a spot."""
        return round(self.left + self.track * spot.x, 1), round(
            ARMIES_TOP + self.pitch * (spot.rank - 1) + self.height / 2, 1
        )

    def corner(self, spot: Spot) -> tuple[float, float]:
        """Return the upper left corner of the card at a spot."""
        x, y = self.middle(spot)
        return round(x - self.card / 2, 1), round(y - self.height / 2, 1)


def lay_out_preview(board: Board) -> Preview:
    """Return where everything of a board lies in the image."""
    armies = board.armies
    width = IMAGE_WIDTH / len(armies)
    fields = [lay_out_field(army, place * width, width) for place, army in enumerate(armies)]
    return Preview(fields, *lay_out_arc(fields))


def lay_out_field(army: Army, left: float, width: float) -> Field:
    """Return an army's part of the image, from `left` on."""
    ink, ground = SEAT_COLOURS[army.seat], army.ground
    if ground is None:
        return Field(army, left, width, ink, [], [], None, None)
    grid = lay_out_grid(ground, left, width)
    cells = [lay_out_cell(grid, cell) for cell in ground.cells]
    lines = [
        Line(
            grid.middle(connection.start),
            grid.middle(connection.end),
            "" if connection.walker is None else SEAT_COLOURS[connection.walker],
        )
        for connection in ground.connections
    ]
    x, y = grid.corner(ground.keep)
    end, _y = grid.corner(ground.emperor)
    keep = (x - 8, y - 6, end + grid.card - x + 16, grid.height + 12)
    return Field(army, left, width, ink, lines, cells, keep, (*grid.corner(ground.emperor), grid.card))


def lay_out_grid(ground: Ground, left: float, width: float) -> Grid:
    """Return how large cards are, so that the formation fits."""
    room = (ARMIES_BOTTOM - ARMIES_TOP) / ground.ranks
    track = width / ground.tracks
    card = round(min(MAX_CARD_WIDTH, 4 * track - MIN_CARD_GAP, (room - MIN_CARD_GAP) / CARD_HEIGHT_TO_WIDTH), 1)
    track = min(track, (card + 3 * MIN_CARD_GAP) / 4)
    return Grid(left + (width - track * ground.tracks) / 2, track, card, min(room, card * CARD_HEIGHT_TO_WIDTH + 22))


def lay_out_cell(grid: Grid, cell: Cell) -> PlacedCell:
    """Return where a cell and its card lie."""
    x, y = grid.corner(cell.spot)
    band = round(grid.card * 0.42, 1)
    card = PlacedCard(cell.face, x, y, grid.card, grid.height, band) if cell.face else None
    return PlacedCell(cell, x, y, grid.card, grid.height, card)


def lay_out_arc(fields: list[Field]) -> tuple[str, str]:
    """Return path data and colour of the arc from the attacker to the cell that the attack enters or strikes."""
    ends = {field.army.part: field for field in fields if field.army.part}
    if len(ends) != 2 or not all(field.cells for field in ends.values()):
        return "", ""
    attacker, target = ends["attacks"], ends["attacked"]
    start, end = (find_arc_end(field) for field in (attacker, target))
    if start is None or end is None:
        return "", ""
    rise = 158
    path = f"M{start.x + start.width / 2} {start.y - 4}C{start.x + start.width / 2} {rise}"
    return f"{path} {end.x + end.width / 2} {rise} {end.x + end.width / 2} {end.y - 14}", attacker.colour


def find_arc_end(field: Field) -> PlacedCell | None:
    """Return the front cell of the path, or where there is none the cell that takes part."""
    walked = [placed for placed in field.cells if placed.cell.mark.number or placed.cell.mark.is_end]
    return min(walked, key=lambda placed: placed.y, default=None)
