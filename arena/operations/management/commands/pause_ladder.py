"""Pair no new matches on a ladder."""

from arena.contests.ladders.models import Ladder
from arena.operations.management.staff_command import LadderCommand
from arena.operations.staff_acts import PauseLadder


class Command(LadderCommand):
    """Pair no new matches on a ladder."""

    help = "Pair no new matches on a ladder; those that wait or run are played, and count."

    def act_on(self, ladder: Ladder) -> PauseLadder:
        """Return the act."""
        return PauseLadder(ladder)
