"""The chart of a rating over matches or days, with the versions, and settling in on a grey field."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.ladders.rank_eligibility import MAX_RANKED_DEVIATION_ELO, MIN_RANKED_MATCHES
from arena.ladders.rating.elo import Z_SCORE_95
from arena.pages.svg.ratings import (
    CHART_HEIGHT,
    CHART_MARGIN_BOTTOM,
    CHART_MARGIN_LEFT,
    CHART_MARGIN_TOP,
    CHART_WIDTH,
    Chart,
    Point,
    build_axis,
)


@dataclass(frozen=True, slots=True)
class History(Chart):
    """A chart of a rating over matches or days."""

    def count_placement(self) -> int:
        """Count the first points, in which the rating was not known well enough for a rank."""
        known = (
            number
            for number, point in enumerate(self.points)
            if point.margin <= Z_SCORE_95 * MAX_RANKED_DEVIATION_ELO and point.matches >= MIN_RANKED_MATCHES
        )
        return next(known, len(self.points))

    def draw_placement(self) -> str:
        """Draw a grey field under the part in which the rating was settling in."""
        unsettled = self.count_placement()
        if unsettled < 2:
            return ""
        right, bottom = self.x(self.points[unsettled - 1]), CHART_HEIGHT - CHART_MARGIN_BOTTOM
        words = _("settling in")
        return (
            f'<path fill="var(--sunken)" d="M{CHART_MARGIN_LEFT} {CHART_MARGIN_TOP}H{right:.1f}V{bottom}'
            f'H{CHART_MARGIN_LEFT}z"/>'
            f'<text x="{CHART_MARGIN_LEFT + 6}" y="{bottom - 6}">{words}</text>'
        )


def draw_rating_history(points: Sequence[Point], by_day: bool) -> SafeString:
    """Draw the rating as a line in the band of its margin."""
    chart = History(points, by_day, build_axis((point.rating, point.margin) for point in points))
    ends = {"first": f"{points[0].rating:.0f}", "last": f"{points[-1].rating:.0f}"}
    drawn = chart.draw_placement() + chart.draw_grid() + chart.draw_band() + chart.draw_versions()
    return format_html(
        '<svg class="history" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        CHART_WIDTH,
        CHART_HEIGHT,
        _("Rating from %(first)s to %(last)s; the table below has the numbers") % ends,
        mark_safe(drawn + chart.draw_labels()),
    )
