"""Store messages in rows, and turn them into text in the reader's language."""

import re
from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext

from engine.message import Message, gettext_noop, literal

# What earlier releases stored with rows, which keep their templates: each stays translated.

FORMER_TEMPLATES = (
    gettext_noop("The colours or suits of the troops, each with the values 1 to 10."),
    gettext_noop(
        "%(most)s of your bots play on %(ladder)s already, and nobody may have more there: pause one of them, "
        "then promote %(version)s."
    ),
    gettext_noop("%(name)s has no such version that passed its trial."),
    gettext_noop("It was not promoted."),
    gettext_noop("It was promoted to the ladders."),
    gettext_noop("%(count)s workers stopped while a bot decided."),
    gettext_noop("%(count)s workers stopped while they played it."),
    gettext_noop("Another version plays instead of %(version)s: promote this one to let it play again."),
    gettext_noop("Unreadable answer"),
    gettext_noop("Fewer than two bots were ready when it was to start."),
    gettext_noop("Give a reason: everybody will read it beside the result."),
    gettext_noop("Its organiser wanted it replayed."),
    gettext_noop("Only a draft can be opened for entries, or a tournament that is paused before its start."),
    gettext_noop("Pairings can be decided only while the tournament runs or is paused."),
    gettext_noop("Round %(number)s isn't the current one, so nothing can be decided in it. Replay it."),
    gettext_noop("The arena failed to have a bot decide %(count)s times."),
    gettext_noop("The arena failed to play it %(times)s times, the last time with: %(failure)s"),
    gettext_noop("the line is not JSON: %(problem)s"),
    gettext_noop('the answer to "hello" is {"type": "ready"}'),
    gettext_noop('an answer is a JSON object with a string "action"'),
    gettext_noop("the line is JSON, but not an object"),
    gettext_noop("a line is %(limit)s bytes at most"),
    gettext_noop("a line is longer than %(limit)s bytes"),
    gettext_noop("more than %(limit)s bytes were written to stderr in this leg"),
    gettext_noop("more than %(limit)s bytes were written without being asked"),
    gettext_noop("more than %(limit)s bytes were written before the question was read"),
    gettext_noop("no whole line came within %(ms)s ms"),
    gettext_noop("something was written to stdout without being asked"),
    gettext_noop("The pairing is decided already. Replay its round if the result can't stand."),
)

# Turn messages into text in the reader's language. Only pages and the API call this.

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Letters of Hebrew, Arabic, Syriac, Thaana, N'Ko and the other scripts that are written so."""


def render_message(message: Message) -> str:
    """Return the message in the language of the present reader, nested messages included."""
    return gettext(message.template) % {
        name: render_message(value) if isinstance(value, Message) else isolate(value)
        for name, value in message.values.items()
    }


def isolate(value: Any) -> Any:
    """Return a text with letters from right to left so that it turns nothing round it; any other value as it is."""
    return f"\u2068{value}\u2069" if isinstance(value, str) and RIGHT_TO_LEFT.search(value) else value


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
