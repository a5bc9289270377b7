"""Cards as pages draw them, the same for every game."""

from dataclasses import dataclass

from django.utils.functional import Promise

from arena.core.messages import gettext as _


@dataclass(frozen=True, slots=True)
class Suit:
    """A suit in the legend next to a table."""

    letter: str
    """The CSS class is `suit-<this>`."""
    icon: str
    name: str | Promise


@dataclass(frozen=True, slots=True)
class Face:
    """A card as it is drawn."""

    suit: str
    """A suit letter or "tactic"; the CSS class is `suit-<this>`."""
    shape: str
    number: str
    """The number; empty for tactics cards, except for a court card's letter."""
    name: str
    short: str
    """The short name; empty for troops."""
    is_new: bool = False
    is_back: bool = False
    is_ignored: bool = False
    """Whether the card is on the table but doesn't count."""
    is_idle: bool = False
    """Whether the card is in a hand but can't be played now."""
    is_better: bool = False
    """Whether an analysis prefers this card, or shows where it would go."""
    key: str = ""
    """The key by which the viewer follows the card when it moves; empty for face-down cards and cards off the table."""

    @property
    def is_tactic(self) -> bool:
        """Return whether the card is a tactics card."""
        return self.suit == "tactic"

    @property
    def spoken(self) -> str:
        """Return the card's name and anything special about it in its current place."""
        if self.is_ignored:
            return _("%(card)s, doesn't count") % {"card": self.name}
        if self.is_better:
            return _("Better: %(card)s") % {"card": self.name}
        return _("%(card)s, can't be played now") % {"card": self.name} if self.is_idle else self.name
