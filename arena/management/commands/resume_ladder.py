"""Pair matches again on a ladder."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from arena.ladders.queries.ladders import find_open_ladder
from arena.management.staff_command import LadderCommand
from arena.staff_acts.ladders import ResumeLadder


class Command(LadderCommand):
    """Pair matches again on a ladder."""

    help = "Pair matches again on a ladder that was paused."

    def find_act(self, options: Mapping[str, Any]) -> ResumeLadder:
        """Return the act. Raises CommandError."""
        game, edition = options["game"], options["edition"]
        ladder = find_open_ladder(game, edition)
        if ladder is None:
            raise CommandError(f"No season of {game} {edition} is open.")
        return ResumeLadder(ladder)
