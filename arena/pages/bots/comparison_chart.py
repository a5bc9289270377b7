"""A sequential test in pictures and words."""

from dataclasses import dataclass
from math import ceil, exp

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.comparisons.models import Comparison
from arena.comparisons.sprt import ERROR_RATE, LLR_BOUND, MIN_PAIRS, Estimate

WIDTH, HEIGHT = 600, 34
"""Of a drawing, in units of its own: it is stretched to the width there is."""
EDGE = 6
STEP = 50
"""Elo by which the axis of an estimate grows."""
ALMOST = 0.995
"""A chance that would be rounded to all."""
POINTS = ("0", "½", "1", "1½", "2")


@dataclass(frozen=True, slots=True)
class State:
    """Where a comparison stands: a chip, and what that means."""

    tone: str
    """A class of chips."""
    icon: str
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    units: int
    share: float
    """Of the commonest one."""


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis with 0 in the middle."""

    limit: float

    def at(self, value: float) -> float:
        share = min(max(value / self.limit, -1.0), 1.0)
        return EDGE + (1 + share) / 2 * (WIDTH - 2 * EDGE)


def draw_ratio(comparison: Comparison) -> SafeString:
    """The log-likelihood ratio between the bounds that decide."""
    scale = Scale(LLR_BOUND)
    middle, here = scale.at(0), scale.at(comparison.llr)
    words = _("Log-likelihood ratio %(ratio)s, between −%(bound)s and %(bound)s") % {
        "ratio": signed(comparison.llr, 2),
        "bound": f"{LLR_BOUND:.2f}",
    }
    return draw(
        words,
        format_html(
            '<rect class="track" x="{}" y="12" width="{}" height="10"/><rect class="{}" x="{}" y="12" width="{}" '
            'height="10"/><path class="ticks" d="M{} 4V30M{} 8V26M{} 4V30"/><path class="here" d="M{} 5V29"/>',
            EDGE,
            WIDTH - 2 * EDGE,
            "for" if comparison.llr > 0 else "against",
            f"{min(middle, here):.1f}",
            f"{abs(here - middle):.1f}",
            EDGE,
            f"{middle:.1f}",
            WIDTH - EDGE,
            f"{here:.1f}",
        ),
    )


def tell_estimate(estimate: Estimate | None) -> dict[str, str]:
    """Its numbers, and the middle one with half of the interval."""
    if estimate is None:
        return {}
    numbers = {"elo": estimate.elo, "low": estimate.low, "high": estimate.high}
    words = {name: signed(number) for name, number in numbers.items()}
    return {**words, "short": f"{words['elo']} ± {estimate.margin_95:.0f}", "chance": tell_chance(estimate.likelihood)}


def tell_chance(share: float) -> str:
    """Never certain."""
    if share >= ALMOST:
        return _("over 99%")
    return _("under 1%") if share <= 1 - ALMOST else f"{share:.0%}"


def find_limit(estimate: Estimate) -> int:
    """How far the axis of an estimate goes either way, Elo."""
    return STEP * max(1, ceil(max(abs(estimate.low), abs(estimate.high)) / STEP))


def draw_estimate(estimate: Estimate | None) -> SafeString:
    """The interval of the estimate, with nothing in the middle of the axis."""
    if estimate is None:
        return SafeString("")
    scale = Scale(find_limit(estimate))
    left, here, right = (f"{scale.at(one):.1f}" for one in (estimate.low, estimate.elo, estimate.high))
    words = _("%(elo)s Elo, 95%% interval %(low)s to %(high)s") % tell_estimate(estimate)
    return draw(
        words,
        format_html(
            '<path class="axis" d="M{} 17H{}"/><path class="ticks" d="M{} 2V32"/>'
            '<rect class="interval" x="{}" y="11" width="{}" height="12"/><path class="here" d="M{} 5V29"/>',
            EDGE,
            WIDTH - EDGE,
            f"{scale.at(0):.1f}",
            left,
            f"{max(float(right) - float(left), 2):.1f}",
            here,
        ),
    )


def draw(words: str, content: SafeString) -> SafeString:
    return format_html(
        '<svg class="gauge" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>',
        WIDTH,
        HEIGHT,
        words,
        content,
    )


def list_results(comparison: Comparison) -> list[Result]:
    """How often each result came, the best first. Those with drawn legs are left out where there are none."""
    middle = len(comparison.result_counts) // 2
    most = max([*comparison.result_counts, 1])
    return [
        Result(name_result(comparison, index, middle), units, units / most)
        for index, units in reversed(list(enumerate(comparison.result_counts)))
        if units or index % 2 == 0
    ]


def name_result(comparison: Comparison, index: int, middle: int) -> str:
    """Points of the pair, or by how many more the version made than the baseline."""
    if not comparison.is_field:
        return f"{POINTS[index]}–{POINTS[-1 - index]}"
    away = index - middle
    return "±0" if not away else f"{'+' if away > 0 else '−'}{POINTS[abs(away)]}"


def tell_state(comparison: Comparison) -> State:
    """In words; what is asked is either whether it is better or whether it is no worse."""
    guard = comparison.is_guard
    match comparison.state:
        case Comparison.State.RUNNING:
            return State("info", "clock", _("running"), tell_progress(comparison))
        case Comparison.State.BETTER:
            return State("good", "ok", _("no worse") if guard else _("better"), tell_yes(comparison))
        case Comparison.State.NOT_BETTER:
            return State("bad", "no", _("worse") if guard else _("not better"), tell_no(comparison))
        case Comparison.State.UNDECIDED:
            return State("plain", "dash", _("undecided"), "")
    return State("plain", "pause", _("stopped"), _("Its owner stopped it before it was decided."))


def tell_progress(comparison: Comparison) -> str:
    if comparison.pairs < MIN_PAIRS:
        left = MIN_PAIRS - comparison.pairs
        return ngettext(
            "Nothing is decided before %(least)s pairs: %(left)s more.",
            "Nothing is decided before %(least)s pairs: %(left)s more.",
            left,
        ) % {"least": MIN_PAIRS, "left": left}
    words = {
        "times": f"{exp(abs(comparison.llr)):.1f}",
        "enough": f"{exp(LLR_BOUND):.0f}",
        **name_bounds(comparison),
    }
    if comparison.llr >= 0:
        sentence = _(
            "So far the results are %(times)s times as likely of a version at %(elo1)s as of one at %(elo0)s Elo. "
            "At %(enough)s times the answer is yes."
        )
    else:
        sentence = _(
            "So far the results are %(times)s times as likely of a version at %(elo0)s as of one at %(elo1)s Elo. "
            "At %(enough)s times the answer is no."
        )
    return sentence % words


def tell_yes(comparison: Comparison) -> str:
    words = {"errors": f"{ERROR_RATE:.0%}", **name_bounds(comparison)}
    return _("Of versions at %(elo0)s Elo, %(errors)s at most get this answer.") % words


def tell_no(comparison: Comparison) -> str:
    words = {"errors": f"{ERROR_RATE:.0%}", **name_bounds(comparison)}
    sentence = _("Of versions at %(elo1)s Elo, %(errors)s at most get this answer. A smaller step may still be there.")
    return sentence % words


def name_bounds(comparison: Comparison) -> dict[str, str]:
    return {"elo0": signed(comparison.elo0), "elo1": signed(comparison.elo1)}


def signed(number: float, digits: int = 0) -> str:
    """With a real minus sign, and a plus."""
    text = f"{number:+.{digits}f}".replace("-", "−")
    return text[1:] if not text.strip("+−0.") else text
