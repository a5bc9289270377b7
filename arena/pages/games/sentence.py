"""Sentences with cards in them. Templates draw them with the filter `sentence`; `str()` gives what is read aloud."""

from collections.abc import Iterable
from dataclasses import dataclass
from string import Formatter

TEMPLATE_FORMATTER = Formatter()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence: plain text, or a card or tile with an icon."""

    text: str
    icon: str = ""
    """The icon's name in the icon sheet; empty for plain text."""
    suit: str = ""
    """The CSS class is `suit-<this>`."""
    spoken_suit: str = ""
    """The text that replaces the icon when the sentence is read aloud; empty if the text already says it."""

    def __str__(self) -> str:
        return f"{self.spoken_suit} {self.text}" if self.spoken_suit else self.text


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sequence of text and cards."""

    parts: tuple[Part, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


def format_sentence(template: str, **values: object) -> Sentence:
    """Return the sentence of a translated template in `{name}` format.

    A value may be a part or a sentence of its own, which keep their cards; anything else is put in as text.
    """
    parts: list[Part] = []
    for text, name, _spec, _conversion in TEMPLATE_FORMATTER.parse(template):
        if text:
            parts.append(Part(text))
        if name is not None:
            value = values[name]
            parts += value.parts if isinstance(value, Sentence) else [build_part(value)]
    return Sentence(tuple(parts))


def build_part(value: object) -> Part:
    """Return the value as a piece of a sentence."""
    return value if isinstance(value, Part) else Part(str(value))


def join_parts(parts: Iterable[Part], separator: str = " ") -> Sentence:
    """Return the parts with the separator between them."""
    joined: list[Part] = []
    for part in parts:
        joined += [Part(separator), part] if joined else [part]
    return Sentence(tuple(joined))
