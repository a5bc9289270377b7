"""Notify users and their webhooks of events."""

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.accounts.queries import list_staff
from arena.errors import ArenaError, Conflict
from arena.notices.addresses import check_webhook_url
from arena.notices.models import Delivery, Event, Notice, Webhook
from engine.message import Message, gettext_noop, literal, message

MAX_WEBHOOKS_PER_USER = 5
SITE_ONLY_EVENTS = (
    Event.NAME_CONFUSABLE,
    Event.ACCOUNT_WAITING,
    Event.ACCOUNT_APPROVED,
    Event.ACCOUNT_SUSPENDED,
    Event.ACCOUNT_REINSTATED,
    Event.LUCK_SUSPENDED,
)
UNSUBSCRIBABLE_EVENTS = (
    Event.WEBHOOK_DISABLED,
    Event.FOLLOWED_NEWS,
    Event.PING,
    Event.GROUP_INVITATION,
    *SITE_ONLY_EVENTS,
)
SUBSCRIBABLE_EVENTS = tuple(event for event in Event if event not in UNSUBSCRIBABLE_EVENTS)
"""The events a webhook may subscribe to; a ping is sent when its owner asks for one."""


@transaction.atomic
def notify_user(
    *,
    user: User,
    event: Event,
    text: Message | str | None = None,
    url: str = "",
    about: str = "",
    payload: dict[str, Any] | None = None,
) -> None:
    """Leave a notice for a user, and a delivery for each of the user's webhooks that subscribe to the event.

    `payload` is JSON. Without one only the notice is left; without `text` only the webhooks are notified. With `about`,
    the subject of the event, further calls for the same subject change nothing.
    """
    if text:
        content = literal(text) if isinstance(text, str) else text
        notice = Notice(user=user, event=event, text=content, url=url, about=about)
        Notice.objects.bulk_create([notice], ignore_conflicts=True)
    if payload is None:
        return
    wanting = [hook for hook in Webhook.objects.filter(owner=user, is_active=True) if event in hook.events]
    deliveries = [Delivery(webhook=hook, event=event, about=about, payload=payload) for hook in wanting]
    Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)


@transaction.atomic
def renew_notice(*, user: User, event: Event, about: str, text: Message, url: str) -> None:
    """Leave a notice that takes the place of the user's last one on the same subject, unless that was seen."""
    same = Notice.objects.filter(user=user, event=event, about=about)
    same.unseen().delete()
    same.update(about="")
    notify_user(user=user, event=event, text=text, url=url, about=about)


def notify_staff(*, event: Event, text: Message, url: str, about: str) -> None:
    """Leave a notice for everybody of the staff. Further calls for the same subject change nothing."""
    for user in list_staff():
        notify_user(user=user, event=event, text=text, url=url, about=about)


def mark_notices_read(*, user: User) -> int:
    """Mark all notices of a user as seen and return how many were not."""
    return Notice.objects.unseen().filter(user=user).update(seen_at=now())


@transaction.atomic
def add_webhook(*, owner: User, url: str, events: Collection[str]) -> Webhook:
    """Add a webhook.

    Raises BadAddress if the arena may not call the address, Conflict if the owner has enough of them, or ArenaError.
    """
    User.objects.select_for_update().get(pk=owner.pk)
    unknown = set(events) - set(SUBSCRIBABLE_EVENTS)
    if unknown or not events:
        raise ArenaError(
            message(
                gettext_noop("Choose one or more of these events: %(events)s."), events=", ".join(SUBSCRIBABLE_EVENTS)
            )
        )
    if Webhook.objects.filter(owner=owner).count() >= MAX_WEBHOOKS_PER_USER:
        problem = gettext_noop("You have %(most)s webhooks, and nobody may have more: delete one first.")
        raise Conflict(message(problem, most=MAX_WEBHOOKS_PER_USER))
    check_webhook_url(url, settings.WEBHOOK_NETWORKS)
    return Webhook.objects.create(owner=owner, url=url, events=sorted(set(events)))


def delete_webhook(*, webhook: Webhook) -> None:
    """Delete a webhook and all its deliveries."""
    webhook.delete()


def enable_webhook(*, webhook: Webhook) -> None:
    """Send events to a webhook again after it was disabled."""
    Webhook.objects.filter(pk=webhook.pk).update(is_active=True, failures=0)


def queue_test_delivery(*, webhook: Webhook) -> Delivery:
    """Queue a test delivery, so that the owner sees whether it arrives."""
    return Delivery.objects.create(webhook=webhook, event=Event.PING, payload={"webhook": webhook.pk})


@transaction.atomic
def delete_notices_and_webhooks(*, user: User) -> None:
    """Delete all notices and webhooks of a user, with what was sent to these."""
    Notice.objects.filter(user=user).delete()
    Webhook.objects.filter(owner=user).delete()


def delete_followed_news(*, about: Collection[str]) -> None:
    """Delete the notices by which users were told of news of these subjects."""
    Notice.objects.filter(event=Event.FOLLOWED_NEWS, about__in=about).delete()


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
