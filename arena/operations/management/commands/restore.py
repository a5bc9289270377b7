"""Go on from a backup."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from arena.operations.management.backups import is_secret_lost, read_manifest, restore_backup


class Command(BaseCommand):
    """Go on from a backup."""

    help = (
        "Make a backup the state of this arena, and migrate it. Stop the arena first. The database should be empty: "
        "one that isn't is replaced only with --replace, and everything in it is lost. On PostgreSQL this needs "
        "pg_restore."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file's name, and the options for a database that isn't empty."""
        parser.add_argument("file", type=Path, help="The file that `backup` wrote.")
        parser.add_argument("--replace", action="store_true", help="Replace all that is in the database.")
        parser.add_argument("--yes", action="store_true", help="Don't ask.")

    def handle(self, *, file: Path, replace: bool, yes: bool, **_: object) -> None:
        """Restore the backup once it is sure that nothing is lost by mistake."""
        name = connection.settings_dict["NAME"]

        def may_replace() -> bool:
            if not replace:
                raise CommandError(f"The database {name} is not empty: with --replace all that is in it is lost.")
            return yes or input(f"Replace all that is in the database {name} by {file}? [y/N] ").lower() == "y"

        is_lost = is_secret_lost(read_manifest(file))
        manifest = restore_backup(file, may_replace=may_replace)
        counts = manifest.contents.counts
        self.stdout.write(
            f"Restored the arena of {manifest.created_at}: {counts.get('accounts_user', 0):,} users, "
            f"{counts.get('bots_bot', 0):,} bots, {counts.get('matches_match', 0):,} matches."
        )
        if is_lost:
            self.stderr.write(
                "SECRET_KEY is another one than the backup's arena had: add that to SECRET_KEY_FALLBACKS, or second "
                "factors have to be set up anew."
            )
