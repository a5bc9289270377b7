"""Forget names in the audit log and in notices, and say what of people has expired."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import CharField, Exists, OuterRef
from django.db.models.functions import Cast
from django.utils.timezone import now

from arena.core.database import ByteLength, Expired
from arena.people.accounts.limits import RETENTION
from arena.people.accounts.models import LimitedAction, User
from arena.people.audit.models import AuditEntry
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.people.notices.services import SITE_ONLY_EVENTS
from engine.message import Message

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
