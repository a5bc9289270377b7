"""Delivering events to webhooks: tried again ever later, until somebody takes them or nobody will."""

import secrets
from datetime import timedelta

import httpcore
import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.timezone import now

from arena.notices.addresses import BadAddress, Guard
from arena.notices.models import Delivery, Event, Webhook
from arena.notices.services import tell
from arena.notices.signing import sign

TIMEOUT_S = 5.0
LEASE = timedelta(minutes=2)
"""While one worker tries a delivery no other does; a worker that dies loses it after this time."""
FIRST_PAUSE_S = 10.0
GROWTH = 4.0
MAX_ATTEMPTS = 8
"""The last one some 20 hours after the first."""
MAX_PAUSE_S = 8 * 3600.0
MAX_FAILURES = 10
"""So many events given up in a row, and a webhook is switched off."""
AT_ONCE = 50


def due_deliveries() -> list[int]:
    """What is to be tried now, the longest due first."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=now()).order_by("next_at")
    return list(waiting.values_list("pk", flat=True)[:AT_ONCE])


def deliver(*, delivery_id: int) -> bool:
    """Try a delivery that is due; True where it was taken. Called twice at once it is tried once."""
    due = Delivery.objects.filter(pk=delivery_id, state=Delivery.State.WAITING, next_at__lte=now())
    if due.update(attempts=F("attempts") + 1, next_at=now() + LEASE) != 1:
        return False
    delivery = Delivery.objects.select_related("webhook__owner").get(pk=delivery_id)
    try:
        status = _post(delivery)
    except (BadAddress, httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        _try_later(delivery, None, str(error) or type(error).__name__)
        return False
    if not 200 <= status < 300:
        _try_later(delivery, status, f"It answered {status}.")
        return False
    _settle(delivery, Delivery.State.DELIVERED, status=status, error="")
    Webhook.objects.filter(pk=delivery.webhook_id).update(failures=0)
    return True


def _post(delivery: Delivery) -> int:
    """The status of the answer, of which nothing else is read; a redirect is not followed."""
    message_id, timestamp = f"msg_{delivery.pk}", int(now().timestamp())
    body = orjson.dumps(
        {"type": delivery.event, "timestamp": delivery.created_at.isoformat(), "data": delivery.payload}
    )
    headers = {
        "content-type": "application/json",
        "user-agent": "pennant-webhooks",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(delivery.webhook.key, message_id, timestamp, body),
    }
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), TIMEOUT_S)
    with httpcore.ConnectionPool(network_backend=Guard(settings.WEBHOOK_NETWORKS)) as pool:
        sending = pool.stream(
            "POST", delivery.webhook.url, headers=headers, content=body, extensions={"timeout": timeouts}
        )
        with sending as response:
            return response.status


def _try_later(delivery: Delivery, status: int | None, error: str) -> None:
    if delivery.attempts < MAX_ATTEMPTS and delivery.event != Event.PING:
        pause = min(FIRST_PAUSE_S * GROWTH ** (delivery.attempts - 1), MAX_PAUSE_S)
        jitter = 0.75 + secrets.randbelow(501) / 1000
        Delivery.objects.filter(pk=delivery.pk).update(
            status=status, error=error, next_at=now() + timedelta(seconds=pause * jitter)
        )
    else:
        _settle(delivery, Delivery.State.GIVEN_UP, status=status, error=error)
        if delivery.event != Event.PING:
            _count_failure(delivery.webhook)


def _settle(delivery: Delivery, state: Delivery.State, **fields: object) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(state=state, **fields)


@transaction.atomic
def _count_failure(webhook: Webhook) -> None:
    """Nobody has taken anything for a long time: the owner is told, and it rests until it is woken."""
    active = Webhook.objects.filter(pk=webhook.pk, is_active=True)
    active.update(failures=F("failures") + 1)
    if active.filter(failures__gte=MAX_FAILURES).update(is_active=False) == 1:
        text = f"Your webhook {webhook.url} was switched off: {MAX_FAILURES} events in a row could not be delivered."
        tell(user=webhook.owner, event=Event.WEBHOOK_OFF, text=text, url="/webhooks/")
