"""Cards as pages draw them, the same for every game."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class Suit:
    """A suit, for the legend beside a table."""

    letter: str
    """The style's class is `suit-<this>`."""
    icon: str
    name: str | Promise


@dataclass(frozen=True, slots=True)
class Face:
    """The drawn parts of a card."""

    suit: str
    """A suit letter or "tactic"; the style's class is `suit-<this>`."""
    shape: str
    number: str
    """Empty on tactics, but for the letter of a court card."""
    name: str
    short: str
    """Empty on troops."""
    is_new: bool = False
    is_back: bool = False
    is_ignored: bool = False
    """It lies there and does not count."""
    is_idle: bool = False
    """It is in a hand and may not be played as things stand."""
    is_better: bool = False
    """An analysis prefers to play it, or shows where it would lie."""
    key: str = ""
    """What the viewer knows the card by when it goes from one place to another; empty face down, and off the table."""

    @property
    def is_tactic(self) -> bool:
        """Return whether it is a tactics card."""
        return self.suit == "tactic"

    @property
    def spoken(self) -> str:
        """Return the name, and what is special about the card where it lies."""
        if self.is_ignored:
            return _("%(card)s, does not count") % {"card": self.name}
        if self.is_better:
            return _("Better was: %(card)s") % {"card": self.name}
        return _("%(card)s, can't be played now") % {"card": self.name} if self.is_idle else self.name
