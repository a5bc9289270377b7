"""List challenges with their matches."""

from django.db.models import Prefetch, QuerySet

from arena.accounts.models import User
from arena.challenges.models import Challenge
from arena.matches.models import Match


def _with_matches() -> QuerySet[Challenge]:
    return Challenge.objects.prefetch_related(Prefetch("match", Match.objects.lean()))


def list_challenges(owner: User, only_bot: int | None = None) -> QuerySet[Challenge]:
    """List the challenges of a user, or only those of one bot."""
    challenges = _with_matches().filter(owner=owner)
    return challenges if only_bot is None else challenges.filter(version__bot=only_bot)


def fetch_challenge(pk: int) -> Challenge:
    """Return that challenge with its match."""
    return _with_matches().get(pk=pk)


def list_challenge_matches(owner: User, limit: int) -> QuerySet[Match]:
    """List the newest matches that a user has requested."""
    return Match.objects.filter(challenge__owner=owner).order_by("-pk").lean()[:limit]
