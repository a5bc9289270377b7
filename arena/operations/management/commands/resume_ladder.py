"""Pair matches again on a ladder."""

from arena.contests.ladders.models import Ladder
from arena.operations.management.staff_command import LadderCommand
from arena.operations.staff_acts import ResumeLadder


class Command(LadderCommand):
    """Pair matches again on a ladder."""

    help = "Pair matches again on a ladder that was paused."

    def act_on(self, ladder: Ladder) -> ResumeLadder:
        """Return the act."""
        return ResumeLadder(ladder)
