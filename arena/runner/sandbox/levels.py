"""Define the levels of protection and the report on a machine's sandbox."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.message import Message, gettext_noop

LEVELS = {
    "A": gettext_noop(
        "Sealed: a bot sees an empty machine of its own, with no network, no other process and nothing to write to."
    ),
    "C": gettext_noop(
        "Restricted: a bot runs as a user of its own and may read what it runs on; it can tell which files exist here."
    ),
    "D": gettext_noop("Restricted, but as the same user as the arena: only for bots of those who run this machine."),
}
"""Description of each level, the best first, to be translated where it is shown."""
LEVELS_FOR_ALL_AUTHORS = frozenset({"A", "C"})
"""Levels at which bots of all authors are played."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One protection of a level, and whether it held when a bot tested it."""

    name: str
    """English name, to be translated where it is shown."""
    holds: bool
    what: Message
    """What was tested, and with what result: a sentence without its full stop."""
    is_needed: bool = True
    """Whether the level depends on it."""


class LanguageStatus(NamedTuple):
    """A language, and whether it works on this machine."""

    key: str
    title: str
    version: str | None
    """None if the language doesn't work here."""
    advice: Message | None
    """What to install; None if the language works."""


def message_to_json(message: Message | None) -> Any:
    """Return the message as JSON, or None."""
    return message and message.to_json()


@dataclass(frozen=True, slots=True)
class Report:
    """The result of the last examination of this machine."""

    level: str | None
    """The best level that passed its tests; None if bots can't be run."""
    sandbox: str
    """Name of the sandbox of that level; empty if there is none."""
    layers: tuple[Layer, ...]
    """Layers of the sandbox in use, or of the best one tested if none works. Those of the level hold if there is one;
    informational layers may fail without consequence."""
    languages: tuple[LanguageStatus, ...]
    hint: Message | None
    """What to install or to allow for the best level; None at the best."""
    took_ms: float
    """Duration of the self-test, without compiling a program in each language."""
    keeps_legs_apart: bool = False
    """Whether nothing is known by which a bot could tell a later leg what it saw."""
    is_engine_compiled: bool = False
    """Whether the rules are played by the compiled engine."""

    def as_json(self, write: Callable[[Message | None], Any] = message_to_json) -> dict[str, Any]:
        """Return the report as dictionaries and lists, with messages as `write` returns them."""
        return {
            "level": self.level,
            "sandbox": self.sandbox,
            "layers": [
                {"name": layer.name, "holds": layer.holds, "what": write(layer.what), "is_needed": layer.is_needed}
                for layer in self.layers
            ],
            "languages": [language._asdict() | {"advice": write(language.advice)} for language in self.languages],
            "hint": write(self.hint),
            "took_ms": self.took_ms,
            "keeps_legs_apart": self.keeps_legs_apart,
            "is_engine_compiled": self.is_engine_compiled,
        }
