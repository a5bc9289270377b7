"""Invite somebody to make an account."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.core.environment import SignUpMode
from arena.core.errors import ArenaError
from arena.people.accounts.services import DEFAULT_INVITATION_DAYS, create_invitation


def guess_site() -> str:
    """Return the address of the site, as far as the settings tell it."""
    if settings.CSRF_TRUSTED_ORIGINS:
        return str(settings.CSRF_TRUSTED_ORIGINS[0])
    hosts = [host for host in settings.ALLOWED_HOSTS if host[0] not in ".*"]
    if settings.HTTPS and hosts:
        return f"https://{hosts[0]}"
    return "http://localhost:8000"


class Command(BaseCommand):
    """Create an invitation and print its link."""

    help = "Print a link by which one person can make an account. It is shown only now, and works once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument("--days", type=int, default=DEFAULT_INVITATION_DAYS, help="How long the link is valid.")
        parser.add_argument("--note", default="", help="For whom it is, for the list in the admin.")
        parser.add_argument("--email", default="", help="Address that the form is filled in with.")
        parser.add_argument("--site", help="Address of the site, such as https://arena.example.org.")

    def handle(self, *, days: int, note: str, email: str, site: str | None, **_: object) -> None:
        """Create the invitation."""
        try:
            invitation, path = create_invitation(days=days, note=note, email=email)
        except ArenaError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{(site or guess_site()).rstrip('/')}{path}")
        self.stderr.write(f"It can be used once, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC.")
        if settings.SIGN_UP != SignUpMode.INVITATION:
            self.stderr.write(f"PENNANT_SIGNUP is {settings.SIGN_UP}, so at present no invitation is needed or used.")
