"""Telling people, and the programs they have named, what concerns them."""

from typing import Any

from django.db import transaction

from arena.accounts.models import User
from arena.notices.models import Delivery, Event, Notice, Webhook


@transaction.atomic
def tell(*, user: User, event: Event, text: str, url: str = "", payload: dict[str, Any] | None = None) -> None:
    """Leave a notice for a user, and the payload for each of the user's webhooks that want such events.

    `payload` is JSON. Without one only the notice is left; without `text` only the webhooks are told.
    """
    if text:
        Notice.objects.create(user=user, event=event, text=text, url=url)
    if payload is None:
        return
    wanting = [hook for hook in Webhook.objects.filter(owner=user, is_active=True) if event in hook.events]
    Delivery.objects.bulk_create(Delivery(webhook=hook, event=event, payload=payload) for hook in wanting)
