"""Where the cells of a formation lie in its drawing, and which lines join them.

The drawing is a grid: a row for each row of the formation from the front, one more for the guard, and `tracks` from
left to right, two for each half-column. A card takes four tracks. Lines are in these units, twice as fine downwards.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from engine.games.battalion.geometry import Shape, shape_of

LEAST = 16
"""Tracks of the narrowest drawing: four cards side by side."""
BROAD = 24
"""A drawing with more tracks gets a row of its own, or its cards would be too small to read."""
CARD = 4
GUARD = "g"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a card lies: its row of the grid and the first of its tracks, both from 1."""

    rank: int
    track: int

    @property
    def column(self) -> str:
        """Its track as classes, a digit each: the sheet would need one for every track."""
        return f"tens-{self.track // 10} ones-{self.track % 10}"

    @property
    def place(self) -> str:
        """Its track and its row as classes."""
        return f"{self.column} rank-{self.rank}"

    @property
    def x(self) -> int:
        """The middle of the card, for lines."""
        return self.track + 1

    @property
    def y(self) -> int:
        return 2 * self.rank - 1


@dataclass(frozen=True, slots=True)
class Thread:
    """A line between two connected cells."""

    start: Spot
    end: Spot
    walker: int | None = None
    """The seat whose attack went along it."""


@dataclass(frozen=True, slots=True)
class Layout:
    tracks: int
    ranks: int
    """Rows of the formation, and one for the guard."""
    spots: dict[str, Spot]
    """By name of the cell; the guard's cell is "g"."""
    threads: tuple[Thread, ...]

    @property
    def is_broad(self) -> bool:
        return self.tracks > BROAD

    @property
    def height(self) -> int:
        return 2 * self.ranks

    @property
    def keep(self) -> Spot:
        """The frame around guard and emperor."""
        return Spot(self.ranks, self.tracks // 2 - CARD - 1)

    @property
    def emperor(self) -> Spot:
        return Spot(self.ranks, self.tracks // 2 + 2)

    def walk(self, cells: Sequence[str], walker: int | None) -> list[Thread]:
        """The threads from each of these cells to the next, taken by an attack."""
        return [Thread(self.spots[a], self.spots[b], walker) for a, b in pairwise(cells)]


def lay_out(rows: Iterable[Iterable[int]]) -> Layout:
    """The drawing of a formation given by the half-columns of its rows, front to back."""
    return lay_rows(tuple(tuple(row) for row in rows))


@lru_cache(maxsize=256)
def lay_rows(rows: tuple[tuple[int, ...], ...]) -> Layout:
    shape = shape_of(rows)
    width = 2 * (max(max(row) for row in shape.rows) + 2)
    tracks = max(LEAST, width)
    left = (tracks - width) // 2
    ranks = len(shape.rows) + 1
    places = [Spot(rank, left + 2 * x + 1) for rank, row in enumerate(shape.rows, start=1) for x in row]
    guard = Spot(ranks, tracks // 2 - CARD)
    return Layout(
        tracks=tracks,
        ranks=ranks,
        spots={**dict(zip(shape.cells, places, strict=True)), GUARD: guard},
        threads=(*join(shape, places), *(Thread(places[cell], guard) for cell in shape.back)),
    )


def join(shape: Shape, places: Sequence[Spot]) -> list[Thread]:
    return [
        Thread(places[cell], places[other])
        for cell, others in enumerate(shape.neighbours)
        for other in others
        if cell < other
    ]
