"""Charts of a comparison: the log-likelihood ratio between its bounds, and the estimate with its interval."""

from dataclasses import dataclass
from math import ceil

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.comparisons.sprt import LLR_BOUND, Estimate
from arena.pages.bots.comparison_text import describe_estimate, format_signed

GAUGE_WIDTH, GAUGE_HEIGHT = 600, 34
"""The size in units of the drawing, which is stretched to the width there is."""
GAUGE_MARGIN = 6
AXIS_STEP_ELO = 50


@dataclass(frozen=True, slots=True)
class Scale:
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
    scale = Scale(LLR_BOUND)
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
    scale = Scale(compute_axis_limit_elo(estimate))
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
