"""Keep count of how often each version's legs ended with which verdict."""

from collections import Counter
from collections.abc import Iterable

from django.db.models import F

from arena.matches.models import LegSeat, VerdictCount


def count_verdicts(seats: Iterable[LegSeat]) -> None:
    """Count the verdicts of a match, in the transaction that stores it; `seats` come with their participants.

    The rows are changed in one order, so that two matches between the same versions don't wait for each other.
    """
    counted = sorted(Counter((seat.participant.version_id, seat.verdict) for seat in seats).items())
    VerdictCount.objects.bulk_create(
        [VerdictCount(version_id=version, verdict=verdict) for (version, verdict), _ in counted], ignore_conflicts=True
    )
    for (version, verdict), legs in counted:
        VerdictCount.objects.filter(version=version, verdict=verdict).update(legs=F("legs") + legs)
