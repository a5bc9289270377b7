"""The atlas of a ladder in charts, the matches behind each number, and the fingerprint of a bot beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString

from arena.bots.models import Bot
from arena.bots.queries import list_versions
from arena.contests.atlas.services import (
    CellSum,
    fetch_bot_cells,
    fetch_cells,
    find_last_counted,
    find_matches,
    find_progress,
)
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.queries import list_current_entries, list_ladders_of_game
from arena.contests.ladders.rating import Z_SCORE_95
from arena.core.messages import gettext as _
from arena.matches.queries import list_visible_matches
from arena.pages.formatting import MIN_CASES_OF_BAR, format_count, format_percent
from arena.pages.games import find_presentation
from arena.pages.games.chart_words import ChartKind, ChartWords, build_common_charts
from arena.pages.matches.results import list_rows
from arena.pages.serving import bot_or_404, read_keys
from arena.pages.svg.charts import (
    HATCH_PATTERN_SVG,
    AtlasBar,
    draw_bars,
    draw_bars_from_half,
    draw_columns,
    draw_grid_of_squares,
)
from engine.registry import find_game
from engine.replay import BEHIND, ENDINGS, FIRST, SHARED

# Build the charts of the atlas: each a picture and a table with the same numbers, whose cells lead to matches.

BIN_WIDTHS = tuple(lead * 10**power for power in range(6) for lead in (1, 2, 5))
MAX_BINS = 16

CellPlace = tuple[str, str]
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
class ChartCounts:
    """The sums of one chart, by row and column."""

    cells: Mapping[CellPlace, CellSum]

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
    found: dict[str, dict[CellPlace, CellSum]] = {}
    of_field: dict[str, dict[CellPlace, CellSum]] = {}
    for target, cells in ((found, sums), (of_field, field or ())):
        for one in cells:
            target.setdefault(one.chart, {})[one.row, one.column] = one
    shown = []
    for words in list_words(ladder, found):
        cells_of_field = None if field is None else ChartCounts(of_field.get(words.key, {}))
        shown.append(CHART_BUILDERS[words.kind](words, ChartCounts(found[words.key]), cells_of_field))
    return shown


def list_words(ladder: Ladder, found: Mapping[str, Mapping[CellPlace, CellSum]]) -> list[ChartWords]:
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


def build_map(words: ChartWords, counts: ChartCounts, field: ChartCounts | None) -> ShownChart:
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
    few = {column for column in columns if counts.count_column(column) < MIN_CASES_OF_BAR}
    shares = [[0.0 if column in few else counts.share(row, column) for column in columns] for row in rows]
    of_field = [[field.share(row, column) for column in columns] for row in rows] if field else None
    is_drawn = of_field is not None or len(few) < len(columns)
    picture = SafeString("")
    if is_drawn:
        picture = draw_grid_of_squares(names, [one.label for one in lines], shares, of_field, describe_picture(words))
    return finish_chart(words, counts, picture, [str(words.column_title), *names], lines)


def build_points(words: ChartWords, counts: ChartCounts, field: ChartCounts | None) -> ShownChart:
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
            bars.append(AtlasBar(label, share, margin, of_field, is_of_few=times < MIN_CASES_OF_BAR))
            cells = [
                make_count(words, times, "", label, build_query(words, row, column)),
                TableCell(format_percent(share), "" if margin is None else f"± {margin * 100:.0f}"),
            ]
            if field:
                cells.append(TableCell("–" if of_field is None else format_percent(of_field)))
            lines.append(TableRow(label, cells))
    picture = draw_bars_from_half(bars, describe_picture(words))
    head = [str(words.row_title), _("Times"), _("Points"), *([_("Field")] if field else [])]
    return finish_chart(words, counts, picture, head, lines)


def find_margin(share: float, count: int) -> float | None:
    """Return half of the 95 % interval of a share; None where it was counted too seldom."""
    return Z_SCORE_95 * sqrt(share * (1 - share) / count) if count >= MIN_CASES_OF_BAR else None


def build_steps(words: ChartWords, counts: ChartCounts, field: ChartCounts | None) -> ShownChart:
    """Return when it happened, several numbers put together where there are many."""
    numbers = sorted({int(row) for row, _column in [*counts.cells, *(field.cells if field else ())] if row.isdecimal()})
    bins = choose_bins(numbers)

    def count(found: ChartCounts, first: int, last: int) -> int:
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
    is_few = counts.total < MIN_CASES_OF_BAR
    picture = SafeString("")
    if of_field is not None or not is_few:
        drawn, starts = [0.0] * len(shares) if is_few else shares, [line.label.partition("–")[0] for line in lines]
        picture = draw_columns(starts, drawn, of_field, describe_picture(words))
    head = [str(words.row_title), _("Times"), _("Share"), *([_("Field")] if field else [])]
    return finish_chart(words, counts, picture, head, lines)


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


def build_parts(words: ChartWords, counts: ChartCounts, field: ChartCounts | None) -> ShownChart:
    """Return how the whole divides among the rows."""
    rows = in_order(words.rows, [row for row, _column in counts.cells])
    bars, lines = [], []
    for row in rows:
        label, times = words.name_row(row), counts.count(row)
        share = divide(times, counts.total)
        of_field = divide(field.count(row), field.total) if field else None
        bars.append(AtlasBar(label, share, field=of_field, is_of_few=counts.total < MIN_CASES_OF_BAR))
        cells = [
            make_count(words, times, "", label, build_query(words, row)),
            TableCell(describe_share(share, of_field)),
        ]
        lines.append(TableRow(label, cells))
    head = [str(words.row_title), _("Times"), _("Share")]
    return finish_chart(words, counts, draw_bars(bars, describe_picture(words)), head, lines)


def build_endings(words: ChartWords, counts: ChartCounts, field: ChartCounts | None) -> ShownChart:
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
                is_of_few = counts.count_column(fate) < MIN_CASES_OF_BAR
                bars.append(AtlasBar(name if field else label, share, None, of_field, fate == BEHIND, is_of_few))
        lines.append(TableRow(label, cells))
    head = [str(words.row_title), *(titles[fate] for fate in fates)]
    return finish_chart(words, counts, draw_bars(bars, describe_picture(words)), head, lines)


def make_count(words: ChartWords, count: int, note: str, label: str, query: str) -> TableCell:
    """Return the cell of a count, which leads to its matches."""
    return TableCell(format_count(count), note, query if count else "", f"{words.title}: {label}")


def describe_picture(words: ChartWords) -> str:
    """Return what is said of a picture to who can't see it."""
    return _("%(title)s; see the table for the numbers") % {"title": words.title}


