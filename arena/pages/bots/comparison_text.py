"""Describe a comparison: its estimate, its results, and the meaning of its state."""

from dataclasses import dataclass
from math import exp
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.comparisons.models import Comparison
from arena.comparisons.sprt import ERROR_RATE, LLR_BOUND, MIN_PAIRS, Estimate

NEARLY_CERTAIN = 0.995
"""A larger probability would be rounded to 100 %."""
POINTS = ("0", "½", "1", "1½", "2")


@dataclass(frozen=True, slots=True)
class Result:
    """A result and its frequency."""

    name: str
    units: int
    share: float
    """Its number divided by that of the most frequent result."""


def describe_estimate(estimate: Estimate | None) -> dict[str, str]:
    """Return the numbers of an estimate as text, and the Elo with half of its interval."""
    if estimate is None:
        return {}
    numbers = {"elo": estimate.elo, "low": estimate.low, "high": estimate.high}
    words = {name: format_signed(number) for name, number in numbers.items()}
    return {
        **words,
        "short": f"{words['elo']} ± {estimate.margin_95:.0f}",
        "chance": format_probability(estimate.likelihood),
    }


def describe_other_reading(comparison: Comparison) -> dict[str, Any]:
    """Return the figures of an adjusted comparison that don't decide; nothing where there is no adjustment."""
    if comparison.value_function is None:
        return {}
    other = (comparison.llr, comparison.estimate)
    if comparison.adjustment_suspended:
        other = (comparison.adjusted_llr, comparison.adjusted_estimate)
    ratio, estimate = other
    return {"llr": format_signed(ratio, 2), "estimate": describe_estimate(estimate)}


def format_probability(share: float) -> str:
    """Return a probability in percent, never as certain."""
    if share >= NEARLY_CERTAIN:
        return _("over 99%")
    return _("under 1%") if share <= 1 - NEARLY_CERTAIN else f"{share:.0%}"


def list_results(comparison: Comparison) -> list[Result]:
    """List how often each result came, best first, without odd results that never came."""
    middle = len(comparison.result_counts) // 2
    most = max([*comparison.result_counts, 1])
    return [
        Result(name_result(comparison, index, middle), units, units / most)
        for index, units in reversed(list(enumerate(comparison.result_counts)))
        if units or index % 2 == 0
    ]


def name_result(comparison: Comparison, index: int, middle: int) -> str:
    """Return the points of a pair; in a field, how many more the version made than the baseline."""
    if not comparison.is_field:
        return f"{POINTS[index]}–{POINTS[-1 - index]}"
    away = index - middle
    return "±0" if not away else f"{'+' if away > 0 else '−'}{POINTS[abs(away)]}"


def describe_state(comparison: Comparison) -> str:
    """Return what the state of a comparison means."""
    match comparison.state:
        case Comparison.State.RUNNING:
            return describe_progress(comparison)
        case Comparison.State.BETTER:
            sentence = _("A version at %(elo0)s Elo gets this answer with a probability of at most %(errors)s.")
        case Comparison.State.NOT_BETTER:
            sentence = _(
                "A version at %(elo1)s Elo gets this answer with a probability of at most %(errors)s. "
                "A smaller improvement is still possible."
            )
        case Comparison.State.STOPPED:
            return _("Its owner stopped it before it was decided.")
        case _other:
            return ""
    return sentence % {"errors": f"{ERROR_RATE:.0%}", **format_bounds(comparison)}


def describe_progress(comparison: Comparison) -> str:
    """Return how far a running comparison is from its answer."""
    if comparison.pairs < MIN_PAIRS:
        left = MIN_PAIRS - comparison.pairs
        return ngettext(
            "Nothing is decided before %(least)s pairs: %(left)s more.",
            "Nothing is decided before %(least)s pairs: %(left)s more.",
            left,
        ) % {"least": MIN_PAIRS, "left": left}
    words = {
        "times": f"{exp(abs(comparison.deciding_llr)):.1f}",
        "enough": f"{exp(LLR_BOUND):.0f}",
        **format_bounds(comparison),
    }
    if comparison.deciding_llr >= 0:
        sentence = _(
            "So far the results are %(times)s times as likely for a version at %(elo1)s as for one at %(elo0)s Elo. "
            "At %(enough)s times the answer is yes."
        )
    else:
        sentence = _(
            "So far the results are %(times)s times as likely for a version at %(elo0)s as for one at %(elo1)s Elo. "
            "At %(enough)s times the answer is no."
        )
    return sentence % words


def format_bounds(comparison: Comparison) -> dict[str, str]:
    """Return the bounds of a comparison as text."""
    return {"elo0": format_signed(comparison.elo0), "elo1": format_signed(comparison.elo1)}


def format_signed(number: float, digits: int = 0) -> str:
    """Return a number with its sign, a real minus or a plus; 0 without one."""
    text = f"{number:+.{digits}f}".replace("-", "−")
    return text[1:] if not text.strip("+−0.") else text
