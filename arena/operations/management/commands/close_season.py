"""Close a ladder's season and open the next one."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.contests.ladders.queries import find_open_ladder
from arena.contests.ladders.services.seasons import close_season
from arena.operations.management.staff_command import find_named_group


class Command(BaseCommand):
    """Close a ladder's season and open the next one."""

    help = "Close the season of an edition and open the next. Its secret is published after the last match in progress."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the ladder's address."""
        parser.add_argument("game", help="Key of the game, such as battleline.")
        parser.add_argument("edition", help="Key of the edition, such as standard.")
        parser.add_argument("--group", metavar="SLUG", help="The ladder of this group. Default: the public one.")

    def handle(self, *, game: str, edition: str, group: str | None = None, **_: object) -> None:
        """Close the season."""
        ladder = find_open_ladder(game, edition, find_named_group(group))
        if ladder is None:
            raise CommandError(f"No season of {game} {edition} is open.")
        following = close_season(ladder=ladder)
        self.stdout.write(f"{ladder}: season {ladder.season} is over, season {following.season} has begun.")
        self.stdout.write(f"Its commitment, the hash of its secret: {following.commitment}")
