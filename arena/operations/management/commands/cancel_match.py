"""Cancel a match, and let it be replayed."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.matches.models import Match
from arena.operations.management.staff_command import StaffCommand
from arena.operations.staff_acts import CancelMatch, ReplayMatch


class Command(StaffCommand):
    """Cancel a match, and let it be replayed."""

    help = (
        "Cancel a match: a rated one counts no longer, and one that waits or runs ends without a result. With --replay "
        "the same bots play another one. It can't be undone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the match's number, and whether it is replayed."""
        parser.add_argument("match", type=int, help="Number of the match.")
        parser.add_argument("--replay", action="store_true", help="Let the same bots play another match instead.")
        super().add_arguments(parser)

    def find_act(self, options: Mapping[str, Any]) -> CancelMatch:
        """Return the act. Raises CommandError."""
        found = Match.objects.filter(pk=options["match"]).first()
        if found is None:
            raise CommandError(f"There is no match {options['match']}.")
        return ReplayMatch(found) if options["replay"] else CancelMatch(found)
