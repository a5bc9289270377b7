"""Find direct paths by tables that are computed once for a shape and its occupied cells (BT-4, BT-11).

Cells are spots here (`Shape.spots`), the guard cell is one more, and a set of cells is an integer with a bit for each.

All front cells of different seats are connected with each other, so a path to another's card leaves the own formation
at its front and enters the other at its front; a third one is never of use. Which cells can be reached from the front
is the same question for the seat that leaves and for the one that is entered.
"""

from functools import cache, lru_cache
from typing import Final

from engine.games.battalion.geometry import Shape

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
