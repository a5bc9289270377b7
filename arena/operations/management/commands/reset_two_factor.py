"""Remove the second factor of somebody who has lost it."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.people.accounts.names import find_author
from arena.people.accounts.services import reset_second_factor


class Command(BaseCommand):
    """Remove the second factor of somebody who has lost it."""

    help = (
        "Remove a user's authenticator app, keys and recovery codes, and end all their sessions. They sign in with the "
        "password alone after that, and set up a new second factor. Make sure that it is really they who ask for it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the user's name, and the option for scripts."""
        parser.add_argument("name", help="User name.")
        parser.add_argument("--yes", action="store_true", help="Don't ask.")

    def handle(self, *, name: str, yes: bool, **_: object) -> None:
        """Reset the user's second factor once that is confirmed."""
        user = find_author(name)
        if user is None:
            raise CommandError(f"There is no active user called {name}.")
        if not yes and input(f"Reset two-factor sign-in of {name} and end all their sessions? [y/N] ").lower() != "y":
            raise CommandError("Nothing was changed.")
        removed = reset_second_factor(user=user)
        self.stdout.write(f"Two-factor sign-in of {name} was reset: {removed} authenticators removed.")
