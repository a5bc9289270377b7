"""Remove the files of a bot for good."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from arena.operations.management.staff_command import BotCommand
from arena.operations.staff_acts import RemoveFiles


class Command(BotCommand):
    """Remove the files of a bot for good."""

    help = (
        "Delete source and build of all versions of a bot, or of some. They leave ladders, comparisons and tournaments "
        "at once; results and records stay. It can't be undone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the bot and the numbers of versions."""
        parser.add_argument(
            "--number",
            type=int,
            action="append",
            default=[],
            help="Number of a version; may be repeated. Default: all.",
        )
        super().add_arguments(parser)

    def find_act(self, options: Mapping[str, Any]) -> RemoveFiles:
        """Return the act. Raises CommandError."""
        return RemoveFiles(self.find_named_bot(options), options["number"])
