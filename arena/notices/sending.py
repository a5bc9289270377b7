"""Deliver events to webhooks, with retries at growing intervals."""

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
from arena.notices.services import notify_user
from arena.notices.signing import sign_request
from engine.message import Message, MessageError, gettext_noop, literal, message

WEBHOOK_REQUEST_TIMEOUT_S = 5.0
DELIVERY_LEASE = timedelta(minutes=2)
"""A worker that attempts a delivery holds it this long; no other worker attempts it meanwhile."""
FIRST_RETRY_DELAY_S = 10.0
RETRY_DELAY_GROWTH_FACTOR = 4.0
MAX_RETRY_DELAY_S = 8 * 3600.0
MAX_DELIVERY_ATTEMPTS = 8
"""With these delays the last attempt is made some 20 hours after the first."""
MAX_CONSECUTIVE_FAILED_DELIVERIES = 10
"""After this many events given up in a row a webhook is disabled."""
DELIVERY_BATCH_SIZE = 50


def list_due_deliveries() -> list[int]:
    """Return the ids of the deliveries due now, the longest due first."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=now()).order_by("next_at")
    return list(waiting.values_list("pk", flat=True)[:DELIVERY_BATCH_SIZE])


def attempt_delivery(*, delivery_id: int) -> bool:
    """Attempt a delivery that is due, once even if called twice at the same time. Return whether it was accepted."""
    due = Delivery.objects.filter(pk=delivery_id, state=Delivery.State.WAITING, next_at__lte=now())
    if due.update(attempts=F("attempts") + 1, next_at=now() + DELIVERY_LEASE) != 1:
        return False
    delivery = Delivery.objects.select_related("webhook__owner").get(pk=delivery_id)
    try:
        status = _send_request(delivery)
    except (BadAddress, httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        _schedule_retry(delivery, None, _describe_error(error))
        return False
    if not 200 <= status < 300:
        _schedule_retry(delivery, status, message(gettext_noop("It answered %(status)s."), status=status))
        return False
    _settle_delivery(delivery, Delivery.State.DELIVERED, status=status, error=None)
    Webhook.objects.filter(pk=delivery.webhook_id).update(failures=0)
    return True


def _send_request(delivery: Delivery) -> int:
    """Send the event and return the status of the answer, of which nothing else is read. Redirects are not followed."""
    message_id, timestamp = f"msg_{delivery.pk}", int(now().timestamp())
    body = orjson.dumps(
        {"type": delivery.event, "timestamp": delivery.created_at.isoformat(), "data": delivery.payload}
    )
    headers: dict[bytes | str, bytes | str] = {
        "content-type": "application/json",
        "user-agent": "pennant-webhooks",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign_request(delivery.webhook.key, message_id, timestamp, body),
    }
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), WEBHOOK_REQUEST_TIMEOUT_S)
    with httpcore.ConnectionPool(network_backend=Guard(settings.WEBHOOK_NETWORKS)) as pool:
        sending = pool.stream(
            "POST", delivery.webhook.url, headers=headers, content=body, extensions={"timeout": timeouts}
        )
        with sending as response:
            return response.status


def _describe_error(error: Exception) -> Message:
    return error.message if isinstance(error, MessageError) else literal(str(error) or type(error).__name__)


def _schedule_retry(delivery: Delivery, status: int | None, error: Message) -> None:
    if delivery.attempts < MAX_DELIVERY_ATTEMPTS and delivery.event != Event.PING:
        delay_s = min(FIRST_RETRY_DELAY_S * RETRY_DELAY_GROWTH_FACTOR ** (delivery.attempts - 1), MAX_RETRY_DELAY_S)
        jitter = 0.75 + secrets.randbelow(501) / 1000
        Delivery.objects.filter(pk=delivery.pk).update(
            status=status, error=error, next_at=now() + timedelta(seconds=delay_s * jitter)
        )
    else:
        _settle_delivery(delivery, Delivery.State.GAVE_UP, status=status, error=error)
        if delivery.event != Event.PING:
            _count_webhook_failure(delivery.webhook)


def _settle_delivery(delivery: Delivery, state: Delivery.State, **fields: object) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(state=state, **fields)


@transaction.atomic
def _count_webhook_failure(webhook: Webhook) -> None:
    """Count an event given up; after too many in a row disable the webhook and notify its owner."""
    active = Webhook.objects.filter(pk=webhook.pk, is_active=True)
    active.update(failures=F("failures") + 1)
    if active.filter(failures__gte=MAX_CONSECUTIVE_FAILED_DELIVERIES).update(is_active=False) == 1:
        text = message(
            gettext_noop("Your webhook %(url)s was disabled: %(count)s events in a row could not be delivered."),
            url=webhook.url,
            count=MAX_CONSECUTIVE_FAILED_DELIVERIES,
        )
        notify_user(user=webhook.owner, event=Event.WEBHOOK_DISABLED, text=text, url="/webhooks/")
