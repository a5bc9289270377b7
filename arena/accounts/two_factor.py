"""The second factor of users: an authenticator app, or a key; recovery codes stand in for either."""

import logging

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction

from arena.accounts.models import User
from arena.accounts.sessions import end_all_sessions
from engine.message import gettext_noop

logger = logging.getLogger(__name__)
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
STAFF_NEED_SECOND_FACTOR = gettext_noop(
    "Staff of this arena need two-factor sign-in, because staff can change what belongs to others. Set up an "
    "authenticator app or a key here; the staff's pages open after that."
)


def has_second_factor(user: User) -> bool:
    """Return whether the user is asked for more than a password."""
    return bool(Authenticator.objects.filter(user=user, type__in=FACTORS).exists())


def lacks_required_second_factor(user: object) -> bool:
    """Return whether somebody is staff, needs a second factor for that, and has none."""
    if not (settings.STAFF_TWO_FACTOR and isinstance(user, User) and user.is_staff):
        return False
    return not has_second_factor(user)


@transaction.atomic
def reset_second_factor(*, user: User) -> int:
    """Remove a user's second factors and recovery codes and sign them out everywhere; return how many there were."""
    removed, _by_model = Authenticator.objects.filter(user=user).delete()
    ended = end_all_sessions(user=user)
    logger.warning("Two-factor sign-in of %s was reset: %d removed, %d sessions ended", user.username, removed, ended)
    return int(removed)
