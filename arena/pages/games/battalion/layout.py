"""Lay out the cells of a formation in its drawing, and the lines that join them.

The drawing is a grid: a row for each row of the formation from the front, one more for the guard, and `tracks` from
left to right, two for each half-column. A card takes four tracks. Lines are in these units, twice as fine downwards.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from engine.games.battalion.geometry import Shape, build_shape

MIN_GRID_TRACKS = 16
"""Tracks of the narrowest drawing: four cards side by side."""
MIN_BROAD_GRID_TRACKS = 24
"""A drawing with more tracks gets a row of its own, or its cards would be too small to read."""
GRID_TRACKS_PER_CARD = 4
GUARD_CELL = "g"


@dataclass(frozen=True, slots=True)
class Spot:
    """The position of a card: its row of the grid and the first of its tracks, both from 1."""

    rank: int
    track: int

    @property
    def track_classes(self) -> str:
        """Return its track as CSS classes, one for each digit: the style sheet has no class for each track."""
        return f"tens-{self.track // 10} ones-{self.track % 10}"

    @property
    def position_classes(self) -> str:
        """Return its track and its row as CSS classes."""
        return f"{self.track_classes} rank-{self.rank}"

    @property
    def x(self) -> int:
        """Return the middle of the card, for lines."""
        return self.track + 1

    @property
    def y(self) -> int:
        """Return the height of the row, for lines."""
        return 2 * self.rank - 1


@dataclass(frozen=True, slots=True)
class Connection:
    """A line between two connected cells."""

    start: Spot
    end: Spot
    walker: int | None = None
    """The seat whose attack went along it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of all parts of a formation."""

    tracks: int
    ranks: int
    """Rows of the formation, and one for the guard."""
    spots: dict[str, Spot]
    """By name of the cell; the guard's cell is "g"."""
    connections: tuple[Connection, ...]

    @property
    def is_broad(self) -> bool:
        """Return whether the drawing needs a row of its own."""
        return self.tracks > MIN_BROAD_GRID_TRACKS

    @property
    def height(self) -> int:
        """Return the height in the units of lines."""
        return 2 * self.ranks

    @property
    def keep(self) -> Spot:
        """Return where the frame around guard and emperor begins."""
        return Spot(self.ranks, self.tracks // 2 - GRID_TRACKS_PER_CARD - 1)

    @property
    def emperor(self) -> Spot:
        """Return where the emperor stands."""
        return Spot(self.ranks, self.tracks // 2 + 2)

    def walk(self, cells: Sequence[str], walker: int | None) -> list[Connection]:
        """Return the lines from each of these cells to the next, taken by an attack."""
        return [Connection(self.spots[a], self.spots[b], walker) for a, b in pairwise(cells)]


def lay_out_formation(rows: Iterable[Iterable[int]]) -> Layout:
    """Return the drawing of a formation given by the half-columns of its rows, front to back."""
    return lay_out_cached_formation(tuple(tuple(row) for row in rows))


@lru_cache(maxsize=256)
def lay_out_cached_formation(rows: tuple[tuple[int, ...], ...]) -> Layout:
    """Return the same, kept for formations seen before."""
    shape = build_shape(rows)
    width = 2 * (max(max(row) for row in shape.rows) + 2)
    tracks = max(MIN_GRID_TRACKS, width)
    left = (tracks - width) // 2
    ranks = len(shape.rows) + 1
    places = [Spot(rank, left + 2 * x + 1) for rank, row in enumerate(shape.rows, start=1) for x in row]
    guard = Spot(ranks, tracks // 2 - GRID_TRACKS_PER_CARD)
    return Layout(
        tracks=tracks,
        ranks=ranks,
        spots={**dict(zip(shape.cells, places, strict=True)), GUARD_CELL: guard},
        connections=(*connect_cells(shape, places), *(Connection(places[cell], guard) for cell in shape.back)),
    )


def connect_cells(shape: Shape, places: Sequence[Spot]) -> list[Connection]:
    """Return the lines between neighbours, each once."""
    return [
        Connection(places[cell], places[other])
        for cell, others in enumerate(shape.neighbours)
        for other in others
        if cell < other
    ]
