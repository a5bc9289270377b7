"""Build the charts of the atlas: each a picture and a table with the same numbers, whose cells lead to matches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from urllib.parse import urlencode

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.atlas.queries.cells import CellSum
from arena.ladders.models import Ladder
from arena.ladders.rating.elo import Z_SCORE_95
from arena.pages.formatting import format_count, format_percent
from arena.pages.games import find_presentation
from arena.pages.games.chart_words import ChartKind, ChartWords, build_common_charts
from arena.pages.svg.atlas import Bar, draw_bars, draw_bars_from_half, draw_columns, draw_grid_of_squares
from engine.counting import BEHIND, FIRST, SHARED
from engine.registry import find_game

BIN_WIDTHS = tuple(lead * 10**power for power in range(6) for lead in (1, 2, 5))
MAX_BINS = 16
MIN_COUNT_OF_MARGIN = 10
"""Below, the normal approximation says nothing."""

Place = tuple[str, str]
"""Row and column."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A number of the table."""

    text: str
    note: str = ""
    """What stands below it, smaller."""
    query: str = ""
    """What leads to the list of its matches; empty where there is none."""
    label: str = ""
    """What the link is called for who can't see where it stands."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table."""

    label: str
    cells: list[TableCell]


@dataclass(frozen=True, slots=True)
class ShownChart:
    """A chart as the page shows it."""

    key: str
    title: str
    note: str
    picture: SafeString
    head: list[str]
    rows: list[TableRow]
    total: int


@dataclass(frozen=True, slots=True)
class Counts:
    """The sums of one chart, by row and column."""

    cells: Mapping[Place, CellSum]

    @property
    def total(self) -> int:
        """Return how often anything happened."""
        return sum(one.count for one in self.cells.values())

    def count(self, row: str, column: str = "") -> int:
        """Return how often it happened."""
        found = self.cells.get((row, column))
        return found.count if found else 0

    def share(self, row: str, column: str) -> float:
        """Return its share of what happened in its column, from 0 to 1."""
        return divide(self.count(row, column), self.count_column(column))

    def count_column(self, column: str) -> int:
        """Return how often something happened in a column."""
        return sum(one.count for (_row, other), one in self.cells.items() if other == column)

    def mean_points(self, row: str, column: str) -> float | None:
        """Return the mean points of who did it; None where nobody did."""
        found = self.cells.get((row, column))
        return found.points / found.count if found else None


def divide(part: float, whole: float) -> float:
    """Return the share, which is 0 where there is nothing."""
    return part / whole if whole else 0.0


def build_charts(ladder: Ladder, sums: Sequence[CellSum], field: Sequence[CellSum] | None = None) -> list[ShownChart]:
    """Return the charts of a ladder, or of a bot beside those of its field, in which something was counted."""
    found: dict[str, dict[Place, CellSum]] = {}
    of_field: dict[str, dict[Place, CellSum]] = {}
    for target, cells in ((found, sums), (of_field, field or ())):
        for one in cells:
            target.setdefault(one.chart, {})[one.row, one.column] = one
    shown = []
    for words in list_words(ladder, found):
        cells_of_field = None if field is None else Counts(of_field.get(words.key, {}))
        shown.append(BUILDERS[words.kind](words, Counts(found[words.key]), cells_of_field))
    return shown


def list_words(ladder: Ladder, found: Mapping[str, Mapping[Place, CellSum]]) -> list[ChartWords]:
    """Return the words of these charts: endings, the game's own, seats and lengths, then those without words."""
    game, presentation = find_game(ladder.game), find_presentation(ladder.game, ladder.edition)
    common = build_common_charts(presentation.name_seat, presentation.ending_labels, game.counts, game.seats.stop - 1)
    known = [common[0], *presentation.charts, *common[1:]]
    named = {words.key for words in known}
    unnamed = [
        ChartWords(key, ChartKind.MAP if any(column for _row, column in cells) else ChartKind.PARTS, key)
        for key, cells in found.items()
        if key not in named
    ]
    return [words for words in (*known, *unnamed) if words.key in found]


def in_order(known: Sequence[str], found: Sequence[str]) -> list[str]:
    """Return what was found in the known order, then what isn't known."""
    return [one for one in known if one in found] + [one for one in dict.fromkeys(found) if one not in known]


