"""Every formation there is, counted once, and what is connected in it by three readings of BT-3."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from random import Random

import pytest

from engine.games.battalion.geometry import (
    GUARD_SPOT,
    MAX_CELLS_PER_ROW,
    BadShape,
    Paths,
    build_graph,
    build_shape,
    list_bits,
)
from tests.engine.battalion.ground import Field, Place, Rows, Spot, fits, formations, joined
from tests.engine.battalion.staging import any_rows
from tests.engine.plays import how_many
from tests.full import is_full_run

COUNTS = {1: 4, 2: 284, 3: 33_980}
"""Formations of one, two and three rows of one to four cells, up to shift."""
WIDEST = {1: 6, 2: 12, 3: 18}
"""The largest half-column of any of them."""
ROW_COUNTS = {(1, 1): 1, (1, 2): 3, (2, 2): 5, (1, 4): 7, (3, 3): 21, (2, 4): 19, (4, 4): 87}
"""Of two rows, some by the lengths of the rows. One cell over a run of n stands over any of its 2n - 1 half-columns,
end to end; two pairs are shifted against each other by up to two half-columns either way."""
each_depth = pytest.mark.parametrize("depth", COUNTS)
SAMPLING_STEP = {1: 1, 2: 1, 3: 1 if is_full_run() else 20}
"""By the number of rows, of how many formations one is looked at where that takes long."""


@cache
def every(depth: int) -> tuple[Rows, ...]:
    return tuple(formations(depth))


@each_depth
def test_so_many_formations_there_are(depth: int) -> None:
    assert len(set(every(depth))) == len(every(depth)) == COUNTS[depth]
    assert max(x for rows in every(depth) for line in rows for x in line) == WIDEST[depth]
    assert all(min(line[0] for line in rows) == 0 for rows in every(depth))


def test_formations_of_two_rows_by_their_lengths() -> None:
    for (one, other), count in ROW_COUNTS.items():
        for lengths in ((one, other), (other, one)):
            assert sum(1 for rows in every(2) if tuple(map(len, rows)) == lengths) == count


@each_depth
def test_mirrored_and_turned_formations_are_formations(depth: int) -> None:
    known = set(every(depth))
    for rows in known:
        right = max(line[-1] for line in rows)
        assert tuple(tuple(right - x for x in reversed(line)) for line in rows) in known
        assert rows[::-1] in known


@each_depth
def test_the_engine_knows_every_formation_and_its_connections(depth: int) -> None:
    for rows in every(depth)[:: SAMPLING_STEP[depth]]:
        shape = build_shape(rows)
        assert shape.rows == rows
        spots = [(row, x) for row, line in enumerate(rows) for x in line]
        touching = touching_bricks(rows)
        for spot, others in zip(spots, shape.neighbours, strict=True):
            assert {spots[other] for other in others} == touching[spot]
        assert [spots[cell][0] for cell in shape.front] == [0] * len(rows[0])
        assert [spots[cell][0] for cell in shape.back] == [depth - 1] * len(rows[-1])


def test_cells_are_named_by_row_and_letter_from_the_left() -> None:
    assert build_shape(((0, 2), (1,), (-2, 0, 2, 4))).cells == ("1a", "1b", "2a", "3a", "3b", "3c", "3d")


def touching_bricks(rows: Rows) -> dict[Spot, set[Spot]]:
    """A second reading of BT-3: cells are bricks two half-columns wide, laid in courses.

    Bricks of a course are connected where they touch; bricks of neighbouring courses where they face each other, if
    one of the two faces bricks along its whole length.
    """
    found: dict[Spot, set[Spot]] = {(row, x): set() for row, line in enumerate(rows) for x in line}
    for one, other in combinations(found, 2):
        if one[0] == other[0]:
            connected = one[1] + 2 == other[1] or other[1] + 2 == one[1]
        else:
            facing = {one[1], one[1] + 1} & {other[1], other[1] + 1}
            connected = bool(facing) and abs(one[0] - other[0]) == 1
            connected = connected and (covered(rows, one, other[0]) or covered(rows, other, one[0]))
        if connected:
            found[one].add(other)
            found[other].add(one)
    return found


def covered(rows: Rows, spot: Spot, course: int) -> bool:
    halves = {half for x in rows[course] for half in (x, x + 1)}
    return {spot[1], spot[1] + 1} <= halves


@each_depth
def test_two_independent_readings_of_the_connections_agree(depth: int) -> None:
    for rows in every(depth)[:: SAMPLING_STEP[depth]]:
        touching = touching_bricks(rows)
        for one, other in combinations(touching, 2):
            assert joined(rows, one, other) == (other in touching[one])


def two_rows() -> Iterator[Rows]:
    """All sets of one to three cells in two rows, eight half-columns wide, good and bad."""
    lines = [line for length in (1, 2, 3) for line in combinations(range(8), length)]
    yield from product(lines, lines)


def almost(rows: Rows) -> Iterator[Rows]:
    """Each cell in turn moved half a column to either side, or left out."""
    for row, line in enumerate(rows):
        for place, x in enumerate(line):
            for step in ((), (x - 1,), (x + 1,)):
                changed = tuple(sorted(line[:place] + step + line[place + 1 :]))
                yield rows[:row] + (changed,) + rows[row + 1 :]


def is_accepted(rows: Rows) -> bool:
    try:
        build_shape(rows)
    except BadShape as error:
        assert "(BT-2)" in str(error) or "(BT-3)" in str(error)
        assert any(place in str(error) for place in ("cell", "row"))
        return False
    return True


def test_the_engine_accepts_what_fits_and_nothing_else() -> None:
    tried = [False, False]
    for rows in (*two_rows(), *(other for known in every(3)[:: 20 * SAMPLING_STEP[3]] for other in almost(known))):
        assert is_accepted(rows) == fits(rows)
        tried[fits(rows)] += 1
    assert min(tried) > 600


def test_a_formation_is_shifted_so_that_its_smallest_half_column_is_0() -> None:
    for shift in (-99, -7, 0, 3, 80):
        rows = tuple(tuple(x + shift for x in line) for line in ((1, 3), (0, 2, 4), (2,)))
        assert build_shape(rows).rows == ((1, 3), (0, 2, 4), (2,))


WRONG = [
    ((), "a formation has one to three rows, not 0 (BT-2)"),
    (((0,),) * 4, "a formation has one to three rows, not 4 (BT-2)"),
    (((0, 2), ()), "row 2 has 0 cells; a row has one to four (BT-2)"),
    (((0,), (0, 2, 4, 6, 8)), "row 2 has 5 cells; a row has one to four (BT-2)"),
    (((0, 2), (0, 1)), "cells 2a at 0 and 2b at 1 are less than 2 apart (BT-3)"),
    (((0, 0),), "cells 1a at 0 and 1b at 0 are less than 2 apart (BT-3)"),
    (((0, 3),), "cell 1b isn't connected to cell 1a (BT-3)"),
    (((0, 2), (5,)), "cell 2a isn't connected to cell 1a (BT-3)"),
    (((0,), (1,)), "cell 2a isn't connected to cell 1a (BT-3)"),
    (((0,), (0, 4)), "cell 2b isn't connected to cell 1a (BT-3)"),
    (((0,), (0,), (1, 3)), "cell 3a isn't connected to cell 1a (BT-3)"),
]


@pytest.mark.parametrize(("rows", "words"), WRONG)
def test_a_refusal_says_where_and_by_which_ruling(rows: Rows, words: str) -> None:
    with pytest.raises(BadShape) as caught:
        build_shape(rows)
    assert str(caught.value) == words


# The engine's tables of paths against a search of the whole table, in random positions (BT-4, BT-11 to BT-13).

POSITIONS = how_many(60)


class Table:
    """Two to four random formations with random cells occupied, for the engine and for the search."""

    def __init__(self, rng: Random) -> None:
        seats = range(rng.choice((2, 2, 3, 4)))
        self.tables = {seat: straight(any_rows(rng, lengths(rng))) for seat in seats}
        share = rng.choice((0.2, 0.4, 0.6, 0.8))
        full = [spot for spot in Field(self.tables, []).places if rng.random() < share]
        self.field = Field(self.tables, full)
        self.paths = {seat: paths_of(rows, seat, full) for seat, rows in self.tables.items()}

    def places(self, seat: int) -> Iterator[tuple[int, Place]]:
        """Every cell of a seat by the engine's number, the guard cell last."""
        for row, line in enumerate(self.tables[seat]):
            for column, x in enumerate(line):
                yield MAX_CELLS_PER_ROW * row + column, (seat, row, x)
        yield GUARD_SPOT, (seat, None, None)

    def starts(self) -> Iterator[tuple[int, Place]]:
        """Where seat 0 has a card, and its guard cell."""
        return ((spot, place) for spot, place in self.places(0) if spot == GUARD_SPOT or place in self.field.occupied)


