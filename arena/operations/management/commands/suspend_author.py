"""Stop all bots of an author at once."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from arena.operations.management.staff_command import StaffCommand, find_account
from arena.operations.staff_acts import BanAuthor, SuspendAuthor


class Command(StaffCommand):
    """Stop all bots of an author at once."""

    help = (
        "Suspend an author: all bots stop at once on ladders, in tournaments, challenges and comparisons, and the "
        "author can only read. With --ban nobody can sign in to the account, either."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the author's name, and whether sign-in is refused."""
        parser.add_argument("name", help="User name.")
        parser.add_argument("--ban", action="store_true", help="Refuse sign-in and tokens, and end all sessions.")
        super().add_arguments(parser)

    def find_act(self, options: Mapping[str, Any]) -> SuspendAuthor:
        """Return the act. Raises CommandError."""
        user = find_account(options["name"])
        return BanAuthor(user) if options["ban"] else SuspendAuthor(user)
