"""Pair no new matches on a ladder."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from arena.ladders.queries.ladders import find_open_ladder
from arena.management.staff_command import LadderCommand
from arena.staff_acts.ladders import PauseLadder


class Command(LadderCommand):
    """Pair no new matches on a ladder."""

    help = "Pair no new matches on a ladder; those that wait or run are played, and count."

    def find_act(self, options: Mapping[str, Any]) -> PauseLadder:
        """Return the act. Raises CommandError."""
        game, edition = options["game"], options["edition"]
        ladder = find_open_ladder(game, edition)
        if ladder is None:
            raise CommandError(f"No season of {game} {edition} is open.")
        return PauseLadder(ladder)
