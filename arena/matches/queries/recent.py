"""List the newest matches, and find the leg for the replay of the day."""

from collections.abc import Collection
from datetime import timedelta

from django.db.models import QuerySet
from django.utils.timezone import now

from arena.accounts.models import User
from arena.matches.models import Leg, Match
from arena.runner.verdict import Verdict


def list_newest_matches(reader: User | None, state: Match.State, limit: int) -> QuerySet[Match]:
    """List the newest matches in a state that a reader may see."""
    return Match.objects.visible_to(reader).filter(state=state).order_by("-pk").lean()[:limit]


def find_longest_leg(matches: Collection[int], age: timedelta) -> Leg | None:
    """Return the leg with the most decisions and no fault among these matches, or None.

    Matches older than `age` are looked at only where none is younger.
    """
    legs = Leg.objects.filter(match__in=matches, match__state=Match.State.FINISHED).exclude(record=None)
    recent = legs.filter(match__finished_at__gte=now() - age)
    faults = [verdict for verdict in Verdict if verdict != Verdict.OK]
    without_faults = (recent if recent.exists() else legs).exclude(seats__verdict__in=faults)
    return without_faults.order_by("-decisions", "-pk").first()
