"""Take back legs that should not be counted any more, and sum up anew where rows have gone."""

from django.db import transaction

from arena.atlas.models import AtlasProgress, Cell, EntryCell, LegCounts
from arena.atlas.queries.progress import list_counted_ladders, list_matches_not_to_count
from arena.atlas.services.counting import take_back_legs
from arena.atlas.services.sums import change_sums
from arena.ladders.models import Ladder

LEGS_PER_BATCH = 500


def recheck_all() -> None:
    """Check the sums of every ladder that was counted."""
    for ladder in list_counted_ladders():
        recheck(ladder=ladder)


@transaction.atomic
def recheck(*, ladder: Ladder) -> int:
    """Take back the legs that not everybody may see any more; sum up anew where legs are gone with their matches.

    Return the number of legs by which the sums have changed.
    """
    progress = AtlasProgress.objects.select_for_update(no_key=True).get(ladder=ladder)
    before = progress.legs
    progress.legs -= take_back_legs(ladder, list_matches_not_to_count(ladder))
    left = LegCounts.objects.filter(ladder=ladder).count()
    if left != progress.legs:
        progress.legs = left
        _sum_up_anew(ladder)
    progress.save(update_fields=["legs"])
    return before - progress.legs


def _sum_up_anew(ladder: Ladder) -> None:
    Cell.objects.filter(ladder=ladder).update(count=0, points=0.0)
    EntryCell.objects.filter(cell__ladder=ladder).update(count=0, points=0.0)
    change_sums(LegCounts.objects.filter(ladder=ladder).iterator(LEGS_PER_BATCH), 1)
