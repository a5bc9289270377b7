"""How much of the workers' time analyses may take: a share of their processes, and of one process's time below that."""

from datetime import timedelta

from django.conf import settings

from arena.matches.models import Match
from arena.matches.queries.queue import list_live_workers


def is_analysis_on() -> bool:
    """Return whether this arena makes analyses at all."""
    return settings.ANALYSIS_SHARE_PERCENT > 0


def count_granted_processes() -> float:
    """Return the number of worker processes, perhaps a part of one, whose time analyses may take while matches wait."""
    workers = max(1, list_live_workers().able().count())
    return settings.ANALYSIS_SHARE_PERCENT / 100 * settings.CELERY_WORKER_CONCURRENCY * workers


def count_slots() -> int:
    """Return how many analyses may be made at the same time: at least one, unless they are switched off."""
    return max(1, int(count_granted_processes())) if is_analysis_on() else 0


def compute_rest(worked_s: float) -> timedelta:
    """Return how long an analysis rests after so many seconds of work.

    While no match waits, it doesn't. Where less than one process is granted, it rests for the others' part of the time.
    """
    granted = count_granted_processes()
    if granted >= 1 or granted <= 0 or not Match.objects.queued().exists():
        return timedelta(0)
    return timedelta(seconds=worked_s * (1 / granted - 1))
