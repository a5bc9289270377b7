"""Let people in, and out again: sign-up, invitations, sessions, second factors, and who is suspended."""

import hashlib
import logging
import secrets
from collections.abc import Iterable
from datetime import timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import transaction
from django.db.models import F
from django.utils.crypto import constant_time_compare
from django.utils.timezone import now

from arena.core.environment import SignUpMode
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.accounts.models import Invitation, User
from engine.message import gettext_noop, message

# The link to a user's calendar, which programs read without signing in. It is signed, so nothing of it is kept.

CALENDAR_SALT = "arena.calendar"


def sign_calendar_key(user: User) -> str:
    """Return the key in the link to a user's calendar. It stays the same until the link is renewed."""
    return signing.Signer(salt=CALENDAR_SALT).sign_object([user.pk, user.calendar_link_number])


def find_user_by_calendar_key(key: str) -> User | None:
    """Return the user whose calendar a key opens; None for a wrong or renewed one, and for who may not sign in."""
    try:
        user, number = signing.Signer(salt=CALENDAR_SALT).unsign_object(key)
    except (signing.BadSignature, ValueError):
        return None
    return User.objects.filter(pk=user, calendar_link_number=number, is_active=True, is_banned=False).first()


def renew_calendar_link(*, user: User) -> None:
    """Let the link to a user's calendar work no more; there is another one."""
    User.objects.filter(pk=user.pk).update(calendar_link_number=F("calendar_link_number") + 1)
    user.refresh_from_db(fields=["calendar_link_number"])


# Invitations: links by which one person each makes an account. Only a hash of the link's token is kept.

DEFAULT_INVITATION_DAYS = 14
MAX_INVITATION_DAYS = 365


def create_invitation(
    *, days: int = DEFAULT_INVITATION_DAYS, note: str = "", email: str = "", created_by: User | None = None
) -> tuple[Invitation, str]:
    """Create an invitation and return it with the path of its link, which is not kept. Raises ArenaError."""
    if not 1 <= days <= MAX_INVITATION_DAYS:
        problem = gettext_noop("An invitation is valid for 1 to %(most)s days.")
        raise ArenaError(message(problem, most=MAX_INVITATION_DAYS))
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        digest=_hash_token(token),
        note=note,
        email=email,
        created_by=created_by,
        expires_at=now() + timedelta(days=days),
    )
    words = {"invitation": token, **({"email": email} if email else {})}
    return invitation, f"/accounts/signup/?{urlencode(words)}"


def find_open_invitation(token: str) -> Invitation | None:
    """Return the invitation with this token if it can still be used, or None."""
    return Invitation.objects.open().filter(digest=_hash_token(token)).first() if token else None


def use_invitation(*, token: str, user: User) -> None:
    """Use an invitation for a new user. Raises Conflict where it was used, has expired, or never was."""
    unused = Invitation.objects.open().filter(digest=_hash_token(token))
    if unused.update(used_by=user, used_at=now()) != 1:
        raise Conflict(message(gettext_noop("This invitation has expired or was already used.")))


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


# Store new accounts as the setting SIGN_UP says, and let in those who wait for it.


@transaction.atomic
def store_new_account(*, user: User, invitation: str = "", is_of_school: bool = False) -> None:
    """Store an account that somebody made, perhaps by the token of a link, or with an account of the school.

    Raises NotYours where nobody may sign up, and Conflict for an invitation that can't be used.
    """
    mode = SignUpMode(settings.SIGN_UP)
    if mode == SignUpMode.CLOSED or (mode == SignUpMode.SCHOOL and not is_of_school):
        raise NotYours(message(gettext_noop("Sign-up is closed.")))
    if mode == SignUpMode.APPROVAL:
        user.is_active, user.awaits_approval = False, True
    user.save()
    if mode == SignUpMode.INVITATION:
        use_invitation(token=invitation, user=user)


def approve_account(*, user: User) -> bool:
    """Let a user sign in who waits for it; return whether the user did. A second call changes nothing."""
    waiting = User.objects.filter(pk=user.pk, awaits_approval=True)
    return waiting.update(awaits_approval=False, is_active=True) == 1


# Where a user is signed in. A session's row beside Django's own says from which device, and when it was last seen.

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


