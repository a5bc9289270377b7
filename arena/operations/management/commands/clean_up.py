"""Remove what is not needed any more, as the arena does each night."""

from arena.operations.lifecycle import clean_up
from arena.operations.management.staff_command import ParameterCommand
from arena.operations.staff_acts import Parameter


class Command(ParameterCommand):
    """Remove what is not needed any more, as the arena does each night."""

    help = (
        "Remove what's no longer needed, as the arena does each night: records of old unrated matches, old logs, "
        "notifications and deliveries, expired sessions, and files without a version. The settings PENNANT_…_DAYS "
        "define what's old. The arena can keep running."
    )
    parameters = (
        Parameter("--dry-run", action="store_true", help="Show what would be removed, without removing anything."),
    )

    def run(self, *, dry_run: bool) -> None:
        """Remove, and print a line for each kind."""
        total = 0
        for removal in clean_up(is_dry_run=dry_run):
            self.stdout.write(f"{removal.rows:>12,} {removal.size:>16,} bytes  {removal.kind}")
            total += removal.size
        done = "Would free" if dry_run else "Freed"
        self.stdout.write(f"{done}: {total:,} bytes, plus small fields and indexes.")
