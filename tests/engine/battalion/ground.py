"""Formations and paths read from the rules' words, by trying everything: nothing is shared with the engine.

Rows are tuples of half-columns, front to back. A place is `(seat, row, x)`, a guard cell `(seat, None, None)`.
"""

from collections.abc import Iterator, Mapping, Sequence

Rows = tuple[tuple[int, ...], ...]
Spot = tuple[int, int]
"""Row from the front, from 0, and half-column."""
Place = tuple[int, int | None, int | None]

WIDEST = 4
DEEPEST = 3


def joined(rows: Rows, one: Spot, other: Spot) -> bool:
    """BT-3, for two cells."""
    (row, x), (line, y) = one, other
    if row == line:
        return abs(x - y) == 2
    if abs(row - line) != 1:
        return False
    if x == y:
        return True
    return abs(x - y) == 1 and (2 * x - y in rows[line] or 2 * y - x in rows[row])


def parts(rows: Rows) -> list[list[Spot]]:
    """The cells, sorted into groups that hang together."""
    left = [(row, x) for row, line in enumerate(rows) for x in line]
    found = []
    while left:
        part = [left.pop()]
        for spot in part:
            rest = []
            for other in left:
                (part if joined(rows, spot, other) else rest).append(other)
            left = rest
        found.append(part)
    return found


def fits(rows: Rows) -> bool:
    """BT-2 and BT-3: one to three rows of one to four cells, two half-columns apart or more, all connected."""
    if not 1 <= len(rows) <= DEEPEST or not all(1 <= len(line) <= WIDEST for line in rows):
        return False
    apart = all(abs(x - y) >= 2 for line in rows for i, x in enumerate(line) for y in line[:i])
    return apart and len(parts(rows)) == 1


def formations(depth: int) -> Iterator[Rows]:
    """Every formation of so many rows up to shift, once: grown column by column from half-column 0.

    No bound is needed: a part that ends more than one half-column before the last one can't be joined any more.
    """
    nothing: Rows = ((),) * depth
    yield from grow(nothing, 0, [])


def grow(rows: Rows, x: int, hanging: list[list[Spot]]) -> Iterator[Rows]:
    """The formations that begin with `rows` and have at least one cell more, at half-column `x` or after it.

    `hanging` are the parts of `rows`.
    """
    for added in range(x == 0, 2 ** len(rows)):
        now = tuple(line + (x,) if added >> row & 1 else line for row, line in enumerate(rows))
        if any(len(line) > WIDEST or (len(line) > 1 and line[-1] - line[-2] < 2) for line in now):
            continue
        groups = parts(now) if added else hanging
        if added and all(now) and len(groups) == 1:
            yield now
        if all(max(column for _, column in group) >= x - 1 for group in groups):
            yield from grow(now, x + 1, groups)


class Field:
    """All formations on the table: which places there are, which are connected, and which are occupied."""

    def __init__(self, tables: Mapping[int, Rows], occupied: Sequence[Place]) -> None:
        self.tables = tables
        self.occupied = set(occupied)
        self.places = [(seat, row, x) for seat, rows in tables.items() for row, line in enumerate(rows) for x in line]

    def connected(self, one: Place, other: Place) -> bool:
        """BT-3 and BT-4."""
        (seat, row, x), (owner, line, y) = one, other
        if seat != owner:
            return row == line == 0
        rows = self.tables[seat]
        back = len(rows) - 1
        if row is None or x is None or line is None or y is None:
            return (row is None) != (line is None) and back in (row, line)
        return joined(rows, (row, x), (line, y))

    def skips(self, start: Place, target: Place, inside: bool = False) -> set[int]:
        """How many occupied cells, of 0 and 1, a path from `start` to `target` can pass over (BT-11).

        `inside`: only cells of the own formation. No guard cell is passed.
        """
        between = [place for place in self.places if place not in (start, target)]
        if inside:
            between = [place for place in between if place[0] == start[0]]
        reached = [(start, 0)]
        found = set()
        for place, skipped in reached:
            if self.connected(place, target):
                found.add(skipped)
            for step in between:
                if self.connected(place, step):
                    now = skipped + (step in self.occupied)
                    if now <= 1 and (step, now) not in reached:
                        reached.append((step, now))
        return found
