"""Close a ladder's season and open the next one."""

from arena.contests.ladders.services.seasons import close_season
from arena.operations.management.staff_command import LADDER_PARAMETERS, ParameterCommand, find_running_season


class Command(ParameterCommand):
    """Close a ladder's season and open the next one."""

    help = "Close the season of an edition and open the next. Its secret is published after the last match in progress."
    parameters = LADDER_PARAMETERS

    def run(self, *, game: str, edition: str, group: str | None) -> None:
        """Close the season."""
        ladder = find_running_season(game, edition, group)
        following = close_season(ladder=ladder)
        self.stdout.write(f"{ladder}: season {ladder.season} is over, season {following.season} has begun.")
        self.stdout.write(f"Its commitment, the hash of its secret: {following.commitment}")
