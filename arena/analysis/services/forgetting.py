"""Forget who requested analyses."""

from arena.accounts.models import User
from arena.analysis.models import LegAnalysis


def forget_who_requested(*, user: User) -> None:
    """Keep the analyses that a user requested, without the user."""
    LegAnalysis.objects.filter(requested_by=user).update(requested_by=None)
