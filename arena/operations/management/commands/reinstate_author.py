"""Take the suspension or the ban of an author back."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from arena.operations.management.staff_command import StaffCommand, find_account
from arena.operations.staff_acts import ReinstateAuthor


class Command(StaffCommand):
    """Take the suspension or the ban of an author back."""

    help = "Let the bots of a suspended or banned author play again, and the author upload and sign in."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the author's name."""
        parser.add_argument("name", help="User name.")
        super().add_arguments(parser)

    def find_act(self, options: Mapping[str, Any]) -> ReinstateAuthor:
        """Return the act. Raises CommandError."""
        return ReinstateAuthor(find_account(options["name"]))