# Refuse suspended authors (see `people/lifecycle.py`): what stores files or lets bots play asks `check_not_suspended`.


class AuthorSuspended(ArenaError):
    """The author was suspended by staff."""

    status = 403


def check_not_suspended(user: User, *, reader: User | None = None) -> None:
    """Raise AuthorSuspended if the user, as it was read, is suspended. `reader` asks for it if somebody else does."""
    if user.suspended_at is None:
        return
    if reader is not None and reader.pk != user.pk:
        problem = gettext_noop("The arena's staff suspended %(author)s, whose bots don't play.")
        raise AuthorSuspended(message(problem, author=user.username))
    problem = gettext_noop(
        "The arena's staff suspended your account: your bots don't play, and you can't upload or enter bots."
    )
    raise AuthorSuspended(message(problem))


# The time zone that a user chose for deadlines, forms and mails.

REGIONS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
"""The first parts of the names that are offered; others, such as US/Eastern, are older names of the same zones."""


@lru_cache(maxsize=1)
def list_time_zones() -> list[str]:
    """Return the names that are offered, by region; others of the IANA database may be typed."""
    return ["UTC", *sorted(name for name in available_timezones() if name.startswith(REGIONS))]


def find_time_zone(user: object) -> ZoneInfo | None:
    """Return the time zone that a user, who may be anonymous, chose; None without one, and where it is unknown here."""
    name = user.time_zone if isinstance(user, User) else ""
    try:
        return ZoneInfo(name) if name else None
    except ZoneInfoNotFoundError:  # It was chosen where the database of zones was another one.
        return None


def choose_time_zone(*, user: User, name: str) -> None:
    """Store the time zone of a user; an empty name leaves it to the browser. Raise ArenaError for an unknown one."""
    wanted = "_".join(name.split()).casefold()
    found = next((zone for zone in available_timezones() if zone.casefold() == wanted), "") if wanted else ""
    if wanted and not found:
        problem = gettext_noop("No time zone called %(name)s. Pick one from the list.")
        raise ArenaError(message(problem, name=name.strip()), fields=["time_zone"])
    user.time_zone = found
    user.save(update_fields=["time_zone"])


# The second factor of users: an authenticator app, or a key; recovery codes stand in for either.

logger = logging.getLogger(__name__)
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
STAFF_NEED_SECOND_FACTOR = gettext_noop(
    "Staff need two-factor sign-in because they can change other people's data. Set up an authenticator app "
    "or a key here to open the staff pages."
)


def has_second_factor(user: User) -> bool:
    """Return whether the user is asked for more than a password."""
    return bool(Authenticator.objects.filter(user=user, type__in=FACTORS).exists())


def count_second_factors(user: User, kind: Authenticator.Type) -> int:
    """Return the number of second factors of one kind that a user has."""
    return int(Authenticator.objects.filter(user=user, type=kind).count())


def lacks_required_second_factor(user: object) -> bool:
    """Return whether somebody is staff, needs a second factor for that, and has none."""
    if not (settings.STAFF_TWO_FACTOR and isinstance(user, User) and (user.is_staff or user.is_superuser)):
        return False
    return not has_second_factor(user)


@transaction.atomic
def reset_second_factor(*, user: User) -> int:
    """Remove a user's second factors and recovery codes and sign them out everywhere; return how many there were."""
    removed, _by_model = Authenticator.objects.filter(user=user).delete()
    ended = end_all_sessions(user=user)
    logger.warning("Two-factor sign-in of %s was reset: %d removed, %d sessions ended", user.username, removed, ended)
    return int(removed)


# The account of a school that signs a user in, besides name and password.


def find_school_account(user: User) -> SocialAccount | None:
    """Return the account of the school by which the user signs in, or None."""
    return SocialAccount.objects.filter(user=user).first()


def unlink_school_account(*, user: User) -> None:
    """Let a user sign in with the school's account no longer. Raises Conflict without a password to sign in with."""
    if not user.has_usable_password():
        problem = gettext_noop("Set a password first: without one, you couldn't sign in.")
        raise Conflict(message(problem))
    SocialAccount.objects.filter(user=user).delete()


def may_sign_in_by_school(user: User) -> bool:
    """Return whether the school's word is enough: staff need a second factor, which they are asked for then."""
    return not (user.is_staff or user.is_superuser) or has_second_factor(user)
