"""Read how a comparison goes: its matches, and where the next of them stands in the queue."""

from django.db.models import QuerySet

from arena.bots.models import BotVersion
from arena.comparisons.models import Comparison
from arena.matches.models import Match
from arena.matches.queries.bot_matches import find_first_place_in_queue
from arena.matches.waiting import Waiting


def list_comparison_matches(comparison: Comparison, limit: int) -> QuerySet[Match]:
    """List the newest matches of a comparison, without those that ended without a result."""
    matches = Match.objects.filter(comparison_match__comparison=comparison).exclude(state=Match.State.VOID)
    return matches.lean()[:limit]


def list_opponents(comparison: Comparison) -> QuerySet[BotVersion]:
    """List the bots that both versions play in a field."""
    return comparison.opponents.select_related("bot").defer("build_log").order_by("pk")


def find_next_place_in_queue(comparison: Comparison) -> Waiting | None:
    """Return the place in the queue of the first match; None while one is played, or where none is to be."""
    unplayed = Match.objects.filter(comparison_match__comparison=comparison, comparison_match__in_flight=True)
    return None if unplayed.running().exists() else find_first_place_in_queue(unplayed)
