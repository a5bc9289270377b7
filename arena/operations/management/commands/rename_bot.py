"""Give a bot another name."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from arena.operations.management.staff_command import BotCommand
from arena.operations.staff_acts import RenameBot


class Command(BotCommand):
    """Give a bot another name."""

    help = "Give a bot another name and address, also in the records of its matches."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the bot and its new name."""
        super().add_arguments(parser)
        parser.add_argument("name", help="New name.")

    def find_act(self, options: Mapping[str, Any]) -> RenameBot:
        """Return the act. Raises CommandError."""
        return RenameBot(self.find_named_bot(options), options["name"])
