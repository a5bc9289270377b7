"""Compute the codes that an authenticator app shows."""

from time import time

from allauth.mfa import app_settings
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value


def code_of(secret: str) -> str:
    """Return the code of this half minute. The one before and the one after are accepted, too."""
    return format_hotp_value(hotp_value(secret, int(time()) // app_settings.TOTP_PERIOD))
