"""Charts of results, ratings, comparisons, the atlas, and figures by the hour. Numbers in, SVG out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import accumulate, cycle
from math import ceil, floor, sqrt

from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime

from arena.contests.comparisons.sprt import LLR_BOUND, Estimate
from arena.contests.ladders.rating import MIN_RANKED_MATCHES
from arena.core.messages import gettext as _
from arena.pages.formatting import MIN_CASES_OF_BAR, describe_estimate, format_percent, format_signed

# Charts of a bot's results: shares as bars, the last results as squares, a running score. Numbers in, SVG out.
#
# Wins are solid, losses are hatched or struck, so that nothing is told by colour alone.

BAR_LENGTH = 120
"""In units of the drawing, which is stretched to the width there is."""
SQUARE_SIZE, SQUARE_PITCH = 10, 14
SCORE_TREND_WIDTH, SCORE_TREND_HEIGHT = 640, 180
SCORE_MARGIN_LEFT, SCORE_MARGIN_RIGHT, SCORE_MARGIN_TOP, SCORE_MARGIN_BOTTOM = 44, 14, 12, 26
"""Margins of a chart for its labels."""
MAX_RESULTS_AVERAGED = 10
"""Results averaged into one point of a score's curve, where there are enough."""
WON_POINTS, DRAWN_POINTS, LOST_POINTS = 1.0, 0.5, 0.0
HATCH_PATTERN_SVG = mark_safe(
    '<svg width="0" height="0" aria-hidden="true"><defs>'
    '<pattern id="hatched" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path fill="var(--bad-soft)" d="M0 0h5v5H0z"/><path fill="var(--bad)" d="M0 0h2.5v5H0z"/></pattern></defs></svg>'
)
"""The pattern that fills the bars of a page, to be included once on each page that has any."""


def draw_share_bar(share: float, cases: int) -> SafeString | str:
    """Draw a share from 0 to 1 as a bar, which is decoration: the number stands next to it. Few cases have no bar."""
    if cases < MIN_CASES_OF_BAR:
        return ""
    won = BAR_LENGTH * share
    return mark_safe(
        f'<svg viewBox="0 0 {BAR_LENGTH} 8" width="{BAR_LENGTH}" height="8" aria-hidden="true">'
        f'<path fill="var(--good)" d="M0 0h{won:.1f}v8H0z"/>'
        f'<path fill="url(#hatched)" d="M{won:.1f} 0H{BAR_LENGTH}v8H{won:.1f}z"/></svg>'
    )


def draw_result_squares(results: Sequence[float]) -> SafeString | str:
    """Draw the last results, newest last: a solid square is won, a struck one lost, one with a bar drawn."""
    if not results:
        return ""
    parts = [draw_result_square(result, SQUARE_PITCH * number) for number, result in enumerate(results)]
    length = SQUARE_PITCH * len(results)
    return format_html(
        '<svg viewBox="-1 -1 {} 12" width="{}" height="12" role="img" aria-label="{}">{}</svg>',
        length,
        length,
        describe_results(results),
        mark_safe("".join(parts)),
    )


def draw_result_square(result: float, left: int) -> str:
    """Return the square of one result."""
    if result == WON_POINTS:
        return f'<rect x="{left}" width="{SQUARE_SIZE}" height="{SQUARE_SIZE}" rx="2" fill="var(--good)"/>'
    colour, stroke = ("--bad", f"M{left + 2} 8l6-6") if result == LOST_POINTS else ("--ink-2", f"M{left + 2} 5h6")
    return (
        f'<g fill="none" stroke="var({colour})" stroke-width="1.5"><rect x="{left}" width="{SQUARE_SIZE}" '
        f'height="{SQUARE_SIZE}" rx="2"/><path d="{stroke}"/></g>'
    )


def describe_results(results: Sequence[float]) -> str:
    """Return the results as a sentence, newest last."""
    words = {WON_POINTS: _("won"), LOST_POINTS: _("lost"), DRAWN_POINTS: _("drawn")}
    return _("Oldest first: %(results)s") % {"results": ", ".join(words[result] for result in results)}


