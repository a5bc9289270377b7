"""Remove the files of a bot for good."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.bots.queries.bots import find_bot
from arena.management.staff_command import StaffCommand
from arena.staff_acts.files import RemoveFiles


class Command(StaffCommand):
    """Remove the files of a bot for good."""

    help = (
        "Delete source and build of all versions of a bot, or of some. They leave ladders, comparisons and tournaments "
        "at once; results and records stay. It can't be undone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the bot's name in addresses, and the numbers of versions."""
        parser.add_argument("bot", help="Name of the bot in addresses: kingfisher in /bots/kingfisher/.")
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
        found = find_bot(options["bot"])
        if found is None:
            raise CommandError(f"There is no bot at /bots/{options['bot']}/.")
        return RemoveFiles(found, options["number"])
