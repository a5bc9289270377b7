"""Invite somebody to make an account."""

from django.conf import settings

from arena.core.environment import SignUpMode
from arena.operations.management.staff_command import ParameterCommand
from arena.operations.staff_acts import Parameter
from arena.people.accounts.services import DEFAULT_INVITATION_DAYS, create_invitation


def guess_site() -> str:
    """Return the address of the site, as far as the settings tell it."""
    if settings.CSRF_TRUSTED_ORIGINS:
        return str(settings.CSRF_TRUSTED_ORIGINS[0])
    hosts = [host for host in settings.ALLOWED_HOSTS if host[0] not in ".*"]
    if settings.HTTPS and hosts:
        return f"https://{hosts[0]}"
    return "http://localhost:8000"


class Command(ParameterCommand):
    """Create an invitation and print its link."""

    help = "Print a link by which one person can make an account. It is shown only now, and works once."
    parameters = (
        Parameter("--days", type=int, default=DEFAULT_INVITATION_DAYS, help="How long the link is valid."),
        Parameter("--note", default="", help="For whom it is, for the list in the admin."),
        Parameter("--email", default="", help="Address that the form is filled in with."),
        Parameter("--site", help="Address of the site, such as https://arena.example.org."),
    )

    def run(self, *, days: int, note: str, email: str, site: str | None) -> None:
        """Create the invitation."""
        invitation, path = create_invitation(days=days, note=note, email=email)
        self.stdout.write(f"{(site or guess_site()).rstrip('/')}{path}")
        self.stderr.write(f"It can be used once, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC.")
        if settings.SIGN_UP != SignUpMode.INVITATION:
            self.stderr.write(f"PENNANT_SIGNUP is {settings.SIGN_UP}, so at present no invitation is needed or used.")