def draw_fault_shares(clean: int, faults: Sequence[tuple[str, int]]) -> SafeString | str:
    """Draw legs without and with faults as shares of one bar, each kind in its colour; nothing of few legs.

    The numbers stand below it.
    """
    total = clean + sum(count for _colour, count in faults)
    if total < MIN_CASES_OF_BAR:
        return ""
    parts, left = [], 0.0
    for colour, count in [("--good", clean), *faults]:
        length = max(BAR_LENGTH * count / total, 1.0) if count else 0.0
        if length:
            parts.append(f'<rect x="{left:.2f}" width="{length:.2f}" height="8" fill="var({colour})"/>')
            left += length + 0.6
    return mark_safe(
        f'<svg viewBox="0 0 {left:.2f} 8" width="100%" height="14" preserveAspectRatio="none" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def choose_averaging_window(results: Sequence[float]) -> int:
    """Return how many results are averaged into one point."""
    return max(1, min(MAX_RESULTS_AVERAGED, len(results) // 3))


def compute_moving_average(results: Sequence[float]) -> list[float]:
    """Return the moving average of the results, from the first full window on."""
    width = choose_averaging_window(results)
    sums = [0.0, *accumulate(results)]
    return [(sums[end] - sums[end - width]) / width for end in range(width, len(results) + 1)]


def draw_score_trend(results: Sequence[float], expected: float) -> SafeString:
    """Draw the running score, oldest match first, with the score expected by ratings as a broken line."""
    means = compute_moving_average(results)
    first = len(results) - len(means) + 1

    def x(number: int) -> float:
        return SCORE_MARGIN_LEFT + (number - first) / max(len(means) - 1, 1) * (
            SCORE_TREND_WIDTH - SCORE_MARGIN_LEFT - SCORE_MARGIN_RIGHT
        )

    def y(share: float) -> float:
        return SCORE_MARGIN_TOP + (1 - share) * (SCORE_TREND_HEIGHT - SCORE_MARGIN_TOP - SCORE_MARGIN_BOTTOM)

    grid = "".join(
        f'<path class="ticks" d="M{SCORE_MARGIN_LEFT} {y(share):.1f}H{SCORE_TREND_WIDTH - SCORE_MARGIN_RIGHT}"/>'
        f'<text class="left" x="{SCORE_MARGIN_LEFT - 6}" y="{y(share) + 4:.1f}">{format_percent(share)}</text>'
        for share in (0.0, 0.5, 1.0)
    )
    labels = "".join(
        f'<text class="below" x="{x(number):.1f}" y="{SCORE_TREND_HEIGHT - 6}">{number}</text>'
        for number in (first, len(results))
    )
    points = " ".join(f"{x(first + step):.1f},{y(mean):.1f}" for step, mean in enumerate(means))
    line = (
        f'<path class="version" d="M{SCORE_MARGIN_LEFT} {y(expected):.1f}H{SCORE_TREND_WIDTH - SCORE_MARGIN_RIGHT}"/>'
        f'<polyline class="line" points="{points}"/>'
        f'<circle class="now" cx="{x(len(results)):.1f}" cy="{y(means[-1]):.1f}" r="4"/>'
    )
    words = _("Mean score of the last %(count)d matches: %(last)s")
    return format_html(
        '<svg class="history" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        SCORE_TREND_WIDTH,
        SCORE_TREND_HEIGHT,
        words % {"count": choose_averaging_window(results), "last": format_percent(means[-1])},
        mark_safe(grid + line + labels),
    )


# Drawings of ratings: intervals on one axis for all rows, and the history of a rating. Numbers in, SVG out.

INTERVAL_WIDTH, INTERVAL_HEIGHT = 560, 30
"""Size of an interval, in units of its drawing."""
INTERVAL_PADDING = 14
TICK_STEPS_ELO = (10, 20, 50, 100, 200, 500, 1000)
MAX_AXIS_TICKS = 7
CHART_WIDTH, CHART_HEIGHT = 640, 220
CHART_MARGIN_LEFT, CHART_MARGIN_TOP, CHART_MARGIN_BOTTOM, CHART_MARGIN_RIGHT = 52, 12, 26, 14
"""Margins of a chart for its labels, in units of its drawing."""
TREND_WIDTH, TREND_HEIGHT, TREND_PADDING = 92, 26, 4
MIN_TREND_SPAN_ELO = 20
"""The least difference between the lower and the upper edge of a trend."""
MAX_CHART_LABELS = 6
"""Labels along a chart's lower edge."""
CHART_LABEL_WIDTH, VERSION_LABEL_WIDTH = 52, 34
"""Width of such a label, and of the number of a version."""


@dataclass(frozen=True)
class EloAxis:
    """A horizontal axis in Elo."""

    low: float
    high: float
    ticks: tuple[int, ...]

    @cached_property
    def lines(self) -> str:
        """The path through all ticks, which is the same in every interval."""
        return "".join(f"M{self.at(tick):.1f} 0V{INTERVAL_HEIGHT}" for tick in self.ticks)

    def at(self, rating: float) -> float:
        """Return the horizontal position of a rating."""
        share = (rating - self.low) / (self.high - self.low)
        return INTERVAL_PADDING + min(max(share, 0.0), 1.0) * (INTERVAL_WIDTH - 2 * INTERVAL_PADDING)


def build_elo_axis(spans: Iterable[tuple[float, float]]) -> EloAxis:
    """Return an axis wide enough for all of these ratings with their margins, in Elo."""
    spans = list(spans) or [(1500.0, 100.0)]
    low, high = min(rating - margin for rating, margin in spans), max(rating + margin for rating, margin in spans)
    step = next((step for step in TICK_STEPS_ELO if (high - low) / step <= MAX_AXIS_TICKS), TICK_STEPS_ELO[-1])
    first, last = floor(low / step), ceil(high / step)
    return EloAxis(first * step, max(last, first + 1) * step, tuple(range(first * step, (last + 1) * step, step)))


def draw_elo_axis_numbers(axis: EloAxis) -> SafeString:
    """Draw the numbers above a column of intervals; they are decoration, as every interval has its own label."""
    numbers = axis.ticks[:: count_ticks_per_label(axis)]
    words = "".join(
        f'<text x="{100 * axis.at(tick) / INTERVAL_WIDTH:.1f}%" y="13" class="{parity}">{tick}</text>'
        for parity, tick in zip(cycle(("even", "odd")), numbers, strict=False)
    )
    words = words.replace(">-", ">−")
    return mark_safe(f'<svg class="scale" width="100%" height="16" aria-hidden="true">{words}</svg>')


def count_ticks_per_label(axis: EloAxis) -> int:
    """Return how many ticks lie from one number to the next, so that the numbers don't touch."""
    return 1 + len(axis.ticks) // (MAX_AXIS_TICKS + 1)


def draw_rating_interval(axis: EloAxis, rating: float, margin: float, *, is_provisional: bool) -> SafeString:
    """Draw a rating with its 95 % interval: a filled dot in a line, or an open one in a dashed line."""
    left, middle, right = (axis.at(one) for one in (rating - margin, rating, rating + margin))
    words = _("%(rating)d plus or minus %(margin)d") % {"rating": round(rating), "margin": round(margin)}
    if is_provisional:
        words = _("%(interval)s, provisional") % {"interval": words}
    dot = f'<path class="dot" d="M{middle:.1f} 15h.1"/>'
    return mark_safe(
        f'<svg class="ci" viewBox="0 0 {INTERVAL_WIDTH} {INTERVAL_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(words.replace("-", "−"))}"><path class="ticks" d="{axis.lines}"/>'
        f'<path class="line" d="M{left:.1f} 15H{right:.1f}"/><path d="M{left:.1f} 9V21M{right:.1f} 9V21"/>'
        f"{dot}{dot.replace('dot', 'hole') if is_provisional else ''}</svg>"
    )


def draw_rating_trend(ratings: Sequence[float]) -> SafeString:
    """Draw the course of a rating as a small line without numbers; a dot marks its end."""
    low, high = min(ratings), max(ratings)
    span, middle = max(high - low, MIN_TREND_SPAN_ELO), (high + low) / 2
    step = (TREND_WIDTH - 2 * TREND_PADDING) / max(len(ratings) - 1, 1)
    rise = (TREND_HEIGHT - 2 * TREND_PADDING) / span
    positions = [
        f"{TREND_PADDING + step * place:.1f},{TREND_HEIGHT / 2 - (rating - middle) * rise:.1f}"
        for place, rating in enumerate(ratings)
    ]
    ends = {"first": f"{ratings[0]:.0f}", "last": f"{ratings[-1]:.0f}"}
    x, y = positions[-1].split(",")
    words = _("Rating over the last 30 days, from %(first)s to %(last)s") % ends
    return mark_safe(
        f'<svg class="trend" viewBox="0 0 {TREND_WIDTH} {TREND_HEIGHT}" width="{TREND_WIDTH}" height="{TREND_HEIGHT}" '
        f'role="img" aria-label="{escape(words)}"><polyline fill="none" stroke="currentColor" stroke-width="1.5" '
        f'stroke-linejoin="round" points="{" ".join(positions)}"/>'
        f'<circle fill="currentColor" cx="{x}" cy="{y}" r="2.8"/></svg>'
    )


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A rating at one moment."""

    rating: float
    margin: float
    matches: int
    """Number of matches rated until then."""
    day: date
    version: int
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class RatingChart:
    """The points of a chart: by day or by match from left to right, Elo upwards."""

    points: Sequence[ChartPoint]
    by_day: bool
    axis: EloAxis

    def place(self, point: ChartPoint) -> int:
        """Return where a point lies on the lower axis: its day, or its number of matches."""
        return point.day.toordinal() if self.by_day else point.matches

    def x(self, point: ChartPoint) -> float:
        """Return the horizontal position of a point."""
        start, end = self.place(self.points[0]), self.place(self.points[-1])
        return CHART_MARGIN_LEFT + (self.place(point) - start) / max(end - start, 1) * (
            CHART_WIDTH - CHART_MARGIN_LEFT - CHART_MARGIN_RIGHT
        )

    def y(self, rating: float) -> float:
        """Return the vertical position of a rating."""
        share = (rating - self.axis.low) / (self.axis.high - self.axis.low)
        return CHART_MARGIN_TOP + (1 - share) * (CHART_HEIGHT - CHART_MARGIN_TOP - CHART_MARGIN_BOTTOM)

    def trace(self, margins: float, points: Iterable[ChartPoint]) -> str:
        """Return the line that lies this many margins above the rating, point by point."""
        return " ".join(f"{self.x(one):.1f},{self.y(one.rating + margins * one.margin):.1f}" for one in points)

    def draw_grid(self) -> str:
        """Return the horizontal lines with their ratings."""
        return "".join(
            f'<path class="ticks" d="M{CHART_MARGIN_LEFT} {self.y(tick):.1f}H{CHART_WIDTH - CHART_MARGIN_RIGHT}"/>'
            f'<text class="left" x="{CHART_MARGIN_LEFT - 6}" y="{self.y(tick) + 4:.1f}">{tick}</text>'
            for tick in self.axis.ticks
        )

    def draw_band(self) -> str:
        """Return the band of the 95 % interval with the rating in it."""
        around = self.trace(1, self.points) + " " + self.trace(-1, self.points[::-1])
        now = self.points[-1]
        return (
            f'<polygon class="band" points="{around}"/><polyline class="line" points="{self.trace(0, self.points)}"/>'
            f'<circle class="now" cx="{self.x(now):.1f}" cy="{self.y(now.rating):.1f}" r="4"/>'
        )

    def draw_versions(self) -> str:
        """Return a broken line where a version took over, with its number where there is room for it."""
        parts, free = [], 0.0
        for before, point in zip([None, *self.points], self.points, strict=False):
            if before is not None and point.version == before.version:
                continue
            left = self.x(point)
            parts.append(
                f'<path class="version" d="M{left:.1f} {CHART_MARGIN_TOP}V{CHART_HEIGHT - CHART_MARGIN_BOTTOM}"/>'
            )
            if free <= left < CHART_WIDTH - VERSION_LABEL_WIDTH:
                parts.append(
                    f'<text class="version" x="{left + 4:.1f}" y="{CHART_MARGIN_TOP + 10}">v{point.version}</text>'
                )
                free = left + VERSION_LABEL_WIDTH
        return "".join(parts)

    def draw_labels(self) -> str:
        """Return the labels along the lower edge."""
        every = max(1, ceil(len(self.points) / MAX_CHART_LABELS))
        parts, free = [], 0.0
        for point in self.points[::every]:
            left = self.x(point)
            if left < free:
                continue
            words = date_format(point.day, "MONTH_DAY_FORMAT") if self.by_day else str(point.matches)
            parts.append(f'<text class="below" x="{left:.1f}" y="{CHART_HEIGHT - 6}">{words}</text>')
            free = left + CHART_LABEL_WIDTH
        return "".join(parts)


# The chart of a rating over matches or days, with the versions, and settling in on a grey field.


@dataclass(frozen=True, slots=True)
class RatingHistoryChart(RatingChart):
    """A chart of a rating over matches or days."""

    max_margin: float
    """Margin up to which the rating is known well enough for a rank."""

    def count_placement(self) -> int:
        """Count the first points, in which the rating was not known well enough for a rank."""
        known = (
            number
            for number, point in enumerate(self.points)
            if point.margin <= self.max_margin and point.matches >= MIN_RANKED_MATCHES
        )
        return next(known, len(self.points))

    def draw_placement(self) -> str:
        """Draw a grey field under the part in which the rating was settling in."""
        unsettled = self.count_placement()
        if unsettled < 2:
            return ""
        right, bottom = self.x(self.points[unsettled - 1]), CHART_HEIGHT - CHART_MARGIN_BOTTOM
        words = _("provisional")
        return (
            f'<path fill="var(--sunken)" d="M{CHART_MARGIN_LEFT} {CHART_MARGIN_TOP}H{right:.1f}V{bottom}'
            f'H{CHART_MARGIN_LEFT}z"/>'
            f'<text x="{CHART_MARGIN_LEFT + 6}" y="{bottom - 6}">{words}</text>'
        )


def draw_rating_history(points: Sequence[ChartPoint], by_day: bool, max_margin: float) -> SafeString:
    """Draw the rating as a line in the band of its margin; above `max_margin` it is provisional."""
    chart = RatingHistoryChart(
        points, by_day, build_elo_axis((point.rating, point.margin) for point in points), max_margin
    )
    ends = {"first": f"{points[0].rating:.0f}", "last": f"{points[-1].rating:.0f}"}
    drawn = chart.draw_placement() + chart.draw_grid() + chart.draw_band() + chart.draw_versions()
    return format_html(
        '<svg class="history" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        CHART_WIDTH,
        CHART_HEIGHT,
        _("Rating from %(first)s to %(last)s; numbers in the table below") % ends,
        mark_safe(drawn + chart.draw_labels()),
    )


# Charts of a comparison: the log-likelihood ratio between its bounds, and the estimate with its interval.

GAUGE_WIDTH, GAUGE_HEIGHT = 600, 34
"""The size in units of the drawing, which is stretched to the width there is."""
GAUGE_MARGIN = 6
AXIS_STEP_ELO = 50


@dataclass(frozen=True, slots=True)
class GaugeScale:
    """An axis with 0 in the middle."""

    limit: float

    def at(self, value: float) -> float:
        """Return the position of a value; what is beyond the limit is at the end."""
        share = min(max(value / self.limit, -1.0), 1.0)
        return GAUGE_MARGIN + (1 + share) / 2 * (GAUGE_WIDTH - 2 * GAUGE_MARGIN)


def compute_axis_limit_elo(estimate: Estimate) -> int:
    """Return how far the axis of an estimate goes either way, in Elo."""
    return AXIS_STEP_ELO * max(1, ceil(max(abs(estimate.low), abs(estimate.high)) / AXIS_STEP_ELO))


def draw_likelihood_ratio(llr: float) -> SafeString:
    """Draw the log-likelihood ratio between the bounds that decide."""
    scale = GaugeScale(LLR_BOUND)
    middle, here = scale.at(0), scale.at(llr)
    words = _("Log-likelihood ratio %(ratio)s, between −%(bound)s and %(bound)s") % {
        "ratio": format_signed(llr, 2),
        "bound": f"{LLR_BOUND:.2f}",
    }
    return _draw_gauge(
        words,
        format_html(
            '<rect class="track" x="{}" y="12" width="{}" height="10"/><rect class="{}" x="{}" y="12" width="{}" '
            'height="10"/><path class="ticks" d="M{} 4V30M{} 8V26M{} 4V30"/><path class="here" d="M{} 5V29"/>',
            GAUGE_MARGIN,
            GAUGE_WIDTH - 2 * GAUGE_MARGIN,
            "for" if llr > 0 else "against",
            f"{min(middle, here):.1f}",
            f"{abs(here - middle):.1f}",
            GAUGE_MARGIN,
            f"{middle:.1f}",
            GAUGE_WIDTH - GAUGE_MARGIN,
            f"{here:.1f}",
        ),
    )


def draw_estimate_interval(estimate: Estimate | None) -> SafeString:
    """Draw the interval of the estimate on an axis with 0 in the middle."""
    if estimate is None:
        return SafeString("")
    scale = GaugeScale(compute_axis_limit_elo(estimate))
    left, here, right = (f"{scale.at(one):.1f}" for one in (estimate.low, estimate.elo, estimate.high))
    words = _("%(elo)s Elo, 95%% interval %(low)s to %(high)s") % describe_estimate(estimate)
    return _draw_gauge(
        words,
        format_html(
            '<path class="axis" d="M{} 17H{}"/><path class="ticks" d="M{} 2V32"/>'
            '<rect class="interval" x="{}" y="11" width="{}" height="12"/><path class="here" d="M{} 5V29"/>',
            GAUGE_MARGIN,
            GAUGE_WIDTH - GAUGE_MARGIN,
            f"{scale.at(0):.1f}",
            left,
            f"{max(float(right) - float(left), 2):.1f}",
            here,
        ),
    )


def _draw_gauge(words: str, content: SafeString) -> SafeString:
    return format_html(
        '<svg class="gauge" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>',
        GAUGE_WIDTH,
        GAUGE_HEIGHT,
        words,
        content,
    )


# Charts of the atlas: squares on a grid, bars, and columns. Numbers in, SVG out.
#
# What is drawn solid is what the page is about, a ladder or a bot; an outline, a tick or a broken line is the field
# that a bot is compared with. What is below a half is hatched. Nothing is told by colour alone.

ATLAS_WIDTH, ATLAS_LABEL_WIDTH = 640, 224
"""In units of a drawing, which is stretched to the width there is; row labels are as wide as on a phone."""
ATLAS_ROW_HEIGHT, ATLAS_MARGIN_TOP, ATLAS_MARGIN_BOTTOM = 40, 8, 28
ATLAS_BAR_HEIGHT, VALUE_WIDTH = 18, 62
MIN_SQUARE_SIDE = 3.0
"""Side of the smallest square there is."""
FILLED_SQUARE_PART = 0.92
"""Part of its place on the grid that the largest square fills."""
COLUMNS_HEIGHT, COLUMNS_LEFT, ATLAS_COLUMN_GAP = 220, 58, 0.2
MAX_SHARE_STEPS = 4
SHARE_STEPS = (0.01, 0.02, 0.05, 0.1, 0.25)
MAX_COLUMN_LABELS = 10
EVEN_SHARE = 0.5

Shares = Sequence[float]


@dataclass(frozen=True, slots=True)
class AtlasBar:
    """A bar with its label."""

    label: str
    share: float
    """From 0 to 1."""
    margin: float | None = None
    """Half of the 95 % interval; None where it isn't drawn."""
    field: float | None = None
    """The share of the field."""
    is_hatched: bool = False
    is_of_few: bool = False
    """Whether too few cases are behind it: then the number stands alone, with a question mark."""


def draw_grid_of_squares(
    rows: Sequence[str], columns: Sequence[str], shares: Sequence[Shares], field: Sequence[Shares] | None, words: str
) -> SafeString:
    """Draw a share for each row and column, as squares of this area; shares by row, then column."""
    pitch = (ATLAS_WIDTH - ATLAS_LABEL_WIDTH) / max(len(columns), 1)
    highest = max((share for drawn in (shares, field or []) for row in drawn for share in row), default=0.0)
    side = FILLED_SQUARE_PART * min(pitch, ATLAS_ROW_HEIGHT)
    parts = []
    for number, label in enumerate(rows):
        middle = ATLAS_MARGIN_TOP + (number + 0.5) * ATLAS_ROW_HEIGHT
        parts.append(_draw_row_label(label, middle))
        for place in range(len(columns)):
            centre = ATLAS_LABEL_WIDTH + (place + 0.5) * pitch
            parts.append(_draw_square(centre, middle, side, shares[number][place], highest, "share"))
            if field is not None:
                parts.append(_draw_square(centre, middle, side, field[number][place], highest, "field-share"))
    bottom = ATLAS_MARGIN_TOP + len(rows) * ATLAS_ROW_HEIGHT
    for place, label in enumerate(columns):
        x = ATLAS_LABEL_WIDTH + (place + 0.5) * pitch
        parts.append(f'<text class="below" x="{x:.1f}" y="{bottom + 20}">{escape(label)}</text>')
    return _frame_atlas_chart(bottom + ATLAS_MARGIN_BOTTOM, parts, words)


def draw_bars_from_half(bars: Sequence[AtlasBar], words: str) -> SafeString:
    """Draw each bar from a half to its share, to the right if it is more, with its margin as a line."""
    length = ATLAS_WIDTH - ATLAS_LABEL_WIDTH - VALUE_WIDTH

    def x(share: float) -> float:
        return ATLAS_LABEL_WIDTH + min(max(share, 0.0), 1.0) * length

    bottom = ATLAS_MARGIN_TOP + len(bars) * ATLAS_ROW_HEIGHT
    parts = [f'<path class="half" d="M{x(EVEN_SHARE):.1f} {ATLAS_MARGIN_TOP}V{bottom}"/>']
    for number, bar in enumerate(bars):
        middle = ATLAS_MARGIN_TOP + (number + 0.5) * ATLAS_ROW_HEIGHT
        left, right = sorted((x(EVEN_SHARE), x(bar.share)))
        parts.append(_draw_row_label(bar.label, middle))
        if not bar.is_of_few:
            parts.append(_draw_bar(left, right, middle, "under" if bar.share < EVEN_SHARE else "share"))
        if bar.margin is not None:
            ends = f"M{x(bar.share - bar.margin):.1f} {middle:.1f}H{x(bar.share + bar.margin):.1f}"
            parts.append(f'<path class="margin-line" d="{ends}"/>')
        parts += _draw_field_tick(bar, x(bar.field or 0.0), middle)
        parts.append(_draw_value(bar, middle))
    for share in (0.0, EVEN_SHARE, 1.0):
        parts.append(f'<text class="below" x="{x(share):.1f}" y="{bottom + 20}">{format_percent(share)}</text>')
    return _frame_atlas_chart(bottom + ATLAS_MARGIN_BOTTOM, parts, words)


def draw_bars(bars: Sequence[AtlasBar], words: str) -> SafeString:
    """Draw each share as a bar; the longest fills the width."""
    length = ATLAS_WIDTH - ATLAS_LABEL_WIDTH - VALUE_WIDTH
    drawn = (share for bar in bars for share in (0.0 if bar.is_of_few else bar.share, bar.field or 0.0))
    highest = max(drawn, default=0.0) or 1.0
    parts = []
    for number, bar in enumerate(bars):
        middle = ATLAS_MARGIN_TOP + (number + 0.5) * ATLAS_ROW_HEIGHT
        right = ATLAS_LABEL_WIDTH + bar.share / highest * length
        parts.append(_draw_row_label(bar.label, middle))
        if not bar.is_of_few:
            parts.append(_draw_bar(ATLAS_LABEL_WIDTH, right, middle, "under" if bar.is_hatched else "share"))
        parts += _draw_field_tick(bar, ATLAS_LABEL_WIDTH + (bar.field or 0.0) / highest * length, middle)
        parts.append(_draw_value(bar, middle))
    return _frame_atlas_chart(ATLAS_MARGIN_TOP + len(bars) * ATLAS_ROW_HEIGHT + ATLAS_MARGIN_TOP, parts, words)


def draw_columns(labels: Sequence[str], shares: Shares, field: Shares | None, words: str) -> SafeString:
    """Draw a column for each share, from left to right, and the field's as a broken line of steps."""
    highest = max([*shares, *(field or []), 0.0])
    step = next((step for step in SHARE_STEPS if highest <= MAX_SHARE_STEPS * step), SHARE_STEPS[-1])
    steps = max(1, ceil(highest / step))
    bottom = COLUMNS_HEIGHT - ATLAS_MARGIN_BOTTOM
    pitch = (ATLAS_WIDTH - COLUMNS_LEFT) / max(len(labels), 1)

    def x(number: float) -> float:
        return COLUMNS_LEFT + number * pitch

    def y(share: float) -> float:
        return bottom - share / (steps * step) * (bottom - ATLAS_MARGIN_TOP - 6)

    parts = [
        f'<path class="ticks" d="M{COLUMNS_LEFT} {y(tick * step):.1f}H{ATLAS_WIDTH}"/>'
        f'<text class="left" x="{COLUMNS_LEFT - 6}" y="{y(tick * step) + 5:.1f}">{format_percent(tick * step)}</text>'
        for tick in range(steps + 1)
    ]
    parts += [
        f'<rect class="share" x="{x(number + ATLAS_COLUMN_GAP / 2):.1f}" y="{y(share):.1f}" '
        f'width="{(1 - ATLAS_COLUMN_GAP) * pitch:.1f}" height="{bottom - y(share):.1f}"/>'
        for number, share in enumerate(shares)
        if share
    ]
    every = ceil(len(labels) / MAX_COLUMN_LABELS)
    parts += [
        f'<text class="below" x="{x(number + 0.5):.1f}" y="{bottom + 20}">{escape(label)}</text>'
        for number, label in enumerate(labels)
        if number % every == 0
    ]
    if field is not None:
        ends = [
            f"{x(place):.1f},{y(share):.1f}" for number, share in enumerate(field) for place in (number, number + 1)
        ]
        parts.append(f'<polyline class="field-line" points="{" ".join(ends)}"/>')
    return _frame_atlas_chart(COLUMNS_HEIGHT, parts, words)


def _draw_row_label(label: str, middle: float) -> str:
    return f'<text class="left" x="{ATLAS_LABEL_WIDTH - 12}" y="{middle + 5:.1f}">{escape(label)}</text>'


def _draw_square(x: float, y: float, side: float, share: float, highest: float, style: str) -> str:
    if not share:
        return ""
    length = max(side * sqrt(share / highest), MIN_SQUARE_SIDE)
    return (
        f'<rect class="{style}" x="{x - length / 2:.1f}" y="{y - length / 2:.1f}" width="{length:.1f}" '
        f'height="{length:.1f}"/>'
    )


def _draw_bar(left: float, right: float, middle: float, style: str) -> str:
    top = middle - ATLAS_BAR_HEIGHT / 2
    return (
        f'<rect class="{style}" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{ATLAS_BAR_HEIGHT}"/>'
    )


def _draw_field_tick(bar: AtlasBar, x: float, middle: float) -> list[str]:
    if bar.field is None:
        return []
    return [f'<path class="field-tick" d="M{x:.1f} {middle - 14:.1f}V{middle + 14:.1f}"/>']


def _draw_value(bar: AtlasBar, middle: float) -> str:
    mark = "?" if bar.is_of_few else ""
    return f'<text class="left value" x="{ATLAS_WIDTH}" y="{middle + 5:.1f}">{format_percent(bar.share)}{mark}</text>'


def _frame_atlas_chart(height: float, parts: Sequence[str], words: str) -> SafeString:
    return format_html(
        '<svg class="history atlas" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        ATLAS_WIDTH,
        f"{height:.0f}",
        words,
        mark_safe("".join(parts)),
    )


# Charts of figures by the hour: columns, stacked where there are two kinds, or lines. Numbers in, SVG out.

HOURS_WIDTH, HOURS_HEIGHT = 640, 180
HOURS_MARGIN_LEFT, HOURS_MARGIN_RIGHT, HOURS_MARGIN_TOP, HOURS_MARGIN_BOTTOM = 62, 14, 12, 26
"""Margins of a chart for its labels, in units of its drawing."""
HOUR_GAP = 0.2
"""The part of an hour's width that its column leaves free."""
MAX_HOUR_CHART_STEPS = 4
"""Steps of the vertical axis."""
HOURS_PER_LABEL = 6
COUNT_STEPS = tuple(lead * 10**power for power in range(9) for lead in (1, 2, 5))
SECOND_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, *(3600 * step for step in COUNT_STEPS))
SOLID_LINE, BROKEN_LINE = "line", "line broken"

HourSeries = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class HourChart:
    """The frame of a chart: hours from left to right, and a vertical axis from 0."""

    hours: Sequence[datetime]
    top: float
    step: float
    format: Callable[[float], str]

    @property
    def hour_width(self) -> float:
        """Return the width of an hour."""
        return (HOURS_WIDTH - HOURS_MARGIN_LEFT - HOURS_MARGIN_RIGHT) / max(len(self.hours), 1)

    def x(self, number: float) -> float:
        """Return the left edge of an hour."""
        return HOURS_MARGIN_LEFT + number * self.hour_width

    def y(self, value: float) -> float:
        """Return the height of a value."""
        return (
            HOURS_HEIGHT
            - HOURS_MARGIN_BOTTOM
            - value / self.top * (HOURS_HEIGHT - HOURS_MARGIN_TOP - HOURS_MARGIN_BOTTOM)
        )

    def draw_frame(self) -> str:
        """Return the lines and labels of both axes."""
        steps = [self.step * number for number in range(round(self.top / self.step) + 1)]
        lines = [
            f'<path class="ticks" d="M{HOURS_MARGIN_LEFT} {self.y(value):.1f}H{HOURS_WIDTH - HOURS_MARGIN_RIGHT}"/>'
            f'<text class="left" x="{HOURS_MARGIN_LEFT - 6}" y="{self.y(value) + 4:.1f}">'
            f"{escape(self.format(value))}</text>"
            for value in steps
        ]
        labels = [
            f'<text class="below" x="{self.x(number + 0.5):.1f}" y="{HOURS_HEIGHT - 6}">'
            f"{date_format(localtime(hour), 'TIME_FORMAT')}</text>"
            for number, hour in enumerate(self.hours)
            if number % HOURS_PER_LABEL == HOURS_PER_LABEL // 2
        ]
        return "".join(lines + labels)

    def draw_columns(self, values: Sequence[int], below: Sequence[int], fill: str) -> str:
        """Return a column for each hour, on top of other columns."""
        return "".join(
            f'<rect x="{self.x(number + HOUR_GAP / 2):.1f}" y="{self.y(base + value):.1f}" '
            f'width="{(1 - HOUR_GAP) * self.hour_width:.1f}" height="{self.y(base) - self.y(base + value):.1f}" '
            f'fill="{fill}"/>'
            for number, (value, base) in enumerate(zip(values, below, strict=True))
            if value
        )

    def draw_line(self, values: HourSeries, style: str) -> str:
        """Return a line through the hours that have a value; a lone one is a dot."""
        parts = []
        for run in split_runs(values):
            points = [f"{self.x(number + 0.5):.1f},{self.y(value):.1f}" for number, value in run]
            if len(points) == 1:
                x, y = points[0].split(",")
                parts.append(f'<circle class="dot" cx="{x}" cy="{y}" r="2.5"/>')
            else:
                parts.append(f'<polyline class="{style}" points="{" ".join(points)}"/>')
        return "".join(parts)


def split_runs(values: HourSeries) -> Iterator[list[tuple[int, float]]]:
    """Yield the runs of values without a gap, each value with its number."""
    run: list[tuple[int, float]] = []
    for number, value in enumerate(values):
        if value is not None:
            run.append((number, value))
        elif run:
            yield run
            run = []
    if run:
        yield run


def build_hour_chart(
    hours: Sequence[datetime], highest: float, steps: Sequence[float], label: Callable[[float], str]
) -> HourChart:
    """Return a chart whose vertical axis has a few round steps and reaches the highest value."""
    step = next((step for step in steps if highest <= MAX_HOUR_CHART_STEPS * step), steps[-1])
    return HourChart(hours, step * max(1, ceil(highest / step)), step, label)


def draw_hour_columns(
    hours: Sequence[datetime], kinds: Sequence[tuple[Sequence[int], str]], words: str, label: Callable[[float], str]
) -> SafeString:
    """Draw counts by the hour, each kind in its fill, stacked in this order."""
    sums = [0] * len(hours)
    stacked = []
    for values, fill in kinds:
        stacked.append((values, sums, fill))
        sums = [base + value for base, value in zip(sums, values, strict=True)]
    chart = build_hour_chart(hours, max(sums, default=0), COUNT_STEPS, label)
    return _frame_hour_chart(chart, "".join(chart.draw_columns(*one) for one in stacked), words)


def draw_hour_lines(
    hours: Sequence[datetime], solid: HourSeries, broken: HourSeries, words: str, label: Callable[[float], str]
) -> SafeString:
    """Draw two series of seconds by the hour, one as a solid line and one as a broken line."""
    highest = max((value for value in (*solid, *broken) if value is not None), default=0.0)
    chart = build_hour_chart(hours, highest, SECOND_STEPS, label)
    return _frame_hour_chart(chart, chart.draw_line(broken, BROKEN_LINE) + chart.draw_line(solid, SOLID_LINE), words)


def _frame_hour_chart(chart: HourChart, drawn: str, words: str) -> SafeString:
    return format_html(
        '<svg class="history" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        HOURS_WIDTH,
        HOURS_HEIGHT,
        words,
        mark_safe(chart.draw_frame() + drawn),
    )
