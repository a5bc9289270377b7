"""Write all that the arena knows of a person into a file."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.core.data_folder import create_private_file
from arena.operations.personal_data import write_export
from arena.people.accounts.names import find_user


class Command(BaseCommand):
    """Write all that the arena knows of a person into a file."""

    help = (
        "Write all that belongs to a user into a zip: account, sessions, notices, webhooks, the names of tokens, bots "
        "with the sources of all versions, comparisons, and the results of all matches. Secrets are left out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the user's name and the file's."""
        parser.add_argument("name", help="User name.")
        parser.add_argument("file", type=Path, help="The zip to write; it must not exist.")

    def handle(self, *, name: str, file: Path, **_: object) -> None:
        """Write the file."""
        user = find_user(name)
        if user is None:
            raise CommandError(f"There is no user called {name}.")
        with create_private_file(file) as target:
            write_export(user=user, file=target)
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes. It holds personal data: give it to {name} alone.")
