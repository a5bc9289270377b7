"""Store messages in rows, and turn them into text in the reader's language."""

import re
from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import translation
from django.utils.functional import lazy

from engine.message import Message, literal

# Turn messages into text in the reader's language. Only pages and the API call this, and take their translations here.

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Letters of Hebrew, Arabic, Syriac, Thaana, N'Ko and the other scripts that are written so."""


FIRST_STRONG_ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"


def isolate(value: Any) -> Any:
    """Return a text with letters from right to left so that it turns nothing round it; any other value as it is."""
    is_turning = isinstance(value, str) and RIGHT_TO_LEFT.search(value) and FIRST_STRONG_ISOLATE not in value
    return f"{FIRST_STRONG_ISOLATE}{value}{END_OF_ISOLATE}" if is_turning else value


class Sentence(str):
    """A translated sentence, whose values are isolated when it is filled in: names can be from right to left."""

    __slots__ = ()

    def __mod__(self, values: Any) -> str:
        """Return the sentence with these values."""
        if isinstance(values, Mapping):
            return super().__mod__({name: isolate(value) for name, value in values.items()})
        return super().__mod__(tuple(map(isolate, values)) if isinstance(values, tuple) else isolate(values))


def gettext(message: str) -> str:
    """Return the translation for the present reader."""
    return Sentence(translation.gettext(message))


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the translation for this number."""
    return Sentence(translation.ngettext(singular, plural, number))


def pgettext(context: str, message: str) -> str:
    """Return the translation of a word that has others elsewhere."""
    return Sentence(translation.pgettext(context, message))


gettext_lazy = lazy(gettext, str)
pgettext_lazy = lazy(pgettext, str)


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


# Model fields of the arena's own.


class MessageField(models.JSONField):
    """Store a message as JSON; the attribute is a `Message`, or None where there is nothing to say."""

    description = "A message: a template and named values"

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"null": True, "blank": True, "default": None, "editable": False, **options})

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Message | None:
        """Return the message of a row."""
        return self.to_python(super().from_db_value(value, expression, connection))

    def to_python(self, value: Any) -> Message | None:
        """Return the message, which a fixture writes as JSON."""
        return Message.from_json(value) if isinstance(value, dict) else value

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        """Return the message as the database stores it."""
        return super().get_db_prep_value(convert_message_to_json(value), connection, prepared)

    def value_from_object(self, obj: models.Model) -> Any:
        """Return the message as JSON, as fixtures write it."""
        return convert_message_to_json(super().value_from_object(obj))


def convert_message_to_json(value: Any) -> Any:
    """Return a message as JSON, a text as a literal message, and any other value as it is."""
    if isinstance(value, str):
        value = literal(value) if value else None
    return value.to_json() if isinstance(value, Message) else value
