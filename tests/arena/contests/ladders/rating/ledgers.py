"""Small ladders for tests of the fit."""

from collections.abc import Iterable, Sequence

import numpy as np

from arena.contests.ladders.fit import Entities, Stats

Row = tuple[int, int, float, float]
"""Two entities, and how many single games each won of the other. A game is a match of two legs of dispersion 2."""
SINGLE = 2.0


def entities(count: int, **columns: Sequence[float]) -> Entities:
    """Return newcomers, with the given columns."""
    given = {name: np.array(column) for name, column in columns.items()}
    return Entities(
        rating0=given.get("rating0", np.full(count, 1500.0)),
        deviation0=given.get("deviation0", np.full(count, 300.0)),
        parent=given.get("parent", np.full(count, -1)),
        is_root=given.get("is_root", given.get("parent", np.full(count, -1)) < 0),
        is_active=given.get("is_active", np.ones(count, dtype=np.bool_)),
        is_anchor=given.get("is_anchor", np.zeros(count, dtype=np.bool_)),
    )


def known(count: int, deviation: float, rating: float = 0.0) -> Entities:
    """Return entities whose prior ratings are the same."""
    return entities(
        count, rating0=[rating] * count, deviation0=[deviation] * count, is_root=np.zeros(count, dtype=np.bool_)
    )


def stats(rows: Iterable[Row]) -> Stats:
    table = np.array([(one, other, 2, won + lost, 4 * won, 16 * won) for one, other, won, lost in rows]).reshape(-1, 6)
    one, other, seats = table[:, :3].astype(np.int64).T
    return Stats(one, other, seats, *table[:, 3:].T)


def matches(rows: Iterable[tuple[int, int, int, int]]) -> Stats:
    """Of matches, each two entities, the seats of the table and the half points of the first. Sums of each two."""
    sums: dict[tuple[int, int, int], list[int]] = {}
    for one, other, seats, halves in rows:
        if one > other:
            one, other, halves = other, one, 2 * seats - halves
        row = sums.setdefault((one, other, seats), [0, 0, 0])
        row[:] = row[0] + 1, row[1] + halves, row[2] + halves**2
    table = np.array([(*key, *row) for key, row in sums.items()], dtype=np.int64).reshape(-1, 6)
    return Stats(*np.ascontiguousarray(table.T))


def turned(told: Stats, order: Sequence[int]) -> Stats:
    """The same in another order of rows."""
    rows = list(order)
    columns = (told.first, told.second, told.seats, told.matches, told.halves, told.squares)
    return Stats(*(column[rows] for column in columns))
