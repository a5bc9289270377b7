"""Remove what is not needed any more, as the arena does each night."""

from arena.operations.lifecycle import clean_up
from arena.operations.management.staff_command import ParameterCommand
from arena.operations.staff_acts import Parameter


class Command(ParameterCommand):
    """Remove what is not needed any more, as the arena does each night."""

    help = (
        "Remove what is not needed any more, as the arena does each night: records of old matches that were not rated, "
        "old logs, notices and deliveries, sessions that are over, files of no version. The settings "
        "PENNANT_…_DAYS say what is old. The arena may go on meanwhile."
    )
    parameters = (Parameter("--dry-run", action="store_true", help="Say what would be removed, and remove nothing."),)

    def run(self, *, dry_run: bool) -> None:
        """Remove, and print a line for each kind."""
        total = 0
        for removal in clean_up(is_dry_run=dry_run):
            self.stdout.write(f"{removal.rows:>12,} {removal.size:>16,} bytes  {removal.kind}")
            total += removal.size
        done = "Would set free" if dry_run else "Set free"
        self.stdout.write(f"{done}: {total:,} bytes, besides small fields and indexes.")
