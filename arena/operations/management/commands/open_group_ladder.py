"""Open a ladder for a group alone."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.contests.ladders.services.seasons import open_group_ladder
from arena.core.errors import ArenaError
from arena.operations.management.staff_command import find_account, find_named_group


class Command(BaseCommand):
    """Open a ladder for a group alone."""

    help = "Open a ladder of an edition, or its next season, for a group alone, in the name of one of its organisers."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the group, the ladder's address, and in whose name it is opened."""
        parser.add_argument("group", help="Slug of the group: class-10b in /groups/class-10b/.")
        parser.add_argument("game", help="Key of the game, such as battleline.")
        parser.add_argument("edition", help="Key of the edition, such as standard.")
        parser.add_argument("--by", metavar="NAME", required=True, help="User name of an organiser of the group.")
        parser.add_argument("--without-samples", action="store_true", help="Let no sample bots play on it.")

    def handle(self, *, group: str, by: str, without_samples: bool, **options: Any) -> None:
        """Open the ladder."""
        found, edition = find_named_group(group), {name: options[name] for name in ("game", "edition")}
        assert found is not None
        try:
            ladder = open_group_ladder(group=found, by=find_account(by), with_samples=not without_samples, **edition)
        except ArenaError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Season {ladder.season} of {ladder} is open, at {ladder.get_absolute_url()}.")
        self.stdout.write(f"Its commitment, the hash of its secret: {ladder.commitment}")
