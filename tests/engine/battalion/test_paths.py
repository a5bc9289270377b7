"""The engine's tables of paths against a search of the whole table, in random positions (BT-4, BT-11 to BT-13)."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from engine.games.battalion.geometry import MAX_CELLS_PER_ROW, build_shape
from engine.games.battalion.paths import GUARD_SPOT, Paths, build_graph, list_bits
from tests.engine.battalion.ground import Field, Place, Rows
from tests.engine.battalion.staging import any_rows
from tests.engine.plays import how_many

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
