"""Charts of a bot's results: shares as bars, the last results as squares, a running score. Numbers in, SVG out.

Wins are solid, losses are hatched or struck, so that nothing is told by colour alone.
"""

from collections.abc import Sequence
from itertools import accumulate

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

BAR_LENGTH = 120
"""In units of the drawing, which is stretched to the width there is."""
SQUARE_SIZE, SQUARE_PITCH = 10, 14
SCORE_TREND_WIDTH, SCORE_TREND_HEIGHT = 640, 180
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 44, 14, 12, 26
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


def draw_share_bar(share: float) -> SafeString:
    """Draw a share from 0 to 1 as a bar, which is decoration: the number stands beside it."""
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


def draw_fault_shares(clean: int, faults: Sequence[tuple[str, int]]) -> SafeString:
    """Draw legs without and with faults as shares of one bar, each kind in its colour. The numbers stand below it."""
    total = max(clean + sum(count for _colour, count in faults), 1)
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
        return MARGIN_LEFT + (number - first) / max(len(means) - 1, 1) * (
            SCORE_TREND_WIDTH - MARGIN_LEFT - MARGIN_RIGHT
        )

    def y(share: float) -> float:
        return MARGIN_TOP + (1 - share) * (SCORE_TREND_HEIGHT - MARGIN_TOP - MARGIN_BOTTOM)

    grid = "".join(
        f'<path class="ticks" d="M{MARGIN_LEFT} {y(share):.1f}H{SCORE_TREND_WIDTH - MARGIN_RIGHT}"/>'
        f'<text class="left" x="{MARGIN_LEFT - 6}" y="{y(share) + 4:.1f}">{share:.0%}</text>'
        for share in (0.0, 0.5, 1.0)
    )
    labels = "".join(
        f'<text class="below" x="{x(number):.1f}" y="{SCORE_TREND_HEIGHT - 6}">{number}</text>'
        for number in (first, len(results))
    )
    points = " ".join(f"{x(first + step):.1f},{y(mean):.1f}" for step, mean in enumerate(means))
    line = (
        f'<path class="version" d="M{MARGIN_LEFT} {y(expected):.1f}H{SCORE_TREND_WIDTH - MARGIN_RIGHT}"/>'
        f'<polyline class="line" points="{points}"/>'
        f'<circle class="now" cx="{x(len(results)):.1f}" cy="{y(means[-1]):.1f}" r="4"/>'
    )
    words = _("Mean score of the last %(count)d matches: %(last)s")
    return format_html(
        '<svg class="history" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        SCORE_TREND_WIDTH,
        SCORE_TREND_HEIGHT,
        words % {"count": choose_averaging_window(results), "last": f"{means[-1]:.0%}"},
        mark_safe(grid + line + labels),
    )
