"""Audit the luck of bots: a bot that knows the deck has luck, and an adjustment for luck would hide it."""

from arena.analysis.queries.bots import fetch_draw_luck
from arena.bots.models import Bot
from arena.comparisons.luck import suspend_adjustment
from arena.comparisons.models import LuckSuspension

MAX_LUCK_Z = 4.0
"""Mean luck of so many standard errors is no chance: of a bot that doesn't know the deck once in 16,000 looks."""
MIN_AUDITED_DRAWS = 500
"""With fewer draws the standard error itself is uncertain. It takes some dozen legs."""


def audit_luck_of_match(*, match_id: int) -> list[LuckSuspension]:
    """Suspend the adjustment of the bots of a match whose mean luck is out of line. Return what is new."""
    bots = Bot.objects.filter(versions__participations__match=match_id).distinct()
    return [found for bot in bots if (found := audit_luck(bot=bot)) is not None]


def audit_luck(*, bot: Bot) -> LuckSuspension | None:
    """Suspend the adjustment of a bot whose mean luck is out of line. Return the suspension if it is new."""
    luck = fetch_draw_luck(bot)
    if luck is None or luck.draws < MIN_AUDITED_DRAWS or abs(luck.z) <= MAX_LUCK_Z:
        return None
    return suspend_adjustment(bot=bot, draws=luck.draws, z=luck.z)
