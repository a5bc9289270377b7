"""List the newest matches."""

from django.db.models import QuerySet

from arena.accounts.models import User
from arena.matches.models import Match


def list_newest_matches(reader: User | None, state: Match.State, limit: int) -> QuerySet[Match]:
    """List the newest matches in a state that a reader may see."""
    return Match.objects.visible_to(reader).filter(state=state).order_by("-pk").lean()[:limit]
