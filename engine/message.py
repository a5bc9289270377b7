"""Messages for people, kept as data until somebody reads them.

The code that raises or stores a message names a template and values; the page, the API or the command line turns it
into text in the reader's language. Nothing ever reads a rendered sentence back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

Value = Union[str, int, float, "Message"]


def gettext_noop(template: str) -> str:
    """Mark a template for the translation catalogue and return it unchanged."""
    return template


@dataclass(frozen=True, slots=True)
class Message:
    """An English template in `%(name)s` format and its values, any of which may be a message itself."""

    template: str
    values: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the text in English."""
        return self.template % {name: str(value) for name, value in self.values.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the message as JSON: `{"template": …, "values": {…}}`, nested messages likewise."""
        values = {name: value.to_json() if isinstance(value, Message) else value for name, value in self.values.items()}
        return {"template": self.template, "values": values}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Message":
        """Return the message that `to_json` turned into `data`."""
        values = {
            name: cls.from_json(value) if isinstance(value, Mapping) else value
            for name, value in data["values"].items()
        }
        return cls(data["template"], values)


def message(template: str, /, **values: Value) -> Message:
    """Return a message of this template, a literal marked with `gettext_noop`, and these values."""
    return Message(template, values)


def join_messages(*parts: Message | None, separator: str = " ") -> Message:
    """Return one message of whole sentences or phrases, in this order; parts that are None are left out."""
    values: dict[str, Value] = {f"part{number}": part for number, part in enumerate(parts) if part is not None}
    return Message(separator.join(f"%({name})s" for name in values), values)


def literal(text: str) -> Message:
    """Return a message that is this very text in every language."""
    return Message("%(text)s", {"text": text})


def quote(text: str, limit: int = 60) -> str:
    """Return somebody else's text in quotes for use in a message, cut to `limit` characters."""
    return repr(text if len(text) <= limit else text[: limit - 3] + "…")


class MessageError(Exception):
    """The base of exceptions that tell a person what is wrong; `str()` is the English text."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message
