"""Two bots as rivals: the score between them, who has won lately, and how many matches were decided."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.bots.models import Bot
from arena.pages.bots.head_to_head import HALF, Tally, compare_points, count_results
from arena.pages.svg.charts import DRAWN_POINTS, WON_POINTS


@dataclass(frozen=True, slots=True)
class Rivalry:
    """The score between two bots, and their newest matches."""

    points: tuple[str, str]
    """Points of both, one a match."""
    is_level: bool
    tally: Tally
    streak: str
    """Who has won the newest matches in a row, as a sentence; empty where there is none."""
    decided: str
    """How many of the newest matches were not drawn, as a sentence."""


def build_rivalry(bot: Bot, other: Bot, rated: tuple[float, int], results: Sequence[float]) -> Rivalry:
    """Return the rivalry of two bots.

    `rated` has the points of the first in rated matches and their number, `results` its shares of the points in their
    newest matches of any kind, oldest first. The score is that of rated matches, or of the newest ones without any.
    """
    points, matches = rated if rated[1] else (sum(results), len(results))
    tally = count_results(results)
    return Rivalry(
        points=(format_points(points), format_points(matches - points)),
        is_level=compare_points(points, matches - points) == DRAWN_POINTS,
        tally=tally,
        streak=describe_streak(bot, other, results),
        decided=describe_decided(tally),
    )


def format_points(points: float) -> str:
    """Return points with one digit after the point where it isn't 0."""
    return f"{round(points, 1):g}"


def describe_streak(bot: Bot, other: Bot, results: Sequence[float]) -> str:
    """Return who has won the newest matches, or that they were drawn."""
    outcomes = [compare_points(share, HALF) for share in reversed(results)]
    if not outcomes:
        return ""
    count = next((number for number, one in enumerate(outcomes) if one != outcomes[0]), len(outcomes))
    if outcomes[0] == DRAWN_POINTS:
        drawn = ngettext("Their last match was drawn.", "Their last %(count)d matches were drawn.", count)
        return drawn % {"count": count}
    winner = bot if outcomes[0] == WON_POINTS else other
    won = ngettext("%(name)s has won the last match.", "%(name)s has won the last %(count)d matches in a row.", count)
    return won % {"name": winner.name, "count": count}


def describe_decided(tally: Tally) -> str:
    """Return how many matches had a winner."""
    if not tally.matches:
        return ""
    if not tally.drawn:
        return ngettext(
            "Their last match had a winner.", "All of their last %(count)d matches had a winner.", tally.matches
        ) % {"count": tally.matches}
    decided = _("%(count)d of their last %(all)d matches had a winner.")
    return decided % {"all": tally.matches, "count": tally.matches - tally.drawn}
