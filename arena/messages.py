"""Turn messages into text in the reader's language, at the door: pages and the API call this, nothing below does."""

from django.utils.translation import gettext

from engine.message import Message


def render_message(message: Message) -> str:
    """Return the message in the language of the present reader, nested messages included."""
    return gettext(message.template) % {
        name: render_message(value) if isinstance(value, Message) else value for name, value in message.values.items()
    }
