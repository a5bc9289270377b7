"""Figures of live games for operators."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q

from arena.livegames.models import LiveGame


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """How many live games are played, how many of them wait for a bot, and since when the longest does."""

    playing: int
    waiting_for_bot: int
    oldest: datetime | None


def fetch_live_figures() -> LiveFigures:
    """Return the figures of this moment."""
    waits = Q(bot_to_act__isnull=False)
    found = LiveGame.objects.playing().aggregate(
        playing=Count("pk"), waiting_for_bot=Count("pk", filter=waits), oldest=Min("decided_at", filter=waits)
    )
    return LiveFigures(**found)
