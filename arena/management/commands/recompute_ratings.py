"""Compute all ratings anew from the rated matches."""

from django.core.management.base import BaseCommand

from arena.ladders.models import Ladder
from arena.ladders.services.recomputing import recompute


class Command(BaseCommand):
    """Compute all ratings anew from the rated matches."""

    help = "Rate all rated matches again from the ledger. It ends at the numbers that are there already."

    def handle(self, **_: object) -> None:
        """Recompute every ladder."""
        for ladder in Ladder.objects.all():
            lines = recompute(ladder=ladder)
            self.stdout.write(f"{ladder}, season {ladder.season}: {lines} lines")
