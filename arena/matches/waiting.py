"""Where a match stands in the queue."""

from dataclasses import dataclass

from django.db.models import Q

from arena.matches.models import Match


@dataclass(frozen=True, slots=True)
class Waiting:
    ahead: int
    """So many matches are to be played before it."""
    seconds: float | None
    """Until it begins, about; None where nobody can tell."""
    reason: str
    """Why it waits, in a sentence."""


def place_in_queue(match: Match) -> Waiting:
    earlier = Q(turn__lt=match.turn) | Q(turn=match.turn, pk__lt=match.pk)
    before = Q(priority__gt=match.priority) | Q(priority=match.priority) & earlier
    ahead = Match.objects.queued().filter(before).count()
    return Waiting(ahead, None, "Others come first." if ahead else "It is the next to be played.")
