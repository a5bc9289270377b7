"""Take from the arena what tells who an author was."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.core.errors import ArenaError
from arena.operations.personal_data import anonymise_user
from arena.people.accounts.names import find_user


class Command(BaseCommand):
    """Take from the arena what tells who an author was."""

    help = (
        "Give a user a pseudonym, and remove mail addresses, password, second factors, sessions, tokens, webhooks and "
        "notices for ever. Nobody can sign in to the account after that. Bots stay under the pseudonym, with their "
        "results; all records stay valid. Backups and logs from before still have the name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the user's name and the options."""
        parser.add_argument("name", help="User name.")
        parser.add_argument("--rename-bots", action="store_true", help="Give the bots pseudonyms, in records as well.")
        parser.add_argument("--yes", action="store_true", help="Don't ask.")

    def handle(self, *, name: str, rename_bots: bool, yes: bool, **_: object) -> None:
        """Anonymise the user once that is confirmed."""
        user = find_user(name)
        if user is None:
            raise CommandError(f"There is no user called {name}.")
        if not yes and input(f"Remove for ever what tells who {name} is? [y/N] ").lower() != "y":
            raise CommandError("Nothing was changed.")
        try:
            pseudonym = anonymise_user(user=user, rename_bots=rename_bots)
        except ArenaError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{name} is called {pseudonym} now.")
