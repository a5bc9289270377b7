"""Take from the arena what tells who an author was."""

from arena.bots.queries import list_bots_with_files
from arena.operations.lifecycle import anonymise_user
from arena.operations.management.staff_command import USER_NAME, YES, ParameterCommand, find_account
from arena.operations.staff_acts import Parameter


class Command(ParameterCommand):
    """Take from the arena what tells who an author was."""

    help = (
        "Give a user a pseudonym, and remove mail addresses, password, second factors, sessions, tokens, webhooks and "
        "notices for ever. Nobody can sign in to the account after that. Bots stay under the pseudonym, with their "
        "results; all records stay valid. Backups and logs from before still have the name."
    )
    parameters = (
        USER_NAME,
        Parameter("--rename-bots", action="store_true", help="Give the bots pseudonyms, in records as well."),
        YES,
    )

    def run(self, *, name: str, rename_bots: bool, yes: bool) -> None:
        """Anonymise the user once that is confirmed."""
        user = find_account(name)
        self.confirm(f"Remove for ever what tells who {name} is?", yes=yes)
        self.stdout.write(f"{name} is called {anonymise_user(user=user, rename_bots=rename_bots)} now.")
        bots = list_bots_with_files(user)
        if bots:
            self.stdout.write("Files of bots stay. These commands delete them:")
        for bot in bots:
            self.stdout.write(f"  remove_bot_files {bot}")
