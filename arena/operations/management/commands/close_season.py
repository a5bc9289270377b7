"""Close a ladder's season and open the next one."""

from arena.contests.ladders.services.seasons import close_season
from arena.operations.management.staff_command import LADDER_PARAMETERS, ParameterCommand, find_running_season


class Command(ParameterCommand):
    """Close a ladder's season and open the next one."""

    help = "Close an edition's season and open the next. The secret is published after the last running match."
    parameters = LADDER_PARAMETERS

    def run(self, *, game: str, edition: str, group: str | None) -> None:
        """Close the season."""
        ladder = find_running_season(game, edition, group)
        following = close_season(ladder=ladder)
        self.stdout.write(f"{ladder}: season {ladder.season} closed, season {following.season} opened.")
        self.stdout.write(f"Commitment (hash of its secret): {following.commitment}")
