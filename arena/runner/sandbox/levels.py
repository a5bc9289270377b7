"""How far a machine keeps bots in, and the account it gives of that."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

LEVELS = {
    "A": "Sealed: a bot sees an empty machine of its own, with no network, no other process and nothing to write to.",
    "C": "Fenced: a bot runs as a user of its own and may read what it runs on; it can tell which files exist here.",
    "D": "Fenced, but as the same user as the arena: only for bots of whoever runs this machine.",
}
"""What each level means, the best first."""
STRANGERS = frozenset({"A", "C"})
"""The levels at which anybody's bots are played."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One wall of a level, as a bot found it that tried to get through."""

    name: str
    holds: bool
    what: str
    """What was tried, and what came of it: a sentence without its full stop."""


class Found(NamedTuple):
    """A language, and whether it runs here."""

    key: str
    title: str
    version: str | None
    """None where nothing was found that runs."""
    advice: str
    """What to install; empty where the language runs."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found when this machine was last examined."""

    level: str | None
    """The best level that proved itself; None where bots can't be run."""
    sandbox: str
    """Name of the sandbox of that level; empty where there is none."""
    layers: tuple[Layer, ...]
    """Of the sandbox that is used; of the best that was tried, where none works. All of the level hold where there is
    one; what doesn't is told besides, and decides nothing."""
    languages: tuple[Found, ...]
    hint: str
    """What to do for a better level; empty at the best."""
    took_ms: float
    """Of the self-test: building the first program of each language is not counted."""

    def as_json(self) -> dict[str, Any]:
        """Return the report as dictionaries and lists."""
        found = asdict(self)
        found["layers"] = [asdict(layer) for layer in self.layers]
        found["languages"] = [language._asdict() for language in self.languages]
        return found
