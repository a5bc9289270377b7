"""Cards as pages draw them, the same for every game."""

from dataclasses import dataclass

from django.utils.functional import Promise

from arena.core.messages import gettext as _


@dataclass(frozen=True, slots=True)
class Suit:
    """A suit, for the legend next to a table."""

    letter: str
    """The CSS class is `suit-<this>`."""
    icon: str
    name: str | Promise


@dataclass(frozen=True, slots=True)
class Face:
    """The drawn parts of a card."""

    suit: str
    """A suit letter or "tactic"; the CSS class is `suit-<this>`."""
    shape: str
    number: str
    """Empty on tactics, except for the letter of a court card."""
    name: str
    short: str
    """Empty on troops."""
    is_new: bool = False
    is_back: bool = False
    is_ignored: bool = False
    """Whether it is on the table but doesn't count."""
    is_idle: bool = False
    """Whether it is in a hand but can't be played now."""
    is_better: bool = False
    """Whether an analysis prefers to play it, or shows where it would go."""
    key: str = ""
    """What identifies the card when the viewer moves it from place to place; empty face down, and off the table."""

    @property
    def is_tactic(self) -> bool:
        """Return whether it is a tactics card."""
        return self.suit == "tactic"

    @property
    def spoken(self) -> str:
        """Return the name, and what is special about the card in its place."""
        if self.is_ignored:
            return _("%(card)s, doesn't count") % {"card": self.name}
        if self.is_better:
            return _("Better: %(card)s") % {"card": self.name}
        return _("%(card)s, can't be played now") % {"card": self.name} if self.is_idle else self.name
