"""Install the packages that bots in Python can import."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.runner.bot_packages import (
    InstallError,
    find_current_set,
    install_packages,
    list_lines,
    remove_packages,
)
from arena.runner.data_files import PACKAGES_LIST


class Command(BaseCommand):
    """Install packages, show them, or remove them."""

    help = (
        "Install packages that Python bots can import. Workers find the new set within a minute, test it, and run "
        "trials again for the bots that use it. Running matches keep the old set."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the list or folder, and what else can be done."""
        parser.add_argument(
            "source",
            nargs="?",
            type=Path,
            default=PACKAGES_LIST,
            help="A list with hashes, as written by `uv pip compile --generate-hashes`, or a folder "
            "of wheels. [default: Pennant's list, which has numpy]",
        )
        parser.add_argument(
            "--show", action="store_true", help="Show the installed packages, without changing anything."
        )
        parser.add_argument("--remove", action="store_true", help="Remove all packages.")

    def handle(self, *, source: Path, show: bool, remove: bool, **_: object) -> None:
        """Do what the options say."""
        top = settings.BOT_PACKAGES_DIR
        if show:
            found = find_current_set(top)
            self.stdout.write("\n".join(list_lines(found)) if found else f"No packages in {top}.")
        elif remove:
            removed = remove_packages(top)
            self.stdout.write("Removed all packages." if removed else f"No packages in {top}.")
        else:
            try:
                installed = install_packages(source, top, self._say)
            except InstallError as failure:
                raise CommandError(str(failure)) from None
            self._say("\n".join(list_lines(installed)))

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
