"""Every formation there is, counted once, and what is connected in it by three readings of BT-3."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import pytest

from engine.games.battalion.geometry import BadShape, build_shape
from tests.engine.battalion.ground import Rows, Spot, fits, formations, joined
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
    (((0, 3),), "cell 1b is not connected with cell 1a (BT-3)"),
    (((0, 2), (5,)), "cell 2a is not connected with cell 1a (BT-3)"),
    (((0,), (1,)), "cell 2a is not connected with cell 1a (BT-3)"),
    (((0,), (0, 4)), "cell 2b is not connected with cell 1a (BT-3)"),
    (((0,), (0,), (1, 3)), "cell 3a is not connected with cell 1a (BT-3)"),
]


@pytest.mark.parametrize(("rows", "words"), WRONG)
def test_a_refusal_says_where_and_by_which_ruling(rows: Rows, words: str) -> None:
    with pytest.raises(BadShape) as caught:
        build_shape(rows)
    assert str(caught.value) == words
