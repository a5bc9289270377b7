"""Who may make an account: the values of the setting PENNANT_SIGNUP. The settings import this, so it is plain."""

from enum import StrEnum


class SignUpMode(StrEnum):
    """Who may make an account."""

    OPEN = "open"
    """Everybody."""
    INVITATION = "invitation"
    """Those whom staff sent a link."""
    APPROVAL = "approval"
    """Everybody, and staff lets each one in."""
    CLOSED = "closed"
    """Nobody but staff, in the admin."""
