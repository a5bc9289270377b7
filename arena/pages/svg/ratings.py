"""Drawings of ratings: intervals on one axis for all rows, and the history of a rating. Numbers in, SVG out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from math import ceil, floor

from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

INTERVAL_WIDTH, INTERVAL_HEIGHT = 220, 26
"""Size of an interval, in units of its drawing."""
INTERVAL_PADDING = 10
TICK_STEPS_ELO = (10, 20, 50, 100, 200, 500, 1000)
MAX_AXIS_TICKS = 5
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
class Axis:
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


def build_axis(spans: Iterable[tuple[float, float]]) -> Axis:
    """Return an axis wide enough for all of these ratings with their margins, in Elo."""
    spans = list(spans) or [(1500.0, 100.0)]
    low, high = min(rating - margin for rating, margin in spans), max(rating + margin for rating, margin in spans)
    step = next((step for step in TICK_STEPS_ELO if (high - low) / step <= MAX_AXIS_TICKS), TICK_STEPS_ELO[-1])
    first, last = floor(low / step), ceil(high / step)
    return Axis(first * step, max(last, first + 1) * step, tuple(range(first * step, (last + 1) * step, step)))


def draw_axis_numbers(axis: Axis) -> SafeString:
    """Draw the numbers above a column of intervals; they are decoration, as every interval has its own label."""
    words = "".join(
        f'<text x="{axis.at(tick):.1f}" y="12">{tick}</text>' for tick in axis.ticks[:: count_ticks_per_label(axis)]
    )
    return mark_safe(
        f'<svg class="scale" viewBox="0 0 {INTERVAL_WIDTH} 16" width="{INTERVAL_WIDTH}" height="16" '
        f'aria-hidden="true">{words}</svg>'
    )


def count_ticks_per_label(axis: Axis) -> int:
    """Return how many ticks lie from one number to the next, so that the numbers don't touch."""
    return 1 + len(axis.ticks) // (MAX_AXIS_TICKS + 1)


def draw_rating_interval(axis: Axis, rating: float, margin: float) -> SafeString:
    """Draw a rating with its 95 % interval."""
    left, middle, right = (axis.at(one) for one in (rating - margin, rating, rating + margin))
    words = _("95%% interval %(low)s to %(high)s") % {"low": f"{rating - margin:.0f}", "high": f"{rating + margin:.0f}"}
    return mark_safe(
        f'<svg class="interval" viewBox="0 0 {INTERVAL_WIDTH} {INTERVAL_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(words.replace("-", "−"))}"><path class="ticks" d="{axis.lines}"/>'
        f'<rect x="{left:.1f}" y="9" width="{right - left:.1f}" height="8"/>'
        f'<path class="ends" d="M{left:.1f} 7V19M{right:.1f} 7V19"/><path class="middle" d="M{middle:.1f} 4V22"/></svg>'
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
class Point:
    """A rating at one moment."""

    rating: float
    margin: float
    matches: int
    """Number of matches rated until then."""
    day: date
    version: int
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """The points of a chart: by day or by match from left to right, Elo upwards."""

    points: Sequence[Point]
    by_day: bool
    axis: Axis

    def place(self, point: Point) -> int:
        """Return where a point lies on the lower axis: its day, or its number of matches."""
        return point.day.toordinal() if self.by_day else point.matches

    def x(self, point: Point) -> float:
        """Return the horizontal position of a point."""
        start, end = self.place(self.points[0]), self.place(self.points[-1])
        return CHART_MARGIN_LEFT + (self.place(point) - start) / max(end - start, 1) * (
            CHART_WIDTH - CHART_MARGIN_LEFT - CHART_MARGIN_RIGHT
        )

    def y(self, rating: float) -> float:
        """Return the vertical position of a rating."""
        share = (rating - self.axis.low) / (self.axis.high - self.axis.low)
        return CHART_MARGIN_TOP + (1 - share) * (CHART_HEIGHT - CHART_MARGIN_TOP - CHART_MARGIN_BOTTOM)

    def trace(self, margins: float, points: Iterable[Point]) -> str:
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
