"""List the notices and webhooks of a user."""

from django.db.models import QuerySet

from arena.accounts.models import User
from arena.notices.models import Delivery, Notice, Webhook


def list_notices(user: User, *, only_unread: bool = False) -> QuerySet[Notice]:
    """List the notices of a user."""
    notices = Notice.objects.filter(user=user)
    return notices.unseen() if only_unread else notices


def list_webhooks(owner: User) -> QuerySet[Webhook]:
    """List the webhooks of a user."""
    return Webhook.objects.filter(owner=owner)


def find_webhook(owner: User, pk: int) -> Webhook | None:
    """Return the webhook if it is this user's, or None."""
    return list_webhooks(owner).filter(pk=pk).first()


def list_deliveries(webhook: Webhook) -> QuerySet[Delivery]:
    """List what was sent, or is to be sent, to a webhook."""
    return Delivery.objects.filter(webhook=webhook)
