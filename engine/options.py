"""Rule options described as data: their values, what each of them means, and what a variant of an edition is called."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.message import Message, MessageError, gettext_noop, message, quote

Value = str | int | bool
"""The value of an option."""
WORDS_FOR_TRUE, WORDS_FOR_FALSE = ("true", "yes"), ("false", "no")
MAX_NUMBER_DIGITS = 9
"""Longer numbers aren't read: no option goes that high."""
CANT_BE = gettext_noop("option %(option)s can't be %(value)s; it must be one of %(values)s")
NO_SUCH_NUMBER = gettext_noop(
    "option %(option)s can't be %(value)s; it must be a whole number from %(lowest)s to %(highest)s"
)


class BadOptions(MessageError, ValueError):
    """No play can have these rule options. The message says which option is wrong and why."""


@dataclass(frozen=True, slots=True)
class OptionValue:
    """One of the values an option can have. `phrase` names it in the title of a variant, as "without tactics"."""

    value: Value
    title: Message
    description: Message
    phrase: Message


@dataclass(frozen=True, slots=True)
class RuleOption(ABC):
    """A rule option: what it is called, what it decides in one sentence, and the rulings it changes."""

    key: str
    title: Message
    description: Message
    rulings: tuple[str, ...]

    @property
    def value_if_absent(self) -> Value | None:
        """Value in plays from before the option was introduced; None if it was always there."""
        return None

    @abstractmethod
    def check(self, value: Any) -> None:
        """Raise BadOptions where this is no value of the option."""

    @abstractmethod
    def read(self, text: str) -> Value:
        """Return the value that a person has written. Raises BadOptions."""

    @abstractmethod
    def name_value(self, value: Value) -> Message:
        """Return the phrase that names this value in the title of a variant."""

    def list_samples(self) -> list[Value]:
        """Return the values with which a game is checked."""
        return []


@dataclass(frozen=True, slots=True)
class ChoiceOption(RuleOption):
    """An option with a few values. `introduced_with` is the value of all plays before it was introduced."""

    values: tuple[OptionValue, ...]
    introduced_with: Value | None = None

    @property
    def value_if_absent(self) -> Value | None:
        """Value in plays from before the option was introduced."""
        return self.introduced_with

    def check(self, value: Any) -> None:
        """Raise BadOptions where this is no value of the option. `True` is not 1 here, nor is 1.0."""
        if not any(type(value) is type(known.value) and value == known.value for known in self.values):
            allowed = ", ".join(repr(known.value) for known in self.values)
            raise BadOptions(message(CANT_BE, option=quote(self.key), value=shorten(value), values=allowed))

    def read(self, text: str) -> Value:
        """Return the value that a person has written; upper and lower case are the same. Raises BadOptions."""
        for known in self.values:
            if text.lower() in map(str.lower, write_value(known.value)):
                return known.value
        allowed = ", ".join(write_value(known.value)[0] for known in self.values)
        raise BadOptions(message(CANT_BE, option=quote(self.key), value=quote(text), values=allowed))

    def name_value(self, value: Value) -> Message:
        """Return the phrase of this value."""
        return next(known.phrase for known in self.values if known.value == value)

    def list_samples(self) -> list[Value]:
        """Return all values."""
        return [known.value for known in self.values]


@dataclass(frozen=True, slots=True)
class NumberOption(RuleOption):
    """An option that is a whole number. `phrase` is a template with `%(number)s`."""

    lowest: int
    highest: int
    phrase: str

    def check(self, value: Any) -> None:
        """Raise BadOptions where this is not a whole number in the range."""
        if type(value) is not int or not self.lowest <= value <= self.highest:
            raise self._refuse(shorten(value))

    def read(self, text: str) -> Value:
        """Return the number that a person has written. Raises BadOptions."""
        if not (text.isascii() and text.isdecimal() and len(text) <= MAX_NUMBER_DIGITS):
            raise self._refuse(quote(text))
        if not self.lowest <= int(text) <= self.highest:
            raise self._refuse(text)
        return int(text)

    def name_value(self, value: Value) -> Message:
        """Return the phrase with this number."""
        return message(self.phrase, number=value)

    def list_samples(self) -> list[Value]:
        """Return the limits."""
        return [self.lowest, self.highest]

    def _refuse(self, value: str) -> BadOptions:
        return BadOptions(
            message(NO_SUCH_NUMBER, option=quote(self.key), value=value, lowest=self.lowest, highest=self.highest)
        )


def write_value(value: Value) -> tuple[str, ...]:
    """Return the words for a value, the usual one first."""
    if isinstance(value, bool):
        return WORDS_FOR_TRUE if value else WORDS_FOR_FALSE
    return (str(value),)


def shorten(value: Any) -> str:
    """Return a value from outside as Python writes it, cut so that it fits into a sentence."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def parse_option(options: Sequence[RuleOption], text: str) -> tuple[str, Value]:
    """Return key and value of `OPTION=VALUE`, as a person writes it. Raises BadOptions, which says what is allowed."""
    key, equals, value = text.partition("=")
    if not equals:
        template = gettext_noop("%(text)s should read OPTION=VALUE; options are %(options)s")
        raise BadOptions(message(template, text=quote(text), options=", ".join(option.key for option in options)))
    for option in options:
        if option.key == key.strip():
            return option.key, option.read(value.strip())
    raise unknown_option(key.strip(), [option.key for option in options])


def build_options(
    presets: Mapping[str, Mapping[str, Value]],
    described: Sequence[RuleOption],
    edition: str,
    changes: Mapping[str, Any],
) -> dict[str, Any]:
    """Return every option of an edition, in the order of the description, with changes. Raises BadOptions.

    `presets` has, by edition, the options that don't have the first value of their choices.
    """
    if edition not in presets:
        raise unknown_edition(edition, presets)
    first = {option.key: option.values[0].value for option in described if isinstance(option, ChoiceOption)}
    found = first | dict(presets[edition]) | dict(changes)
    check_options(found, described)
    return {option.key: found[option.key] for option in described}


def check_options(options: dict[str, Any], described: Sequence[RuleOption]) -> None:
    """Raise BadOptions where an option is unknown, missing, or has a value it can't have."""
    check_names(options, [option.key for option in described])
    for option in described:
        option.check(options[option.key])


def check_names(options: dict[str, Any], known: Collection[str]) -> None:
    """Raise BadOptions where an option is unknown or missing."""
    for name in options:
        if name not in known:
            raise unknown_option(name, known)
    for name in known:
        if name not in options:
            raise BadOptions(message(gettext_noop("option %(option)s is missing"), option=quote(name)))


def unknown_option(name: str, known: Iterable[str]) -> BadOptions:
    """Return the error for an option that a game doesn't have."""
    template = gettext_noop("no option %(option)s; options are: %(options)s")
    return BadOptions(message(template, option=quote(name), options=", ".join(known)))


def unknown_edition(edition: str, editions: Iterable[str]) -> BadOptions:
    """Return the error for an edition that a game doesn't have."""
    template = gettext_noop("no edition %(edition)s; editions are: %(editions)s")
    return BadOptions(message(template, edition=quote(edition), editions=", ".join(editions)))
