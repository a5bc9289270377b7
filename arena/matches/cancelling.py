"""Cancel matches that have no result yet, also while they are played."""

from collections.abc import Collection, Iterable

from django.db import transaction
from django.utils.timezone import now

from arena.matches.models import Attempt, Match, MatchQuerySet
from engine.message import Message

OPEN_STATES = (Match.State.QUEUED, Match.State.RUNNING)


def list_open_matches_of_author(owner: int) -> MatchQuerySet:
    """List the matches that wait or are played with a bot of this owner."""
    return Match.objects.filter(state__in=OPEN_STATES).with_player(version__bot__owner=owner)


def list_open_matches_of_versions(versions: Collection[int]) -> MatchQuerySet:
    """List the matches that wait or are played with one of these versions."""
    return Match.objects.filter(state__in=OPEN_STATES).with_player(version__in=versions)


def cancel_matches(*, matches: Iterable[int], reason: Message) -> list[int]:
    """Cancel those of these matches that wait or are played, and return them.

    The worker of one that is played notices at its next heartbeat, and its result is refused.
    """
    return [pk for pk in matches if _cancel_match(pk, reason)]


@transaction.atomic
def _cancel_match(pk: int, reason: Message) -> bool:
    """Cancel a match. Its attempt is ended first, as when a result is stored, so that only one of both succeeds.

    A worker may claim the match meanwhile, and its attempt is seen only once the match is locked.
    """
    _end_attempts(pk)
    moment = now()
    cancelled = {"state": Match.State.VOID, "void_reason": reason, "finished_at": moment, "cancelled_at": moment}
    is_cancelled = Match.objects.filter(pk=pk, state__in=OPEN_STATES).update(**cancelled) == 1
    if is_cancelled:
        _end_attempts(pk)
    return is_cancelled


def _end_attempts(pk: int) -> None:
    ended = {"ended_at": now(), "ending": Attempt.Ending.CANCELLED, "underway": None}
    Attempt.objects.open().filter(match=pk).update(**ended)
