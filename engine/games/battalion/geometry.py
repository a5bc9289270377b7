"""Shapes of formations: their cells, which of them are connected (BT-2, BT-3), and direct paths (BT-4, BT-11)."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from engine.core import Refusal, refuse
from engine.message import gettext_noop

# Shapes of formations: which cells there are, and which of them are connected (BT-2, BT-3).
#
# A shape is rows of half-columns, front to back. Cells are numbered front to back, left to right.

MAX_FORMATION_ROWS: Final = 3
MAX_CELLS_PER_ROW: Final = 4
COLUMN_LETTERS: Final = "abcd"

Rows = tuple[tuple[int, ...], ...]


class BadShape(ValueError):
    """The rows are not a formation. `refusal` says where, and by which ruling."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class Shape:
    """A connected formation, shifted so that its smallest half-column is 0. Made by `build_shape`."""

    def __init__(self, rows: Rows) -> None:
        """Take rows that keep BT-2 and the distances of BT-3. Raise BadShape where they are not connected."""
        self.rows = rows
        places = [(row, column) for row, cells in enumerate(rows) for column in range(len(cells))]
        self.cells = tuple(f"{row + 1}{COLUMN_LETTERS[column]}" for row, column in places)
        """Public names: the row from the front and a letter from the left."""
        self.spots = tuple(MAX_CELLS_PER_ROW * row + column for row, column in places)
        """Each cell's number in the largest formation, which doesn't depend on the shape: 4 · row + column."""
        self.neighbours = find_neighbours(rows)
        """By cell: the cells connected to it, ascending."""
        self.front = tuple(cell for cell, (row, _) in enumerate(places) if row == 0)
        self.back = tuple(cell for cell, (row, _) in enumerate(places) if row == len(rows) - 1)
        alone = set(range(len(places))) - set(find_connected_cells(0, self.neighbours))
        if alone:
            cell = self.cells[min(alone)]
            raise BadShape(refuse(gettext_noop("cell %(cell)s isn't connected to cell 1a"), "BT-3", cell=cell))


@lru_cache(maxsize=2048)
def build_shape(rows: Rows) -> Shape:
    """Return the shape with these half-columns, each row in ascending order. Raises BadShape."""
    check_rows(rows)
    left = min(row[0] for row in rows)
    shifted = tuple(tuple(x - left for x in row) for row in rows)
    return build_shape(shifted) if left else Shape(rows)


def check_rows(rows: Rows) -> None:
    """Raise BadShape where rows break the limits of BT-2 or the distances of BT-3."""
    if not 1 <= len(rows) <= MAX_FORMATION_ROWS:
        raise BadShape(refuse(gettext_noop("a formation has one to three rows, not %(rows)s"), "BT-2", rows=len(rows)))
    for number, row in enumerate(rows, 1):
        if not 1 <= len(row) <= MAX_CELLS_PER_ROW:
            template = gettext_noop("row %(row)s has %(cells)s cells; a row has one to four")
            raise BadShape(refuse(template, "BT-2", row=number, cells=len(row)))
        for column, (x, after) in enumerate(zip(row, row[1:], strict=False)):
            if after - x < 2:
                first, second = (f"{number}{COLUMN_LETTERS[column + step]}" for step in (0, 1))
                template = gettext_noop(
                    "cells %(cell)s at %(left)s and %(next_cell)s at %(right)s are less than 2 apart"
                )
                raise BadShape(refuse(template, "BT-3", cell=first, left=x, next_cell=second, right=after))


def find_neighbours(rows: Rows) -> tuple[tuple[int, ...], ...]:
    """Return the connections of BT-3, by cell."""
    starts = [sum(len(row) for row in rows[:number]) for number in range(len(rows))]
    number_of = [{x: start + column for column, x in enumerate(row)} for start, row in zip(starts, rows, strict=True)]
    joined: list[set[int]] = [set() for row in rows for _ in row]
    for row, cells in enumerate(number_of):
        for x, cell in cells.items():
            for other in iterate_connections(x, cells, number_of[max(row - 1, 0) : row] + number_of[row + 1 : row + 2]):
                joined[cell].add(other)
                joined[other].add(cell)
    return tuple(tuple(sorted(cells)) for cells in joined)


def iterate_connections(x: int, own: dict[int, int], beside: list[dict[int, int]]) -> Iterator[int]:
    """Yield the cells that a cell at `x` is connected to: on the right in its own row, and in adjacent rows."""
    if x + 2 in own:
        yield own[x + 2]
    for row in beside:
        if x in row:
            yield row[x]
        if x - 1 in row and x + 1 in row:
            yield row[x - 1]
            yield row[x + 1]