def lengths(rng: Random) -> list[int]:
    return [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]


def straight(rows: Rows) -> Rows:
    return build_shape(rows).rows


def paths_of(rows: Rows, seat: int, full: list[Place]) -> Paths:
    own = [(row, x) for owner, row, x in full if owner == seat and row is not None and x is not None]
    return build_graph(build_shape(rows)).paths(
        sum(1 << MAX_CELLS_PER_ROW * row + rows[row].index(x) for row, x in own)
    )


def test_paths_to_the_others_are_those_a_search_of_the_whole_table_finds() -> None:
    """From every full cell to every cell of another: direct, or over one occupied cell, or neither."""
    seen: Counter[str] = Counter()
    for seed in range(POSITIONS):
        table = Table(Random(seed))
        for spot, start in table.starts():
            for goal, target in table.places(1):
                mine, theirs = table.paths[0], table.paths[1]
                direct = bool(mine.near >> spot & theirs.near >> goal & 1)
                skip = bool((mine.near >> spot & theirs.far >> goal | mine.far >> spot & theirs.near >> goal) & 1)
                skips = table.field.skips(start, target)
                assert (direct, skip) == (0 in skips, bool(skips)), (seed, start, target)
                seen[f"{direct} {skip}"] += 1
    assert len(seen) == 3 and min(seen.values()) > 100


