"""Take from the arena what tells who an author was."""

from arena.bots.queries import list_bots_with_files
from arena.operations.lifecycle import anonymise_user
from arena.operations.management.staff_command import USER_NAME, YES, ParameterCommand, find_account
from arena.operations.staff_acts import Parameter


class Command(ParameterCommand):
    """Take from the arena what tells who an author was."""

    help = (
        "Give a user a pseudonym, and permanently remove email addresses, password, second factors, sessions, "
        "tokens, webhooks and notifications. After that, no one can sign in to the account. Bots and results stay "
        "under the pseudonym; all records stay valid. Older backups and logs still have the name."
    )
    parameters = (
        USER_NAME,
        Parameter("--rename-bots", action="store_true", help="Give the bots pseudonyms too, also in records."),
        YES,
    )

    def run(self, *, name: str, rename_bots: bool, yes: bool) -> None:
        """Anonymise the user once that is confirmed."""
        user = find_account(name)
        self.confirm(f"Permanently remove everything that identifies {name}?", yes=yes)
        self.stdout.write(f"{name} is now called {anonymise_user(user=user, rename_bots=rename_bots)}.")
        bots = list_bots_with_files(user)
        if bots:
            self.stdout.write("The bots' files stay. To delete them:")
        for bot in bots:
            self.stdout.write(f"  remove_bot_files {bot}")
