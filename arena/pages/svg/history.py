"""A rating's way through matches or days, as a picture with the versions, and with what is not yet settled in grey."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.ladders.rank_eligibility import MAX_RANKED_DEVIATION_ELO, MIN_RANKED_MATCHES
from arena.ladders.rating.elo import INTERVAL
from arena.pages.svg.ratings import BOTTOM, CHART_HEIGHT, CHART_WIDTH, LEFT, TOP, Chart, Point, make_axis

DAYS_NAMED = 366
"""So many days are kept in each language."""


@dataclass(frozen=True, slots=True)
class History(Chart):
    def count_placement(self) -> int:
        """So many points from the first are of a time in which the rating was not known well enough for a rank."""
        known = (
            number
            for number, point in enumerate(self.points)
            if point.margin <= INTERVAL * MAX_RANKED_DEVIATION_ELO and point.matches >= MIN_RANKED_MATCHES
        )
        return next(known, len(self.points))

    def draw_placement(self) -> str:
        """A grey field under the part in which it was settling in."""
        unsettled = self.count_placement()
        if unsettled < 2:
            return ""
        right, words = self.x(self.points[unsettled - 1]), _("settling in")
        return (
            f'<path fill="var(--sunken)" d="M{LEFT} {TOP}H{right:.1f}V{CHART_HEIGHT - BOTTOM}H{LEFT}z"/>'
            f'<text x="{LEFT + 6}" y="{CHART_HEIGHT - BOTTOM - 6}">{words}</text>'
        )


def draw_history(points: Sequence[Point], by_day: bool) -> SafeString:
    """The rating as a line in the band of its margin."""
    chart = History(points, by_day, make_axis((point.rating, point.margin) for point in points))
    ends = {"first": f"{points[0].rating:.0f}", "last": f"{points[-1].rating:.0f}"}
    drawn = chart.draw_placement() + chart.draw_grid() + chart.draw_band() + chart.draw_versions()
    return format_html(
        '<svg class="history" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        CHART_WIDTH,
        CHART_HEIGHT,
        _("Rating from %(first)s to %(last)s; the table below has the numbers") % ends,
        mark_safe(drawn + chart.draw_labels()),
    )


def list_numbers(points: Sequence[Point], by_day: bool) -> SafeString:
    """The same as rows of a table. All of it is numbers of ours, so nothing is to be escaped."""
    rows = []
    for point in points:
        first = name_day(point.day, get_language()) if by_day else str(point.matches)
        numbers = [f"{point.rating:.0f}".replace("-", "−"), f"± {point.margin:.0f}"]
        if by_day:
            numbers += [str(point.rank or "–"), str(point.matches)]
        cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
        rows.append(f"<tr><td>{first}</td><td>{point.version}</td>{cells}</tr>")
    return mark_safe("".join(rows))


@lru_cache(maxsize=2 * DAYS_NAMED)
def name_day(day: date, language: str | None) -> str:
    """In the reader's language, which is `language`. All bots have the same days."""
    return date_format(day, "SHORT_DATE_FORMAT")
