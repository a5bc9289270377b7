"""Receive Celery's messages from Redis, also after Redis was away while a worker had its hands full."""

from collections.abc import Callable
from typing import Any

from kombu.transport import redis, virtual


class QoS(redis.QoS):
    """The messages that a worker has taken, of which Kombu lets it take only so many at a time.

    Kombu keeps a message that could not be acknowledged among them for good. Where that happened to all of them, a
    worker asked Redis for nothing more, and so noticed neither that Redis was lost nor that it was back.
    """

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message; without Redis, forget it alone."""
        self._settle(delivery_tag, super().ack)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Reject a message; without Redis, forget it alone."""
        self._settle(delivery_tag, super().reject, requeue=requeue)

    def _settle(self, delivery_tag: str, settle: Callable[..., None], **options: Any) -> None:
        try:
            settle(delivery_tag, **options)
        except self.channel.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


class Channel(redis.Channel):
    """A channel that counts what was taken in this way."""

    QoS = QoS


class Transport(redis.Transport):
    """The transport of Kombu with such channels."""

    Channel = Channel