def finish_chart(
    words: ChartWords, counts: ChartCounts, picture: SafeString, head: list[str], rows: list[TableRow]
) -> ShownChart:
    """Return the chart as it is shown."""
    return ShownChart(words.key, str(words.title), str(words.note), picture, head, rows, counts.total)


ChartBuilder = Callable[[ChartWords, ChartCounts, ChartCounts | None], ShownChart]
CHART_BUILDERS: Mapping[ChartKind, ChartBuilder] = {
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


# The atlas of a ladder: what happens in its rated legs, and the matches behind each number.

ATLAS_MATCHES_PER_PAGE = 20
MAX_TYPED_NUMBER_LENGTH = 9


def show_atlas(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    """Show the atlas of the current season."""
    ladders = list_ladders_of_game(game)
    return render_atlas(request, find_season_in(ladders, edition, None), ladders)


def show_season_atlas(request: HttpRequest, game: str, edition: str, number: int) -> HttpResponse:
    """Show the atlas of a season that is over; that of the current one has an address without a number."""
    ladders = list_ladders_of_game(game)
    ladder = find_season_in(ladders, edition, number)
    if ladder.closed_at is None:
        return redirect("atlas", game, edition)
    return render_atlas(request, ladder, ladders)


def find_season_in(ladders: Sequence[Ladder], edition: str, number: int | None) -> Ladder:
    """Return a season of an edition, the current one without a number. Raises Http404, or UnknownGame."""
    of_edition = [one for one in ladders if one.edition == edition]
    found = [one for one in of_edition if (one.closed_at is None if number is None else one.season == number)]
    if not found:
        raise Http404(_("No such ladder."))
    find_game(found[0].game)
    return found[0]


def render_atlas(request: HttpRequest, ladder: Ladder, ladders: Sequence[Ladder]) -> HttpResponse:
    """Show the charts of a ladder."""
    progress = find_progress(ladder)
    context = {
        "ladder": ladder,
        "progress": progress,
        "last_counted": find_last_counted(progress),
        "charts": build_charts(ladder, fetch_cells(ladder)),
        "editions": [(find_address(one), one) for one in ladders if one.closed_at is None],
        "seasons": [(find_address(one), one) for one in ladders if one.edition == ladder.edition][::-1],
        "matches_url": find_matches_address(ladder),
        "hatched": HATCH_PATTERN_SVG,
    }
    return render(request, "ladders/atlas.html", context)


def find_address(ladder: Ladder) -> str:
    """Return the address of a ladder's atlas."""
    if ladder.closed_at is None:
        return reverse("atlas", args=[ladder.game, ladder.edition])
    return reverse("season_atlas", args=[ladder.game, ladder.edition, ladder.season])


def find_matches_address(ladder: Ladder) -> str:
    """Return the address of the matches behind a number, without the query that says which."""
    return reverse("atlas_matches", args=[ladder.game, ladder.edition, ladder.season])


def show_atlas_matches(request: HttpRequest, game: str, edition: str, number: int) -> HttpResponse:
    """Show the matches behind a number of the atlas, perhaps only those in which a bot did it."""
    ladder = find_season_in(list_ladders_of_game(game), edition, number)
    chart, row, column, last = (request.GET.get(name, "") for name in ("chart", "row", "column", "to"))
    cells = choose_cells(fetch_cells(ladder), chart, row, column, last)
    if not cells:
        raise Http404(_("The atlas has no such statistic."))
    bot: Bot | None = bot_or_404(request, request.GET["bot"]) if request.GET.get("bot") else None
    before, _after = read_keys(request.GET)
    page = find_matches(ladder, [one.key for one in cells], bot=bot, size=ATLAS_MATCHES_PER_PAGE, before=before)
    matches = list_visible_matches(request.user).filter(pk__in=page.matches).order_by("-pk")
    context = {
        "ladder": ladder,
        "atlas_url": find_address(ladder),
        "subject": name_cell(ladder, chart, row, column, last),
        "bot": bot,
        "rows": list_rows(matches, bot),
        "older": page.older,
        "is_first": before is None,
    }
    return render(request, "ladders/atlas_matches.html", context)


def choose_cells(cells: Sequence[CellSum], chart: str, row: str, column: str, last: str) -> list[CellSum]:
    """Return the cell of a chart with this row and column, or those of all rows from this number to the last."""
    of_column = [one for one in cells if one.chart == chart and one.column == column]
    if not last:
        return [one for one in of_column if one.row == row]
    if not (is_number(row) and is_number(last)):
        return []
    return [one for one in of_column if is_number(one.row) and int(row) <= int(one.row) <= int(last)]


def is_number(text: str) -> bool:
    """Return whether a text is a whole number of a sensible length."""
    return text.isascii() and text.isdigit() and len(text) <= MAX_TYPED_NUMBER_LENGTH


# The fingerprint of a bot: the charts of its rated legs on a ladder beside those of the field.


def show_fingerprint(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how a bot differs from the field of a ladder it plays on, or played on in the running season.

    Legs are counted on public ladders alone.
    """
    bot = bot_or_404(request, slug)
    find_game(bot.game)
    entries = list_current_entries(None, bot, list_versions(bot))
    ladders = list({one.ladder_id: one.ladder for one in entries}.values())
    ladder = next((one for one in ladders if one.edition == request.GET.get("ladder")), None)
    ladder = ladder or next(iter(ladders), None)
    context = {"hatched": HATCH_PATTERN_SVG, "bot": bot, "ladder": ladder, "ladders": ladders}
    if ladder is not None:
        own, field = fetch_bot_cells(ladder, bot), fetch_cells(ladder)
        context |= {
            "counted_at": find_progress(ladder).counted_at,
            "legs": sum(one.count for one in own if one.chart == ENDINGS),
            "charts": build_charts(ladder, own, field),
            "atlas_url": find_address(ladder),
            "matches_url": find_matches_address(ladder),
        }
    return render(request, "bots/fingerprint.html", context)
