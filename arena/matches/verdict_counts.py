"""Keep count of how often each version's legs ended with which verdict, in the matches that its bot's pages list."""

from collections import Counter
from collections.abc import Iterable

from django.db.models import F

from arena.matches.models import LegSeat, VerdictCount


def count_verdicts(seats: Iterable[LegSeat]) -> None:
    """Count the verdicts of a match, in the transaction that stores it; `seats` come with their participants.

    Hidden participants aren't counted: everybody reads the numbers of a public bot, and may not learn from them what it
    plays for a group.
    The rows are changed in one order, so that two matches between the same versions don't wait for each other.
    """
    shown = (seat for seat in seats if not seat.participant.is_hidden)
    counted = sorted(Counter((seat.participant.version_id, seat.verdict) for seat in shown).items())
    VerdictCount.objects.bulk_create(
        [VerdictCount(version_id=version, verdict=verdict) for (version, verdict), _ in counted], ignore_conflicts=True
    )
    for (version, verdict), legs in counted:
        VerdictCount.objects.filter(version=version, verdict=verdict).update(legs=F("legs") + legs)
