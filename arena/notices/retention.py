"""Say which notices and deliveries are not needed any more."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import CharField
from django.db.models.functions import Cast

from arena.expiry import ByteLength, Expired
from arena.notices.models import Delivery, Notice


def list_expired_notices(*, before: datetime) -> Iterator[Expired]:
    """Yield the notices from before then, seen or not."""
    yield Expired("notices", Notice.objects.filter(created_at__lt=before))


def list_expired_deliveries(*, before: datetime) -> Iterator[Expired]:
    """Yield the deliveries to webhooks from before then, except those still waiting."""
    over = Delivery.objects.exclude(state=Delivery.State.WAITING).filter(created_at__lt=before)
    yield Expired("deliveries to webhooks", over, size=ByteLength(Cast("payload", CharField())))
