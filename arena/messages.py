"""Turn messages into text in the reader's language. Only pages and the API call this."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from engine.message import Message, literal


def render_message(message: Message) -> str:
    """Return the message in the language of the present reader, nested messages included."""
    return gettext(message.template) % {
        name: render_message(value) if isinstance(value, Message) else value for name, value in message.values.items()
    }


def read_message(value: str | Mapping[str, Any] | None) -> Message | None:
    """Return the message that stands in stored JSON; a text, as was stored earlier, is taken literally."""
    if not value:
        return None
    return literal(value) if isinstance(value, str) else Message.from_json(value)
