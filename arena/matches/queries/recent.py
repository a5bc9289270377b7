"""List the newest matches."""

from django.db.models import QuerySet

from arena.accounts.models import User
from arena.matches.models import Match, MatchQuerySet

PRIVATE_PURPOSES = ("trial", "tournament_check", "comparison_match")
"""Rows that make a match a check of one version, or a part of an author's comparison."""


def list_newest_matches(reader: User | None, state: Match.State, limit: int) -> QuerySet[Match]:
    """List the newest matches in a state that a reader may see."""
    return list_newest_matches_of(Match.objects.visible_to(reader), state, limit)


def list_newest_matches_of(matches: MatchQuerySet, state: Match.State, limit: int) -> QuerySet[Match]:
    """List the newest of some matches in a state."""
    return matches.filter(state=state).order_by("-pk").lean()[:limit]


def list_newest_results(reader: User | None, limit: int) -> QuerySet[Match]:
    """List the newest finished matches that a reader may see, without checks and comparisons."""
    # Asked for the row itself instead of its match, PostgreSQL sorts all matches before it takes the newest.
    nothing = {f"{purpose}__match": None for purpose in PRIVATE_PURPOSES}
    matches = Match.objects.visible_to(reader).filter(**nothing)
    return list_newest_matches_of(matches, Match.State.FINISHED, limit)
