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
        "Install packages that bots in Python can import, for the Python that runs bots. Workers see the new set within"
        " a minute, test it, and try the bots that use it again; matches that have begun keep the old one."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the list or folder, and what else can be done."""
        parser.add_argument(
            "source",
            nargs="?",
            type=Path,
            default=PACKAGES_LIST,
            help="A list with hashes, as `uv pip compile --generate-hashes` writes it, or a folder of wheels. "
            "[default: the list that comes with Pennant, which is numpy]",
        )
        parser.add_argument("--show", action="store_true", help="Show what is installed, and change nothing.")
        parser.add_argument("--remove", action="store_true", help="Let bots have no packages any more.")

    def handle(self, *, source: Path, show: bool, remove: bool, **_: object) -> None:
        """Do what the options say."""
        top = settings.BOT_PACKAGES_DIR
        if show:
            found = find_current_set(top)
            self.stdout.write("\n".join(list_lines(found)) if found else f"There are no packages in {top}.")
        elif remove:
            removed = remove_packages(top)
            self.stdout.write("Bots have no packages any more." if removed else f"There were no packages in {top}.")
        else:
            try:
                installed = install_packages(source, top, self._say)
            except InstallError as failure:
                raise CommandError(str(failure)) from None
            self._say("\n".join(list_lines(installed)))

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
