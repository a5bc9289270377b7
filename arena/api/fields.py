"""Serializer fields of the API's own."""

from operator import attrgetter
from typing import Any, NoReturn

from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.serializers import CharField, JSONField

from arena.api.auth import is_owner
from arena.messages import read_message, render_message
from engine.message import Message


class ChoiceField(serializers.ChoiceField):
    """Take one of some values. The error for any other lists them."""

    default_error_messages = {"invalid_choice": gettext_lazy("“{input}” is not one of: {choices}.")}

    def fail(self, key: str, **values: Any) -> NoReturn:
        """Raise the error of that key. Raise ValidationError."""
        super().fail(key, choices=", ".join(map(str, self.choices)), **values)


class MessageText(CharField):
    """Show a message as text in the reader's language, and no message as an empty text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"read_only": True, **options})

    def get_attribute(self, instance: Any) -> Any:
        """Return the message, or an empty text where there is none."""
        return super().get_attribute(instance) or ""

    def to_representation(self, value: Message | str) -> str:
        """Return the text."""
        return render_message(value) if isinstance(value, Message) else value


class PrivateMessageText(MessageText):
    """Show a message to the owner of the bot only, and an empty text to everybody else."""

    def __init__(self, bot_source: str, **options: Any) -> None:
        """Take the attribute path from the row to the bot as `bot_source`."""
        self.bot_source = bot_source
        super().__init__(**options)

    def get_attribute(self, instance: Any) -> Any:
        """Return the message if the reader is the owner."""
        bot = attrgetter(self.bot_source)(instance)
        return super().get_attribute(instance) if is_owner(self.context["request"], bot) else ""


@extend_schema_field(
    {
        "type": "object",
        "nullable": True,
        "properties": {name: {"type": "string"} for name in ("message", "sent", "request", "stderr")},
    }
)
class FaultField(JSONField):
    """Show a fault with its message as text in the reader's language."""

    def to_representation(self, value: Any) -> Any:
        """Return the fault."""
        message = read_message(value.get("message"))
        return {**value, "message": render_message(message) if message else ""}