def build_query(words: ChartWords, row: str, column: str = "", last: str = "") -> str:
    """Return the query of the list of matches of a cell, or of those from a row to the last."""
    values = {"chart": words.key, "row": row, "to": last, "column": column}
    return urlencode({name: value for name, value in values.items() if value})


def describe_share(share: float, field: float | None) -> str:
    """Return a share, and in brackets the field's; nothing where there is nothing."""
    if not share and not field:
        return ""
    return format_percent(share) if field is None else f"{format_percent(share)} ({format_percent(field)})"


def build_map(words: ChartWords, counts: Counts, field: Counts | None) -> ShownChart:
    """Return how each column divides among the rows. The table has a line for each column: there are more of them."""
    places = [*counts.cells, *(field.cells if field else ())]
    rows = in_order(words.rows, [row for row, _column in places])
    columns = in_order(words.columns, [column for _row, column in places])
    names = [words.name_row(row) for row in rows]
    lines = []
    for column in columns:
        label = words.name_column(column)
        cells = [
            make_count(
                words,
                counts.count(row, column),
                describe_share(counts.share(row, column), field.share(row, column) if field else None),
                f"{label}, {name}",
                build_query(words, row, column),
            )
            for row, name in zip(rows, names, strict=True)
        ]
        lines.append(TableRow(label, cells))
    shares = [[counts.share(row, column) for column in columns] for row in rows]
    of_field = [[field.share(row, column) for column in columns] for row in rows] if field else None
    picture = draw_grid_of_squares(names, [one.label for one in lines], shares, of_field, describe_picture(words))
    return finish(words, counts, picture, [str(words.column_title), *names], lines)


def build_points(words: ChartWords, counts: Counts, field: Counts | None) -> ShownChart:
    """Return how many points who did it made, for each row, and each column where there are several."""
    rows = in_order(words.rows, [row for row, _column in counts.cells])
    columns = in_order(words.columns, sorted({column for _row, column in counts.cells}))
    bars, lines = [], []
    for column in columns:
        for row in rows:
            share = counts.mean_points(row, column)
            if share is None:
                continue
            name = words.name_row(row)
            label = f"{words.name_column(column)}, {name}" if len(columns) > 1 else name
            times, of_field = counts.count(row, column), field.mean_points(row, column) if field else None
            margin = find_margin(share, times)
            bars.append(Bar(label, share, margin, of_field))
            cells = [
                make_count(words, times, "", label, build_query(words, row, column)),
                TableCell(format_percent(share), "" if margin is None else f"± {margin * 100:.0f}"),
            ]
            if field:
                cells.append(TableCell("–" if of_field is None else format_percent(of_field)))
            lines.append(TableRow(label, cells))
    picture = draw_bars_from_half(bars, describe_picture(words))
    head = [str(words.row_title), _("Times"), _("Points"), *([_("Field")] if field else [])]
    return finish(words, counts, picture, head, lines)


def find_margin(share: float, count: int) -> float | None:
    """Return half of the 95 % interval of a share; None where it was counted too seldom."""
    return Z_SCORE_95 * sqrt(share * (1 - share) / count) if count >= MIN_COUNT_OF_MARGIN else None


def build_steps(words: ChartWords, counts: Counts, field: Counts | None) -> ShownChart:
    """Return when it happened, several numbers put together where there are many."""
    numbers = sorted({int(row) for row, _column in [*counts.cells, *(field.cells if field else ())] if row.isdecimal()})
    bins = choose_bins(numbers)

    def count(found: Counts, first: int, last: int) -> int:
        return sum(found.count(str(number)) for number in range(first, last + 1))

    lines, shares = [], []
    of_field: list[float] | None = [] if field else None
    for first, last in bins:
        label = str(first) if first == last else f"{first}–{last}"
        times = count(counts, first, last)
        shares.append(divide(times, counts.total))
        query = build_query(words, str(first), last="" if first == last else str(last))
        cells = [make_count(words, times, "", label, query), TableCell(format_percent(shares[-1]))]
        if field and of_field is not None:
            of_field.append(divide(count(field, first, last), field.total))
            cells.append(TableCell(format_percent(of_field[-1])))
        lines.append(TableRow(label, cells))
    picture = draw_columns([line.label.partition("–")[0] for line in lines], shares, of_field, describe_picture(words))
    head = [str(words.row_title), _("Times"), _("Share"), *([_("Field")] if field else [])]
    return finish(words, counts, picture, head, lines)


