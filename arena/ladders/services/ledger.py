"""The ledger of a ladder: what counts, in which order, each exactly once."""

from django.db import transaction

from arena.ladders.models import Ladder, LadderMatch
from arena.matches.models import Match


@transaction.atomic
def count_results(*, ladder: Ladder) -> int:
    """Append the finished matches of a ladder to its ledger, and rate them. How many there were."""
    ladder = Ladder.objects.select_for_update().get(pk=ladder.pk)
    over = LadderMatch.objects.in_flight().filter(ladder=ladder, match__state=Match.State.FINISHED)
    counted = 0
    for row in over.order_by("match__finished_at", "pk"):
        ladder.last_sequence += 1
        row.sequence, row.in_flight = ladder.last_sequence, False
        row.save(update_fields=["sequence", "in_flight"])
        counted += 1
    ladder.save(update_fields=["last_sequence"])
    return counted
