"""Go on from a backup."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from arena.operations.management.backups import is_secret_lost, read_manifest, restore_backup


class Command(BaseCommand):
    """Go on from a backup."""

    help = (
        "Restore a backup into this arena, and migrate it. Stop the arena first. The database should be empty; "
        "--replace deletes everything in it. On PostgreSQL, this needs pg_restore."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file's name, and the options for a database that isn't empty."""
        parser.add_argument("file", type=Path, help="A file written by `backup`.")
        parser.add_argument("--replace", action="store_true", help="Replace everything in the database.")
        parser.add_argument("--yes", action="store_true", help="Don't ask.")

    def handle(self, *, file: Path, replace: bool, yes: bool, **_: object) -> None:
        """Restore the backup once it is sure that nothing is lost by mistake."""
        name = connection.settings_dict["NAME"]

        def may_replace() -> bool:
            if not replace:
                raise CommandError(f"The database {name} isn't empty. To replace everything in it: --replace")
            return yes or input(f"Replace everything in the database {name} with {file}? [y/N] ").lower() == "y"

        is_lost = is_secret_lost(read_manifest(file))
        manifest = restore_backup(file, may_replace=may_replace)
        counts = manifest.contents.counts
        self.stdout.write(
            f"Restored the arena as of {manifest.created_at}: {counts.get('accounts_user', 0):,} users, "
            f"{counts.get('bots_bot', 0):,} bots, {counts.get('matches_match', 0):,} matches."
        )
        if is_lost:
            self.stderr.write(
                "SECRET_KEY differs from the backup's. Add the old key to SECRET_KEY_FALLBACKS, or second factors "
                "must be set up again."
            )