def choose_bins(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and the last number of each bin, all as wide, from the lowest number to the highest."""
    if not numbers:
        return []
    width = next(
        (one for one in BIN_WIDTHS if find_bin(numbers[-1], one) - find_bin(numbers[0], one) < MAX_BINS), BIN_WIDTHS[-1]
    )
    bins = range(find_bin(numbers[0], width), find_bin(numbers[-1], width) + 1)
    return [(1 + one * width, (one + 1) * width) for one in bins]


def find_bin(number: int, width: int) -> int:
    """Return the bin of a number: 1 to `width` are in the first one."""
    return (number - 1) // width


def build_parts(words: ChartWords, counts: Counts, field: Counts | None) -> ShownChart:
    """Return how the whole divides among the rows."""
    rows = in_order(words.rows, [row for row, _column in counts.cells])
    bars, lines = [], []
    for row in rows:
        label, times = words.name_row(row), counts.count(row)
        share = divide(times, counts.total)
        of_field = divide(field.count(row), field.total) if field else None
        bars.append(Bar(label, share, field=of_field))
        cells = [
            make_count(words, times, "", label, build_query(words, row)),
            TableCell(describe_share(share, of_field)),
        ]
        lines.append(TableRow(label, cells))
    head = [str(words.row_title), _("Times"), _("Share")]
    return finish(words, counts, draw_bars(bars, describe_picture(words)), head, lines)


def build_endings(words: ChartWords, counts: Counts, field: Counts | None) -> ShownChart:
    """Return how legs were won; of a bot also how it lost. Shares are of the wins, or of the other ones."""
    fates = [FIRST, SHARED, BEHIND] if field else [FIRST, SHARED]
    fates = [fate for fate in fates if fate != SHARED or counts.count_column(SHARED)]
    titles = {FIRST: _("Won"), SHARED: _("Drawn"), BEHIND: _("Lost")}
    rows = in_order(words.rows, [row for (row, fate), one in counts.cells.items() if fate in fates])
    bars, lines = [], []
    for row in rows:
        label = words.name_row(row)
        cells = []
        for fate in fates:
            times, share = counts.count(row, fate), counts.share(row, fate)
            of_field = field.share(row, fate) if field else None
            name = f"{titles[fate]}, {label}"
            cells.append(make_count(words, times, describe_share(share, of_field), name, build_query(words, row, fate)))
            if fate != SHARED:
                bars.append(Bar(name if field else label, share, field=of_field, is_hatched=fate == BEHIND))
        lines.append(TableRow(label, cells))
    head = [str(words.row_title), *(titles[fate] for fate in fates)]
    return finish(words, counts, draw_bars(bars, describe_picture(words)), head, lines)


def make_count(words: ChartWords, count: int, note: str, label: str, query: str) -> TableCell:
    """Return the cell of a count, which leads to its matches."""
    return TableCell(format_count(count), note, query if count else "", f"{words.title}: {label}")


def describe_picture(words: ChartWords) -> str:
    """Return what is said of a picture to who can't see it."""
    return _("%(title)s; the table has the numbers") % {"title": words.title}


def finish(words: ChartWords, counts: Counts, picture: SafeString, head: list[str], rows: list[TableRow]) -> ShownChart:
    """Return the chart as it is shown."""
    return ShownChart(words.key, str(words.title), str(words.note), picture, head, rows, counts.total)


Build = Callable[[ChartWords, Counts, Counts | None], ShownChart]
BUILDERS: Mapping[ChartKind, Build] = {
    ChartKind.MAP: build_map,
    ChartKind.POINTS: build_points,
    ChartKind.STEPS: build_steps,
    ChartKind.PARTS: build_parts,
    ChartKind.ENDINGS: build_endings,
}


def name_cell(ladder: Ladder, chart: str, row: str, column: str, last: str) -> str:
    """Return what the matches of a cell have in common, for the heading of their list."""
    cell = CellSum(0, chart, row, column, 0, 0.0)
    words = list_words(ladder, {chart: {(row, column): cell}})[0]
    fates = {FIRST: _("Won"), SHARED: _("Drawn"), BEHIND: _("Lost")}
    name_column = (
        partial(fates.get, column, column) if words.kind == ChartKind.ENDINGS else partial(words.name_column, column)
    )
    parts = [words.name_row(row) if not last else f"{row}–{last}"]
    if column:
        parts.append(f"{words.column_title} {name_column()}".strip())
    return f"{words.title}: {', '.join(parts)}"
