"""Suspend, reinstate and anonymise accounts, forget names in notices, and say what of people has expired."""

import logging
import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, Q
from django.db.models.functions import Cast
from django.utils.timezone import now

from arena.core.database import ByteLength, Expired
from arena.core.errors import Conflict
from arena.people.accounts.limits import RETENTION
from arena.people.accounts.models import Invitation, LimitedAction, User
from arena.people.accounts.services import end_all_sessions
from arena.people.audit.models import AuditEntry
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.people.notices.services import SITE_ONLY_EVENTS
from engine.message import Message, gettext_noop, message

logger = logging.getLogger(__name__)

# Suspend authors and reinstate them. A suspended author may sign in and read, and a banned one may not.


def check_suspendable(user: User, *, ban: bool) -> None:
    """Raise Conflict for staff and the house, and where there is nothing to change."""
    _check_not_staff(user)
    if user.suspended_at is not None and not (ban and user.is_active):
        raise Conflict(message(gettext_noop("%(name)s is already suspended."), name=user.username))


def _check_not_staff(user: User) -> None:
    if user.is_staff or user.is_superuser or user.is_house:
        problem = gettext_noop("%(name)s is a staff member: remove those rights in the admin first.")
        raise Conflict(message(problem, name=user.username))


@transaction.atomic
def suspend_account(*, user: User, ban: bool = False) -> int:
    """Suspend a user; with `ban` refuse sign-in and end all sessions, too. Return how many sessions ended.

    Raises Conflict as `check_suspendable` does.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    check_suspendable(user, ban=ban)
    user.suspended_at = user.suspended_at or now()
    if ban and user.is_active:
        user.is_banned, user.is_active = True, False
    user.save(update_fields=["suspended_at", "is_banned", "is_active"])
    return end_all_sessions(user=user) if ban else 0


@transaction.atomic
def reinstate_account(*, user: User) -> None:
    """Take a suspension back. Whoever could not sign in before it still can't. Raises Conflict without one."""
    user = User.objects.select_for_update().get(pk=user.pk)
    check_suspended(user)
    user.is_active = user.is_active or user.is_banned
    user.suspended_at, user.is_banned = None, False
    user.save(update_fields=["suspended_at", "is_banned", "is_active"])


def check_suspended(user: User) -> None:
    """Raise Conflict for a user who is not suspended."""
    if user.suspended_at is None:
        raise Conflict(message(gettext_noop("%(name)s isn't suspended."), name=user.username))


# Take from an account what tells whose it is.

PSEUDONYM_PREFIX = "author-"


@transaction.atomic
def anonymise_account(*, user: User) -> str:
    """Give an account a pseudonym, and remove all by which its person is known or signs in; return the pseudonym.

    Raises Conflict for staff, whose rights somebody else should take over first, and for the house.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    _check_not_staff(user)
    name, pseudonym = user.username, _find_free_pseudonym()
    addresses = {user.email, *EmailAddress.objects.filter(user=user).values_list("email", flat=True)} - {""}
    end_all_sessions(user=user)
    Authenticator.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    SocialAccount.objects.filter(user=user).delete()
    Invitation.objects.filter(Q(used_by=user) | Q(email__in=addresses)).update(note="", email="")
    LogEntry.objects.filter(object_repr__in=[name, *addresses]).update(object_repr=pseudonym)
    user.username, user.email, user.first_name, user.last_name = pseudonym, "", "", ""
    user.time_zone, user.last_login, user.awaits_approval = "", None, False
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    logger.warning("A user was anonymised, and is called %s now", pseudonym)
    return pseudonym


def _find_free_pseudonym() -> str:
    while True:
        pseudonym = PSEUDONYM_PREFIX + secrets.token_hex(3)
        if not User.objects.filter(username=pseudonym).exists():
            return pseudonym


# Forget a person's or a bot's name in the audit log and in notices.


def forget_name_in_audit_log(*, user: User, pseudonym: str) -> None:
    """Put a pseudonym in the place of a user's name; reasons about that user, which may name the person, go."""
    AuditEntry.objects.filter(actor=user).update(actor_name=pseudonym)
    AuditEntry.objects.filter(about=f"user {user.pk}").update(subject=pseudonym, reason="")


def delete_notices_and_webhooks(*, user: User) -> None:
    """Delete all notices and webhooks of a user, with what was sent to these."""
    Notice.objects.filter(user=user).delete()
    Webhook.objects.filter(owner=user).delete()


@transaction.atomic
def forget_name_in_notices(*, about: str, name: str, pseudonym: str) -> None:
    """Delete what staff was told about a new user or bot, and replace the name where others were said to look like it.

    `about` is the subject of these notices, its kind first.
    """
    Notice.objects.filter(event__in=SITE_ONLY_EVENTS, about=about).delete()
    kind = about.partition(" ")[0]
    for notice in Notice.objects.filter(event=Event.NAME_CONFUSABLE, about__startswith=f"{kind} "):
        others = str(notice.text.values.get("others", "")).split(", ") if notice.text else []
        if notice.text and name in others:
            named = ", ".join(pseudonym if other == name else other for other in others)
            notice.text = Message(notice.text.template, {**notice.text.values, "others": named})
            notice.save(update_fields=["text"])


# Say which sessions and counted actions are not needed any more.

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


def list_expired_notices(*, before: datetime) -> Iterator[Expired]:
    """Yield the notices from before then, seen or not."""
    yield Expired("notices", Notice.objects.filter(created_at__lt=before))


def list_expired_deliveries(*, before: datetime) -> Iterator[Expired]:
    """Yield the deliveries to webhooks from before then, except those still waiting."""
    over = Delivery.objects.exclude(state=Delivery.State.WAITING).filter(created_at__lt=before)
    yield Expired("deliveries to webhooks", over, size=ByteLength(Cast("payload", CharField())))
