"""Write all that the arena knows of a person into a file."""

from pathlib import Path

from arena.core.data_folder import create_private_file
from arena.operations.management.staff_command import USER_NAME, ParameterCommand, find_account
from arena.operations.personal_data import write_export
from arena.operations.staff_acts import Parameter


class Command(ParameterCommand):
    """Write all that the arena knows of a person into a file."""

    help = (
        "Write all that belongs to a user into a zip: account, sessions, notices, webhooks, the names of tokens, bots "
        "with the sources of all versions, comparisons, and the results of all matches. Secrets are left out."
    )
    parameters = (USER_NAME, Parameter("file", type=Path, help="The zip to write; it must not exist."))

    def run(self, *, name: str, file: Path) -> None:
        """Write the file."""
        user = find_account(name)
        with create_private_file(file) as target:
            write_export(user=user, file=target)
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes. It holds personal data: give it to {name} alone.")
