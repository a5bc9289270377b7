"""Fetch a bot's luck of the draw and its most frequent mistakes from the analyses of its legs."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Sum

from arena.analysis.models import SeatAnalysis
from arena.bots.models import Bot
from arena.comparisons.models import ParticipantLuck

SEATS_LOOKED_AT = 200
"""Typical mistakes are counted in so many of a bot's newest analysed legs."""
EXAMPLES_PER_KIND = 5


@dataclass(frozen=True, slots=True)
class DrawLuck:
    """The luck of all measured draws of a bot."""

    draws: int
    mean: float
    """Mean luck of a draw, as a chance of winning from -1 to 1."""
    z: float
    """The mean in its standard errors: by chance alone it is rarely beyond 3."""

    @property
    def points(self) -> float:
        """Return the mean in points of winning chance."""
        return 100 * self.mean


@dataclass(slots=True)
class MistakeKind:
    """One kind of mistakes of a bot."""

    kind: str
    game: str
    count: int = 0
    lost: float = 0.0
    """Sum of the chances that they gave away."""
    examples: list["MistakeExample"] = field(default_factory=list)
    """The most expensive ones, the worst first."""


@dataclass(frozen=True, slots=True)
class MistakeExample:
    """A mistake of a bot, and where it can be seen."""

    match: int
    edition: str
    leg: int
    seat: int
    mistake: dict[str, Any]


@dataclass(frozen=True, slots=True)
class MistakeSummary:
    """The mistakes of a bot's newest analysed legs."""

    legs: int
    judgements: dict[str, int]
    kinds: Sequence[MistakeKind]
    """Those that gave away most first."""


def fetch_draw_luck(bot: Bot) -> DrawLuck | None:
    """Return the luck of a bot's draws, of analysed legs and of comparisons; None where there are too few of them."""
    of_comparisons = ParticipantLuck.objects.filter(participant__version__bot=bot)
    analysed = SeatAnalysis.objects.filter(participant__version__bot=bot, participant__luck=None)
    found = [
        rows.aggregate(draws=Sum("draws"), luck=Sum(luck), squares=Sum(squares))
        for rows, luck, squares in (
            (of_comparisons, "luck", "squares"),
            (analysed, "draw_luck", "draw_luck_squares"),
        )
    ]
    draws, luck, squares = (sum(rows[name] or 0 for rows in found) for name in ("draws", "luck", "squares"))
    variance = (squares - luck * luck / draws) / (draws - 1) if draws > 1 else 0.0
    if variance <= 0:
        return None
    mean = luck / draws
    return DrawLuck(draws, mean, mean / math.sqrt(variance / draws))


def summarize_mistakes(bot: Bot, version: int | None = None) -> MistakeSummary:
    """Return the mistakes in a bot's newest analysed legs, or in those of one of its versions, by its number."""
    own = SeatAnalysis.objects.filter(participant__version__bot=bot).select_related("analysis__leg__match")
    if version is not None:
        own = own.filter(participant__version__number=version)
    own = own.only("seat", "mistakes", "analysis__leg__number", "analysis__leg__match__edition").order_by("-pk")
    rows = list(own[:SEATS_LOOKED_AT])
    kinds: dict[str, MistakeKind] = {}
    judgements: Counter[str] = Counter()
    for row in rows:
        leg = row.analysis.leg
        assert leg is not None, "only legs of matches have participants"
        for mistake in row.mistakes:
            judgements[mistake["judgement"]] += 1
            kind = kinds.setdefault(mistake["kind"], MistakeKind(mistake["kind"], bot.game))
            kind.count += 1
            kind.lost += mistake["loss"]
            kind.examples.append(MistakeExample(leg.match_id, leg.match.edition, leg.number, row.seat, mistake))
    for kind in kinds.values():
        kind.examples = sorted(kind.examples, key=lambda one: -one.mistake["loss"])[:EXAMPLES_PER_KIND]
    return MistakeSummary(len(rows), dict(judgements), sorted(kinds.values(), key=lambda kind: -kind.lost))
