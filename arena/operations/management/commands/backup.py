"""Write a backup of the arena into one file."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandParser

from arena.operations.management.backups import write_backup


class Command(BaseCommand):
    """Write a backup of the arena into one file."""

    help = (
        "Write a consistent copy of the database and the data folder's secret key to one file that only you can "
        "read. The arena can keep running. Settings and external games aren't included. On PostgreSQL, this needs "
        "pg_dump."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file's name."""
        parser.add_argument("file", type=Path, help="File to write; it must not exist.")

    def handle(self, *, file: Path, **_: object) -> None:
        """Write the backup."""
        manifest = write_backup(file)
        counts = manifest.contents.counts
        self.stdout.write(
            f"{file}: {file.stat().st_size:,} bytes, {counts['accounts_user']:,} users, {counts['bots_bot']:,} bots, "
            f"{counts['matches_match']:,} matches."
        )
        self.stdout.write("It contains password hashes and secrets: keep it where no one else can read it.")
