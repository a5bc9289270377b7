"""Read the luck of comparisons: matches whose luck is to be measured, and bots whose luck is odd."""

from collections.abc import Collection
from datetime import timedelta

from django.db.models import QuerySet

from arena.bots.models import Bot
from arena.comparisons.models import ComparisonMatch, LuckSuspension
from arena.times import is_past

MEASURED_WITHIN = timedelta(seconds=30)
"""After this time the message that asked for a measurement is taken for lost."""


def list_matches_without_luck() -> list[int]:
    """Return the finished matches of adjusted comparisons whose luck should have been measured by now."""
    overdue = ComparisonMatch.objects.without_luck().filter(is_past("match__finished_at", MEASURED_WITHIN))
    return list(overdue.order_by("pk").values_list("match", flat=True))


def list_suspended_bots(bots: Collection[int]) -> QuerySet[Bot]:
    """List those of these bots whose comparisons are not adjusted for luck."""
    return Bot.objects.filter(pk__in=bots, luck_suspension__isnull=False, luck_suspension__dismissed_at=None)


def find_luck_suspension(bot: Bot) -> LuckSuspension | None:
    """Return the suspension of a bot's adjustment, or None."""
    return LuckSuspension.objects.filter(bot=bot, dismissed_at=None).first()
