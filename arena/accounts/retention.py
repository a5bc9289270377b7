"""Say which sessions and counted actions are not needed any more."""

from collections.abc import Iterator
from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef
from django.utils.timezone import now

from arena.accounts.limits import RETENTION
from arena.accounts.models import LimitedAction
from arena.expiry import ByteLength, Expired

SIGN_IN_DURATION_LIMIT = timedelta(days=1)
"""While somebody signs in, the row about the device may be there before the session."""


def list_expired_sessions() -> Iterator[Expired]:
    """Yield the sessions whose time is over, and what is stored of the devices on which they were."""
    at = now()
    living = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gte=at)
    devices = UserSession.objects.filter(~Exists(living), last_seen_at__lt=at - SIGN_IN_DURATION_LIMIT)
    yield Expired("sessions", Session.objects.filter(expire_date__lt=at), size=ByteLength("session_data"))
    yield Expired("devices of ended sessions", devices)


def list_expired_actions() -> Iterator[Expired]:
    """Yield the sign-ups, wrong passwords and wrong codes that no limit counts any more."""
    yield Expired("counted sign-ups and wrong passwords", LimitedAction.objects.filter(at__lt=now() - RETENTION))
