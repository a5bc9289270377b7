"""Serializer fields of the API's own."""

from typing import Any

from rest_framework.serializers import CharField, JSONField

from arena.messages import read_message, render_message
from engine.message import Message


class MessageText(CharField):
    """Show a message as text in the reader's language, and no message as an empty text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"read_only": True, **options})

    def get_attribute(self, instance: Any) -> Message | str:
        """Return the message, or an empty text where there is none."""
        return super().get_attribute(instance) or ""

    def to_representation(self, value: Message | str) -> str:
        """Return the text."""
        return render_message(value) if isinstance(value, Message) else value


class FaultField(JSONField):
    """Show a fault with its message as text in the reader's language."""

    def to_representation(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the fault."""
        message = read_message(value.get("message"))
        return {**value, "message": render_message(message) if message else ""}
