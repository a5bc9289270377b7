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

    help = "Print a link with which one person can create an account. It's shown only once and works once."
    parameters = (
        Parameter("--days", type=int, default=DEFAULT_INVITATION_DAYS, help="Days for which the link is valid."),
        Parameter("--note", default="", help="Who it's for, shown in the admin's list."),
        Parameter("--email", default="", help="Email address to fill in on the form."),
        Parameter("--site", help="The site's address, such as https://arena.example.org."),
    )

    def run(self, *, days: int, note: str, email: str, site: str | None) -> None:
        """Create the invitation."""
        invitation, path = create_invitation(days=days, note=note, email=email)
        self.stdout.write(f"{(site or guess_site()).rstrip('/')}{path}")
        self.stderr.write(f"It works once, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC.")
        if settings.SIGN_UP != SignUpMode.INVITATION:
            self.stderr.write(f"PENNANT_SIGNUP is {settings.SIGN_UP}, so invitations aren't needed or used at present.")
