"""Charts of the atlas: squares on a grid, bars, and columns. Numbers in, SVG out.

What is drawn solid is what the page is about, a ladder or a bot; an outline, a tick or a broken line is the field that
a bot is compared with. What is below a half is hatched. Nothing is told by colour alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from arena.pages.formatting import format_percent

WIDTH, LABEL_WIDTH = 640, 224
"""In units of a drawing, which is stretched to the width there is; row labels are as wide as on a phone."""
ROW_HEIGHT, MARGIN_TOP, MARGIN_BOTTOM = 40, 8, 28
BAR_HEIGHT, VALUE_WIDTH = 18, 62
MIN_SIDE = 3.0
"""Side of the smallest square there is."""
FILLED_PART = 0.92
"""Part of its place on the grid that the largest square fills."""
COLUMNS_HEIGHT, COLUMNS_LEFT, GAP = 220, 58, 0.2
MAX_STEPS = 4
SHARE_STEPS = (0.01, 0.02, 0.05, 0.1, 0.25)
MAX_COLUMN_LABELS = 10
EVEN = 0.5

Shares = Sequence[float]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its label."""

    label: str
    share: float
    """From 0 to 1."""
    margin: float | None = None
    """Half of the 95 % interval; None where it isn't drawn."""
    field: float | None = None
    """The share of the field."""
    is_hatched: bool = False


def draw_grid_of_squares(
    rows: Sequence[str], columns: Sequence[str], shares: Sequence[Shares], field: Sequence[Shares] | None, words: str
) -> SafeString:
    """Draw a share for each row and column, as squares of this area; shares by row, then column."""
    pitch = (WIDTH - LABEL_WIDTH) / max(len(columns), 1)
    highest = max((share for drawn in (shares, field or []) for row in drawn for share in row), default=0.0)
    side = FILLED_PART * min(pitch, ROW_HEIGHT)
    parts = []
    for number, label in enumerate(rows):
        middle = MARGIN_TOP + (number + 0.5) * ROW_HEIGHT
        parts.append(_draw_row_label(label, middle))
        for place in range(len(columns)):
            centre = LABEL_WIDTH + (place + 0.5) * pitch
            parts.append(_draw_square(centre, middle, side, shares[number][place], highest, "share"))
            if field is not None:
                parts.append(_draw_square(centre, middle, side, field[number][place], highest, "field-share"))
    bottom = MARGIN_TOP + len(rows) * ROW_HEIGHT
    for place, label in enumerate(columns):
        x = LABEL_WIDTH + (place + 0.5) * pitch
        parts.append(f'<text class="below" x="{x:.1f}" y="{bottom + 20}">{escape(label)}</text>')
    return _frame(bottom + MARGIN_BOTTOM, parts, words)


def draw_bars_from_half(bars: Sequence[Bar], words: str) -> SafeString:
    """Draw each bar from a half to its share, to the right if it is more, with its margin as a line."""
    length = WIDTH - LABEL_WIDTH - VALUE_WIDTH

    def x(share: float) -> float:
        return LABEL_WIDTH + min(max(share, 0.0), 1.0) * length

    bottom = MARGIN_TOP + len(bars) * ROW_HEIGHT
    parts = [f'<path class="half" d="M{x(EVEN):.1f} {MARGIN_TOP}V{bottom}"/>']
    for number, bar in enumerate(bars):
        middle = MARGIN_TOP + (number + 0.5) * ROW_HEIGHT
        left, right = sorted((x(EVEN), x(bar.share)))
        parts.append(_draw_row_label(bar.label, middle))
        parts.append(_draw_bar(left, right, middle, "under" if bar.share < EVEN else "share"))
        if bar.margin is not None:
            ends = f"M{x(bar.share - bar.margin):.1f} {middle:.1f}H{x(bar.share + bar.margin):.1f}"
            parts.append(f'<path class="margin-line" d="{ends}"/>')
        parts += _draw_field_tick(bar, x(bar.field or 0.0), middle)
        parts.append(_draw_value(bar, middle))
    for share in (0.0, EVEN, 1.0):
        parts.append(f'<text class="below" x="{x(share):.1f}" y="{bottom + 20}">{format_percent(share)}</text>')
    return _frame(bottom + MARGIN_BOTTOM, parts, words)


