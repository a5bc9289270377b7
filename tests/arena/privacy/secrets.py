"""What isn't for everybody, and for whom it is."""

from dataclasses import dataclass, field
from typing import Any

from arena.people.accounts.models import User

OWNER = frozenset({"owner", "owner's token"})
STAFF = frozenset({"staff"})
OF = {
    "ana": OWNER | {"owner's token for another bot"},
    "eva": frozenset({"stranger", "stranger's token"}),
}
"""All that ask in somebody's name, by that."""
NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Secret:
    """Something that only these may find in what they are sent."""

    name: str
    text: bytes
    may: frozenset[str]
    is_shown: bool = True
    """Whether the owner does find it somewhere: else the walk would prove nothing."""


@dataclass(slots=True)
class World:
    people: dict[str, User]
    secrets: list[Secret] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)
    """What paths are made of."""
    tokens: dict[str, str] = field(default_factory=dict)
    """Texts by role."""

    def hide(self, name: str, text: str, may: frozenset[str], is_shown: bool = True) -> str:
        self.secrets.append(Secret(name, squeezed(text.encode()), may, is_shown and bool(may)))
        return text


def squeezed(text: bytes) -> bytes:
    """Without what a writer of JSON or HTML may put between the parts, so that a deal is found however it is shown."""
    for quote in (b"&quot;", b"&#x27;", b"&#39;"):
        text = text.replace(quote, b"")
    return text.translate(None, b" \t\r\n\f'\"\\")
