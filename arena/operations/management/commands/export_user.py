"""Write all that the arena knows of a person into a file."""

from pathlib import Path

from arena.core.data_folder import create_private_file
from arena.operations.management.staff_command import USER_NAME, ParameterCommand, find_account
from arena.operations.personal_data import write_export
from arena.operations.staff_acts import Parameter


class Command(ParameterCommand):
    """Write all that the arena knows of a person into a file."""

    help = (
        "Write a user's data to a zip: account, sessions, notifications, webhooks, token names, bots with all "
        "versions' sources, comparisons and match results. Secrets are left out."
    )
    parameters = (USER_NAME, Parameter("file", type=Path, help="Zip to write; it must not exist."))

    def run(self, *, name: str, file: Path) -> None:
        """Write the file."""
        user = find_account(name)
        with create_private_file(file) as target:
            write_export(user=user, file=target)
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes. It contains personal data: give it only to {name}.")
