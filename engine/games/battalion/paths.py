"""Direct paths, as tables that are worked out once for a shape and its occupied cells (BT-4, BT-11).

Cells are spots here (`Shape.spots`), the guard cell is one more, and a set of cells is an integer with a bit for each.

All front cells of different seats are connected with each other, so a path to another's card leaves the own formation
at its front and enters the other at its front; a third one is never of use. Whether a cell can be reached from the
front is the same question for who leaves and who comes.
"""

from functools import cache, lru_cache

from engine.games.battalion.geometry import Shape

GUARD = 12
GUARD_BIT = 1 << GUARD
CELL_BITS = GUARD_BIT - 1


@cache
def bits(mask: int) -> tuple[int, ...]:
    """The members of a set of spots or cards, ascending."""
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


class Graph:
    """The connections of a shape as sets of spots. The guard cell lies behind the back row."""

    def __init__(self, shape: Shape) -> None:
        spots = shape.spots
        self.shape = shape
        self.cells = sum(1 << spot for spot in spots)
        self.front = sum(1 << spots[cell] for cell in shape.front)
        self.back = sum(1 << spots[cell] for cell in shape.back)
        self.beside = [0] * (GUARD + 1)
        """By spot: the cells connected to it. Paths only end in the guard cell, so it is beside none (BT-4)."""
        for cell, others in enumerate(shape.neighbours):
            self.beside[spots[cell]] = sum(1 << spots[other] for other in others)
        self.beside[GUARD] = self.back
        self.known: dict[int, Paths] = {}

    def around(self, cells: int) -> int:
        """All cells connected to one of these, the guard cell included."""
        found = GUARD_BIT if cells & self.back else 0
        for spot in bits(cells):
            found |= self.beside[spot]
        return found

    def flood(self, cells: int, empty: int) -> int:
        """These cells, and all that can be reached from them through empty ones."""
        grown = cells
        while True:
            more = self.around(grown) & empty & ~grown
            if not more:
                return grown
            grown |= more

    def paths(self, occupied: int) -> "Paths":
        found = self.known.get(occupied)
        if found is None:
            found = self.known[occupied] = Paths(self, occupied)
        return found


class Paths:
    """What can be reached in a formation of which these cells are occupied."""

    __slots__ = ("landing", "near", "far", "reach")

    def __init__(self, graph: Graph, occupied: int) -> None:
        empty = graph.cells & ~occupied
        entered = graph.flood(graph.front & empty, empty)
        self.near = graph.front | graph.around(entered)
        """Cells with a direct path from outside, whatever lies in them."""
        skipped = self.near & occupied
        beyond = graph.flood(graph.around(skipped) & empty, empty)
        self.far = self.near | graph.around(skipped) | graph.around(beyond)
        """Cells with a path from outside on which at most one other cell is occupied."""
        self.landing = graph.flood(graph.back & empty, empty)
        """Empty cells where a card from the hand can come to stand (BT-13)."""
        self.reach = tuple(
            self.landing if spot == GUARD else self.walk(graph, spot, empty) for spot in range(GUARD + 1)
        )
        """By spot: where a card there can move (BT-12), the guard cell as one of them, be it empty or not."""

    @staticmethod
    def walk(graph: Graph, spot: int, empty: int) -> int:
        if not graph.cells >> spot & 1:
            return 0
        found = graph.flood(graph.beside[spot] & empty, empty) & ~(1 << spot)
        return found | (GUARD_BIT if (found | 1 << spot) & graph.back else 0)


@lru_cache(maxsize=512)
def graph_of(shape: Shape) -> Graph:
    return Graph(shape)
