"""Shapes of formations: which cells there are, and which of them are connected (BT-2, BT-3).

A shape is rows of half-columns, front to back. Cells are numbered front to back, left to right.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from engine.core import Refusal, refuse
from engine.message import gettext_noop

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
            raise BadShape(refuse(gettext_noop("cell %(cell)s is not connected with cell 1a"), "BT-3", cell=cell))


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
