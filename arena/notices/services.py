"""Telling people, and the programs they have named, what concerns them."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.errors import ArenaError, Conflict
from arena.notices.addresses import check_url
from arena.notices.models import Delivery, Event, Notice, Webhook
from engine.message import Message

MAX_WEBHOOKS = 5
WANTED = tuple(event for event in Event if event not in (Event.WEBHOOK_OFF, Event.PING))
"""What a webhook may ask for; a ping comes when its owner wants one."""


@transaction.atomic
def tell(
    *,
    user: User,
    event: Event,
    text: Message | str,
    url: str = "",
    about: str = "",
    payload: dict[str, Any] | None = None,
) -> None:
    """Leave a notice for a user, and the payload for each of the user's webhooks that want such events.

    `payload` is JSON. Without one only the notice is left; without `text` only the webhooks are told. What has an
    `about` is told once, however often this is called.
    """
    if text:
        notice = Notice(user=user, event=event, text=str(text), url=url, about=about)
        Notice.objects.bulk_create([notice], ignore_conflicts=True)
    if payload is None:
        return
    wanting = [hook for hook in Webhook.objects.filter(owner=user, is_active=True) if event in hook.events]
    deliveries = [Delivery(webhook=hook, event=event, about=about, payload=payload) for hook in wanting]
    Delivery.objects.bulk_create(deliveries, ignore_conflicts=True)


def see_notices(*, user: User) -> int:
    """Mark all notices of a user as seen; how many were not."""
    return Notice.objects.unseen().filter(user=user).update(seen_at=now())


@transaction.atomic
def add_webhook(*, owner: User, url: str, events: Collection[str]) -> Webhook:
    """Raises BadAddress where the arena won't call there, Conflict where there are enough, or ArenaError."""
    User.objects.select_for_update().get(pk=owner.pk)
    unknown = set(events) - set(WANTED)
    if unknown or not events:
        raise ArenaError(f"Choose what to be told of: {', '.join(WANTED)}.")
    if Webhook.objects.filter(owner=owner).count() >= MAX_WEBHOOKS:
        raise Conflict(f"You have {MAX_WEBHOOKS} webhooks, and nobody may have more: delete one first.")
    check_url(url, settings.WEBHOOK_NETWORKS)
    return Webhook.objects.create(owner=owner, url=url, events=sorted(set(events)))


def delete_webhook(*, webhook: Webhook) -> None:
    webhook.delete()


def wake_webhook(*, webhook: Webhook) -> None:
    """Tell it of events again after it was switched off."""
    Webhook.objects.filter(pk=webhook.pk).update(is_active=True, failures=0)


def ping(*, webhook: Webhook) -> Delivery:
    """Something to be delivered now, so that the owner sees whether it arrives."""
    return Delivery.objects.create(webhook=webhook, event=Event.PING, payload={"webhook": webhook.pk})


def drop_deliveries(*, before: datetime) -> int:
    """Forget what was delivered or given up by then; how many there were."""
    over = Delivery.objects.exclude(state=Delivery.State.WAITING).filter(created_at__lt=before)
    return over.delete()[0]
