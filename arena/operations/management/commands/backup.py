"""Write a backup of the arena into one file."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandParser

from arena.operations.management.backups import write_backup


class Command(BaseCommand):
    """Write a backup of the arena into one file."""

    help = (
        "Write a consistent copy of the whole database and the secret of the data folder into one file, which only "
        "you can read. The arena may go on meanwhile. Settings, and games from outside the tree, are not in it. On "
        "PostgreSQL this needs pg_dump."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file's name."""
        parser.add_argument("file", type=Path, help="The file to write; it must not exist.")

    def handle(self, *, file: Path, **_: object) -> None:
        """Write the backup."""
        manifest = write_backup(file)
        counts = manifest.contents.counts
        self.stdout.write(
            f"{file}: {file.stat().st_size:,} bytes, {counts['accounts_user']:,} users, {counts['bots_bot']:,} bots, "
            f"{counts['matches_match']:,} matches."
        )
        self.stdout.write("It has passwords' hashes and secrets in it: keep it where nobody else can read it.")