def find_connected_cells(start: int, neighbours: tuple[tuple[int, ...], ...]) -> list[int]:
    """Return every cell that can be reached from `start`, itself included."""
    reached = [start]
    for cell in reached:
        reached += [other for other in neighbours[cell] if other not in reached]
    return reached


# Find direct paths by tables that are computed once for a shape and its occupied cells (BT-4, BT-11).
#
# Cells are spots here (`Shape.spots`), the guard cell is one more, and a set of cells is an integer with a bit for
# each.
#
# All front cells of different seats are connected with each other, so a path to another's card leaves the own
# formation at its front and enters the other at its front; a third one is never of use. Which cells can be reached
# from the front is the same question for the seat that leaves and for the one that is entered.

GUARD_SPOT: Final = 12
GUARD_BIT: Final = 1 << GUARD_SPOT
ALL_CELLS_MASK: Final = GUARD_BIT - 1


@cache
def list_bits(mask: int) -> tuple[int, ...]:
    """Return the members of a set of spots or cards, ascending."""
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


class Graph:
    """The connections of a shape as sets of spots. The guard cell lies behind the back row."""

    def __init__(self, shape: Shape) -> None:
        spots = shape.spots
        self.shape = shape
        self.cells = sum(1 << spot for spot in spots)
        self.front = sum(1 << spots[cell] for cell in shape.front)
        self.back = sum(1 << spots[cell] for cell in shape.back)
        self.beside = [0] * (GUARD_SPOT + 1)
        """By spot: the cells connected to it. The guard cell is beside none, as no path leads on from it (BT-4)."""
        for cell, others in enumerate(shape.neighbours):
            self.beside[spots[cell]] = sum(1 << spots[other] for other in others)
        self.beside[GUARD_SPOT] = self.back
        self.known: dict[int, Paths] = {}

    def around(self, cells: int) -> int:
        """Return all cells connected to one of these, the guard cell included."""
        found = GUARD_BIT if cells & self.back else 0
        for spot in list_bits(cells):
            found |= self.beside[spot]
        return found

    def empty_groups(self, empty: int) -> list[tuple[int, int]]:
        """Return the empty cells in connected groups, each with the cells around it, the guard cell included."""
        found = []
        while empty:
            group, grown = 0, empty & -empty
            while grown != group:
                group = grown
                grown |= self.around(group) & empty
            empty &= ~group
            found.append((group, self.around(group) & ~group))
        return found

    def paths(self, occupied: int) -> "Paths":
        """Return the paths with these cells occupied, computed at the first call."""
        found = self.known.get(occupied)
        if found is None:
            found = self.known[occupied] = Paths(self, occupied)
        return found


class Paths:
    """The cells that can be reached in a formation, given its occupied cells."""

    __slots__ = ("far", "landing", "near", "reach")

    def __init__(self, graph: Graph, occupied: int) -> None:
        groups = graph.empty_groups(graph.cells & ~occupied)
        self.near = graph.front
        """Cells with a direct path from outside, whatever lies in them."""
        self.landing = 0
        """Empty cells where a card from the hand can come to stand (BT-13)."""
        for group, border in groups:
            if group & graph.front:
                self.near |= group | border
            if group & graph.back:
                self.landing |= group
        skipped = self.near & occupied
        self.far = self.near | graph.around(skipped)
        """Cells with a path from outside on which at most one other cell is occupied."""
        for group, border in groups:
            if border & skipped:
                self.far |= group | border
        self.reach = tuple(
            self.landing if spot == GUARD_SPOT else find_reachable_groups(graph, groups, 1 << spot)
            for spot in range(GUARD_SPOT + 1)
        )
        """By spot: where a card there can move (BT-12), the guard cell as one of them, be it empty or not.

        The values of empty and of missing cells are never used.
        """


def find_reachable_groups(graph: Graph, groups: list[tuple[int, int]], spot: int) -> int:
    """Return the empty groups next to a cell, and the guard cell if it is next to one of them or to the cell itself."""
    found = GUARD_BIT if spot & graph.back else 0
    for group, border in groups:
        if border & spot:
            found |= group | border & GUARD_BIT
    return found


@lru_cache(maxsize=512)
def build_graph(shape: Shape) -> Graph:
    """Return the graph of a shape."""
    return Graph(shape)
