"""Where a user is signed in. A session's row beside Django's own says from which device, and when it was last seen."""

from collections.abc import Iterable
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils.crypto import constant_time_compare
from django.utils.timezone import now

from arena.accounts.models import User

MAX_SESSIONS_SHOWN = 100
MAX_USER_AGENT_LENGTH = 200


def list_sessions(user: User) -> list[UserSession]:
    """Return the sessions in which the user is signed in, the one seen last first."""
    rows = list(UserSession.objects.filter(user=user).order_by("-last_seen_at", "-pk")[:MAX_SESSIONS_SHOWN])
    stored = Session.objects.filter(session_key__in=[row.session_key for row in rows], expire_date__gt=now())
    living = {session.session_key for session in stored if _is_signed_in(user, session.get_decoded())}
    return [row for row in rows if row.session_key in living]


def _is_signed_in(user: User, session: dict[str, Any]) -> bool:
    """Return whether a session is the user's, and no older than the password."""
    if session.get(SESSION_KEY) != str(user.pk):
        return False
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(session.get(HASH_SESSION_KEY, ""), one) for one in hashes)


def find_session(user: User, pk: int) -> UserSession | None:
    """Return the user's session with this number, or None."""
    return UserSession.objects.filter(user=user, pk=pk).first()


def note_session_use(*, user: User, key: str, ip: str, user_agent: str) -> None:
    """Store that a session was seen just now, and on which device."""
    seen = {"user": user, "ip": ip, "user_agent": user_agent[:MAX_USER_AGENT_LENGTH], "last_seen_at": now()}
    UserSession.objects.update_or_create(session_key=key, defaults=seen)


def end_session(*, session: UserSession) -> None:
    """Sign a user out of one session."""
    _end([session])


def end_other_sessions(*, user: User, current_key: str) -> int:
    """Sign a user out of all sessions but the one with this key; return how many these were."""
    return _end(UserSession.objects.filter(user=user).exclude(session_key=current_key))


def end_all_sessions(*, user: User) -> int:
    """Sign a user out everywhere; return how many sessions these were."""
    return _end(UserSession.objects.filter(user=user))


@transaction.atomic
def _end(sessions: Iterable[UserSession]) -> int:
    keys = [session.session_key for session in sessions]
    Session.objects.filter(session_key__in=keys).delete()
    UserSession.objects.filter(session_key__in=keys).delete()
    return len(keys)
