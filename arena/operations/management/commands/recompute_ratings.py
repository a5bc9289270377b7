"""Compute all ratings anew from the rated matches."""

from django.core.management.base import BaseCommand

from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.refitting import recompute_ladder


class Command(BaseCommand):
    """Compute all ratings anew from the rated matches."""

    help = "Recompute all ratings from the ledger of rated matches. The result is the same as the current ratings."

    def handle(self, **_: object) -> None:
        """Recompute every ladder."""
        for ladder in Ladder.objects.all():
            lines = recompute_ladder(ladder=ladder)
            self.stdout.write(f"{ladder}, season {ladder.season}: {lines} lines")
