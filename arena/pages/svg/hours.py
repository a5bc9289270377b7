"""Charts of figures by the hour: columns, stacked where there are two kinds, or lines. Numbers in, SVG out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime

WIDTH, HEIGHT = 640, 180
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 62, 14, 12, 26
"""Margins of a chart for its labels, in units of its drawing."""
GAP = 0.2
"""The part of an hour's width that its column leaves free."""
MAX_STEPS = 4
"""Steps of the vertical axis."""
HOURS_PER_LABEL = 6
COUNT_STEPS = tuple(lead * 10**power for power in range(9) for lead in (1, 2, 5))
SECOND_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, *(3600 * step for step in COUNT_STEPS))
SOLID, BROKEN = "line", "line broken"

Series = Sequence[float | None]


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
        return (WIDTH - MARGIN_LEFT - MARGIN_RIGHT) / max(len(self.hours), 1)

    def x(self, number: float) -> float:
        """Return the left edge of an hour."""
        return MARGIN_LEFT + number * self.hour_width

    def y(self, value: float) -> float:
        """Return the height of a value."""
        return HEIGHT - MARGIN_BOTTOM - value / self.top * (HEIGHT - MARGIN_TOP - MARGIN_BOTTOM)

    def draw_frame(self) -> str:
        """Return the lines and labels of both axes."""
        steps = [self.step * number for number in range(round(self.top / self.step) + 1)]
        lines = [
            f'<path class="ticks" d="M{MARGIN_LEFT} {self.y(value):.1f}H{WIDTH - MARGIN_RIGHT}"/>'
            f'<text class="left" x="{MARGIN_LEFT - 6}" y="{self.y(value) + 4:.1f}">{escape(self.format(value))}</text>'
            for value in steps
        ]
        labels = [
            f'<text class="below" x="{self.x(number + 0.5):.1f}" y="{HEIGHT - 6}">'
            f"{date_format(localtime(hour), 'TIME_FORMAT')}</text>"
            for number, hour in enumerate(self.hours)
            if number % HOURS_PER_LABEL == HOURS_PER_LABEL // 2
        ]
        return "".join(lines + labels)

    def draw_columns(self, values: Sequence[int], below: Sequence[int], fill: str) -> str:
        """Return a column for each hour, on top of other columns."""
        return "".join(
            f'<rect x="{self.x(number + GAP / 2):.1f}" y="{self.y(base + value):.1f}" '
            f'width="{(1 - GAP) * self.hour_width:.1f}" height="{self.y(base) - self.y(base + value):.1f}" '
            f'fill="{fill}"/>'
            for number, (value, base) in enumerate(zip(values, below, strict=True))
            if value
        )

    def draw_line(self, values: Series, style: str) -> str:
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


def split_runs(values: Series) -> Iterator[list[tuple[int, float]]]:
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


def build_chart(
    hours: Sequence[datetime], highest: float, steps: Sequence[float], label: Callable[[float], str]
) -> HourChart:
    """Return a chart whose vertical axis has a few round steps and reaches the highest value."""
    step = next((step for step in steps if highest <= MAX_STEPS * step), steps[-1])
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
    chart = build_chart(hours, max(sums, default=0), COUNT_STEPS, label)
    return _frame(chart, "".join(chart.draw_columns(*one) for one in stacked), words)


def draw_hour_lines(
    hours: Sequence[datetime], solid: Series, broken: Series, words: str, label: Callable[[float], str]
) -> SafeString:
    """Draw two series of seconds by the hour, one as a solid line and one as a broken line."""
    highest = max((value for value in (*solid, *broken) if value is not None), default=0.0)
    chart = build_chart(hours, highest, SECOND_STEPS, label)
    return _frame(chart, chart.draw_line(broken, BROKEN) + chart.draw_line(solid, SOLID), words)


def _frame(chart: HourChart, drawn: str, words: str) -> SafeString:
    return format_html(
        '<svg class="history" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        WIDTH,
        HEIGHT,
        words,
        mark_safe(chart.draw_frame() + drawn),
    )
