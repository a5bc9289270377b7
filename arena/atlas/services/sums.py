"""Change the sums of cells by what legs added to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arena.atlas.models import Cell, EntryCell, LegCounts
from arena.ladders.models import Ladder
from engine.core import Count

MAX_CELLS_PER_LADDER = 3000
"""Battle Line has some two hundred. A game that counts more rows than anybody reads gets no further ones."""
CellWords = tuple[str, str, str]
"""Chart, row and column."""


@dataclass(slots=True)
class Sum:
    """How often something happened, and the points of who did it."""

    count: int = 0
    points: float = 0.0

    def add(self, count: int, points: float) -> None:
        """Add to both; nothing is left of the points once nothing is left of the count."""
        self.count += count
        self.points = self.points + points if self.count else 0.0


def find_or_make_cells(ladder: Ladder, counts: Iterable[Count]) -> dict[CellWords, int]:
    """Return the keys of all cells of a ladder, after those of these counts are made."""
    known = _read_cells(ladder)
    missing = dict.fromkeys((one.chart, one.row, one.column) for one in counts)
    new = [words for words in missing if words not in known][: max(MAX_CELLS_PER_LADDER - len(known), 0)]
    if not new:
        return known
    Cell.objects.bulk_create(
        [Cell(ladder=ladder, chart=chart, row=row, column=column) for chart, row, column in new], ignore_conflicts=True
    )
    return _read_cells(ladder)


def change_sums(rows: Iterable[LegCounts], sign: int) -> None:
    """Add what these legs yielded to the sums, or with a sign of -1 subtract it."""
    cells, of_entries = sum_leg_counts(rows)
    found = list(Cell.objects.filter(pk__in=cells).order_by("pk"))
    for cell in found:
        _change(cell, cells[cell.pk], sign)
    Cell.objects.bulk_create(
        found,
        update_conflicts=True,
        unique_fields=["ladder", "chart", "row", "column"],
        update_fields=["count", "points"],
    )
    known = _read_entry_cells(of_entries)
    for (entry, cell_key), added in of_entries.items():
        row = known.setdefault((entry, cell_key), EntryCell(cell_id=cell_key, entry_id=entry))
        _change(row, added, sign)
    EntryCell.objects.bulk_create(
        [known[key] for key in of_entries],
        update_conflicts=True,
        unique_fields=["entry", "cell"],
        update_fields=["count", "points"],
    )


def sum_leg_counts(rows: Iterable[LegCounts]) -> tuple[dict[int, Sum], dict[tuple[int, int], Sum]]:
    """Return what these legs yielded, by cell, and by entry and cell."""
    cells: dict[int, Sum] = {}
    of_entries: dict[tuple[int, int], Sum] = {}
    for row in rows:
        *by_participant, whole = row.cells
        for cell in whole:
            cells.setdefault(cell, Sum()).add(1, 0.0)
        for entry, points, own in zip(row.entries, row.points, by_participant, strict=True):
            for cell in whole:
                of_entries.setdefault((entry, cell), Sum()).add(1, 0.0)
            for cell in own:
                cells.setdefault(cell, Sum()).add(1, points)
                of_entries.setdefault((entry, cell), Sum()).add(1, points)
    return cells, of_entries


def _read_cells(ladder: Ladder) -> dict[CellWords, int]:
    rows = Cell.objects.filter(ladder=ladder).values_list("chart", "row", "column", "pk")
    return {(chart, row, column): key for chart, row, column, key in rows}


def _read_entry_cells(keys: Mapping[tuple[int, int], Sum]) -> dict[tuple[int, int], EntryCell]:
    entries, cells = {entry for entry, _cell in keys}, {cell for _entry, cell in keys}
    rows = EntryCell.objects.filter(entry__in=entries, cell__in=cells)
    return {(row.entry_id, row.cell_id): row for row in rows}


def _change(row: Cell | EntryCell, by: Sum, sign: int) -> None:
    total = Sum(row.count, row.points)
    total.add(sign * by.count, sign * by.points)
    row.count, row.points = total.count, total.points
