"""Remove the second factor of somebody who has lost it."""

from django.core.management.base import CommandError

from arena.operations.management.staff_command import USER_NAME, YES, ParameterCommand
from arena.people.accounts.names import find_author
from arena.people.accounts.services import reset_second_factor


class Command(ParameterCommand):
    """Remove the second factor of somebody who has lost it."""

    help = (
        "Remove a user's authenticator app, keys and recovery codes, and end all their sessions. They then sign in "
        "with only the password and set up a new second factor. Make sure the request really comes from them."
    )
    parameters = (USER_NAME, YES)

    def run(self, *, name: str, yes: bool) -> None:
        """Reset the user's second factor once that is confirmed."""
        user = find_author(name)
        if user is None:
            raise CommandError(f"No active user called {name}.")
        self.confirm(f"Reset {name}'s two-factor sign-in and end all their sessions?", yes=yes)
        removed = reset_second_factor(user=user)
        self.stdout.write(f"Reset {name}'s two-factor sign-in: {removed} authenticators removed.")