def draw_bars(bars: Sequence[Bar], words: str) -> SafeString:
    """Draw each share as a bar; the longest fills the width."""
    length = WIDTH - LABEL_WIDTH - VALUE_WIDTH
    highest = max([share for bar in bars for share in (bar.share, bar.field or 0.0)], default=0.0) or 1.0
    parts = []
    for number, bar in enumerate(bars):
        middle = MARGIN_TOP + (number + 0.5) * ROW_HEIGHT
        right = LABEL_WIDTH + bar.share / highest * length
        parts.append(_draw_row_label(bar.label, middle))
        parts.append(_draw_bar(LABEL_WIDTH, right, middle, "under" if bar.is_hatched else "share"))
        parts += _draw_field_tick(bar, LABEL_WIDTH + (bar.field or 0.0) / highest * length, middle)
        parts.append(_draw_value(bar, middle))
    return _frame(MARGIN_TOP + len(bars) * ROW_HEIGHT + MARGIN_TOP, parts, words)


def draw_columns(labels: Sequence[str], shares: Shares, field: Shares | None, words: str) -> SafeString:
    """Draw a column for each share, from left to right, and the field's as a broken line of steps."""
    highest = max([*shares, *(field or []), 0.0])
    step = next((step for step in SHARE_STEPS if highest <= MAX_STEPS * step), SHARE_STEPS[-1])
    steps = max(1, ceil(highest / step))
    bottom = COLUMNS_HEIGHT - MARGIN_BOTTOM
    pitch = (WIDTH - COLUMNS_LEFT) / max(len(labels), 1)

    def x(number: float) -> float:
        return COLUMNS_LEFT + number * pitch

    def y(share: float) -> float:
        return bottom - share / (steps * step) * (bottom - MARGIN_TOP - 6)

    parts = [
        f'<path class="ticks" d="M{COLUMNS_LEFT} {y(tick * step):.1f}H{WIDTH}"/>'
        f'<text class="left" x="{COLUMNS_LEFT - 6}" y="{y(tick * step) + 5:.1f}">{format_percent(tick * step)}</text>'
        for tick in range(steps + 1)
    ]
    parts += [
        f'<rect class="share" x="{x(number + GAP / 2):.1f}" y="{y(share):.1f}" width="{(1 - GAP) * pitch:.1f}" '
        f'height="{bottom - y(share):.1f}"/>'
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
    return _frame(COLUMNS_HEIGHT, parts, words)


def _draw_row_label(label: str, middle: float) -> str:
    return f'<text class="left" x="{LABEL_WIDTH - 12}" y="{middle + 5:.1f}">{escape(label)}</text>'


def _draw_square(x: float, y: float, side: float, share: float, highest: float, style: str) -> str:
    if not share:
        return ""
    length = max(side * sqrt(share / highest), MIN_SIDE)
    return (
        f'<rect class="{style}" x="{x - length / 2:.1f}" y="{y - length / 2:.1f}" width="{length:.1f}" '
        f'height="{length:.1f}"/>'
    )


def _draw_bar(left: float, right: float, middle: float, style: str) -> str:
    top = middle - BAR_HEIGHT / 2
    return f'<rect class="{style}" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{BAR_HEIGHT}"/>'


def _draw_field_tick(bar: Bar, x: float, middle: float) -> list[str]:
    if bar.field is None:
        return []
    return [f'<path class="field-tick" d="M{x:.1f} {middle - 14:.1f}V{middle + 14:.1f}"/>']


def _draw_value(bar: Bar, middle: float) -> str:
    return f'<text class="left value" x="{WIDTH}" y="{middle + 5:.1f}">{format_percent(bar.share)}</text>'


def _frame(height: float, parts: Sequence[str], words: str) -> SafeString:
    return format_html(
        '<svg class="history atlas" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        WIDTH,
        f"{height:.0f}",
        words,
        mark_safe("".join(parts)),
    )