def test_moves_and_reinforcements_reach_what_a_search_of_the_own_formation_finds() -> None:
    for seed in range(POSITIONS):
        table = Table(Random(seed))
        back = len(table.tables[0]) - 1
        empty = [place for _, place in table.places(0) if place not in table.field.occupied]
        doors = [place for place in empty if place[1] == back]
        for spot, start in table.starts():
            reach = set(list_bits(table.paths[0].reach[spot]))
            for goal, target in table.places(0):
                if target in empty and target != start:
                    assert (goal in reach) == (0 in table.field.skips(start, target, inside=True)), (seed, start)
        for spot, place in table.places(0):
            if place in empty and spot != GUARD_SPOT:
                entered = place in doors or any(0 in table.field.skips(door, place, inside=True) for door in doors)
                assert bool(table.paths[0].landing >> spot & 1) == entered


def test_the_search_finds_what_walking_every_path_without_a_repeated_cell_finds() -> None:
    """The oracle itself, against a plainer and slower one, on small tables."""
    for seed in range(POSITIONS):
        rng = Random(seed)
        tables = {seat: any_rows(rng, [rng.randint(1, 2) for _ in range(rng.randint(1, 2))]) for seat in range(3)}
        field = Field(tables, [place for place in Field(tables, []).places if rng.random() < 0.5])
        ends = [*field.places, (0, None, None), (1, None, None)]
        for start in ends:
            for target in ends:
                if start[0] == 0 and target[0] == 1:
                    fewest = min(walk(field, [start], target))
                    assert min(field.skips(start, target), default=2) == min(fewest, 2), (seed, start, target)


def walk(field: Field, path: list[Place], target: Place) -> Iterator[int]:
    """Occupied cells passed on each path that goes on from here."""
    if field.connected(path[-1], target):
        yield sum(place in field.occupied for place in path[1:])
    for place in field.places:
        if place != target and place not in path and field.connected(path[-1], place):
            yield from walk(field, [*path, place], target)
