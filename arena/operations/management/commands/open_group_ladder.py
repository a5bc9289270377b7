"""Open a ladder for a group alone."""

from arena.contests.ladders.services.seasons import open_group_ladder
from arena.operations.management.staff_command import (
    LADDER_PARAMETERS,
    ParameterCommand,
    find_account,
    find_named_group,
)
from arena.operations.staff_acts import Parameter


class Command(ParameterCommand):
    """Open a ladder for a group alone."""

    help = "Open an edition's ladder, or its next season, only for a group, in the name of one of its organisers."
    parameters = (
        Parameter("group", help="The group's slug: class-10b in /groups/class-10b/."),
        *LADDER_PARAMETERS[:2],
        Parameter("--by", metavar="NAME", required=True, help="Username of one of the group's organisers."),
        Parameter("--without-samples", action="store_true", help="Keep sample bots off it."),
    )

    def run(self, *, group: str, game: str, edition: str, by: str, without_samples: bool) -> None:
        """Open the ladder."""
        found = find_named_group(group)
        assert found is not None
        by_whom, with_samples = find_account(by), not without_samples
        ladder = open_group_ladder(group=found, by=by_whom, game=game, edition=edition, with_samples=with_samples)
        self.stdout.write(f"Opened season {ladder.season} of {ladder}: {ladder.get_absolute_url()}")
        self.stdout.write(f"Commitment (hash of its secret): {ladder.commitment}")
